package standards

import (
	"heed/politeness"
)

// noteKind names something worth showing about a document that changes no
// decision by itself.
type noteKind = string

const (
	noteUnknown     noteKind = "not-understood"   // a directive that nobody defines (AP-026, AP-141)
	noteNoDirective noteKind = "no-directive"     // a line without a colon (AP-005)
	noteEmptyList   noteKind = "empty-value"      // a line that states nothing (AP-128)
	noteValue       noteKind = "unknown-value"    // taken for the strictest (AP-132, AP-134)
	noteScope       noteKind = "unusable-scope"   // can never match (AP-112, AP-123)
	noteTooLong     noteKind = "over-limit"       // skipped (AP-108)
	noteMediaType   noteKind = "wrong-media-type" // may only deny (AP-102)
	noteShell       noteKind = "html-shell"       // a web page, so there is no file (AP-106)
	noteRefused     noteKind = "policy-forbidden" // 401, 403 or the like (AP-105)
	noteTruncated   noteKind = "truncated"        // larger than what is read (AP-108)
	noteMalformed   noteKind = "malformed"        // cannot be understood as a whole
	noteDisallowed  noteKind = "disallowed"       // robots.txt does not let us read it
)

// maxNotes bounds the notes of a document.
const maxNotes = 100

// noteList collects notes up to the bound and counts the others.
type noteList struct {
	notes   []politeness.Note
	dropped int
}

func (l *noteList) add(kind noteKind, text string, line int) {
	if len(l.notes) >= maxNotes {
		l.dropped++
		return
	}
	l.notes = append(l.notes, politeness.Note{Kind: kind, Text: plainText(text), Line: line})
}

// notesOf is what can be said about an automation-preferences.txt.
func notesOf(kind documentKind, d *politeness.Document, f *automationFile) []politeness.Note {
	var l noteList
	served := d.Status >= 200 && d.Status <= 299
	switch {
	case d.Forbidden:
		l.add(noteDisallowed, "", 0)
	case kind == kindAbsent && served:
		l.add(noteShell, "", 0)
	case kind == kindAbsent && d.Status >= 400 && d.Status != 404 && d.Status != 410:
		l.add(noteRefused, "", 0)
	case kind == kindDoubtful:
		l.add(noteMediaType, mediaType(d), 0)
	}
	if f == nil {
		return l.notes
	}
	if f.partial {
		l.add(noteTruncated, "", 0)
	}
	return append(l.notes, f.notes.notes...)
}
