package main

import "heed/cmd/terminal"

// printJSON writes one JSON object on one line.
func (s *session) printJSON(v any) error { return terminal.JSON(s.stdout, v) }

// newTable is a table on standard output.
func (s *session) newTable(header ...any) *terminal.Grid { return terminal.Table(s.stdout, header...) }

// plain makes a stranger's text safe for a terminal.
func plain(text string) string { return terminal.Plain(text) }
