package fetch

import (
	_ "embed" // the registries below
	"encoding/csv"
	"fmt"
	"net/netip"
	"regexp"
	"strings"
)

// The IANA special-purpose address registries as published (CC0), columns and
// footnote marks untouched so that a newer edition can simply replace the file.
var (
	//go:embed data/iana-ipv4-special-registry.csv
	ipv4Registry string
	//go:embed data/iana-ipv6-special-registry.csv
	ipv6Registry string
)

// block is one range that may not be dialled.
type block struct {
	prefix netip.Prefix
	name   string // registry name and document, e.g. `Loopback (RFC1122, Section 3.2.1.3)`
}

// unlistedBlocks are ranges outside both registries that lead to no web site of
// anybody's: multicast has its own registry, and clouds answer on public
// addresses that are only reachable from inside.
func unlistedBlocks() []block {
	return []block{
		{netip.MustParsePrefix("224.0.0.0/4"), "Multicast (RFC5771)"},
		{netip.MustParsePrefix("ff00::/8"), "Multicast (RFC4291, Section 2.7)"},
		{netip.MustParsePrefix("fec0::/10"), "Site-Local Unicast (RFC3879)"},
		{netip.MustParsePrefix("168.63.129.16/32"), "Cloud platform service address"},
	}
}

// specialBlocks parses both registries into the blocks that are not globally
// reachable. A block nested in one of them stays refused even if it is listed
// as reachable itself: those are anycast services, never web sites.
func specialBlocks() ([]block, error) {
	blocks := unlistedBlocks()
	for _, table := range []struct{ name, text string }{
		{"ipv4", ipv4Registry}, {"ipv6", ipv6Registry},
	} {
		more, err := parseRegistry(table.text)
		if err != nil {
			return nil, fmt.Errorf("fetch: %s special-purpose registry: %w", table.name, err)
		}
		blocks = append(blocks, more...)
	}
	return blocks, nil
}

// parseRegistry reads one registry and returns its blocks except those whose
// "Globally Reachable" is True. "N/A" and empty cells count as not reachable.
func parseRegistry(text string) ([]block, error) {
	const columns, reachable = 10, 8
	footnote := regexp.MustCompile(`\s*\[\d+\]`)
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord = columns
	rows, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) < 2 || rows[0][0] != "Address Block" || rows[0][reachable] != "Globally Reachable" {
		return nil, fmt.Errorf("unknown columns %q", rows[:min(1, len(rows))])
	}
	var blocks []block
	for _, row := range rows[1:] {
		if footnote.ReplaceAllString(row[reachable], "") == "True" {
			continue
		}
		name := strings.Trim(row[1], `"`) + " (" + documents(row[2]) + ")"
		for cell := range strings.SplitSeq(footnote.ReplaceAllString(row[0], ""), ",") {
			prefix, err := netip.ParsePrefix(strings.TrimSpace(cell))
			if err != nil {
				return nil, fmt.Errorf("block %q: %w", cell, err)
			}
			blocks = append(blocks, block{prefix, name})
		}
	}
	return blocks, nil
}

// documents turns "[RFC1122], Section 3.2.1.3" into "RFC1122, Section 3.2.1.3"
// and puts several on one line.
func documents(cell string) string {
	words := strings.Fields(strings.NewReplacer("[", " ", "]", " ").Replace(cell))
	return strings.ReplaceAll(strings.Join(words, " "), " ,", ",")
}
