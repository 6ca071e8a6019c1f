package archive

import (
	"encoding/hex"
	"time"
)

// metadata writes the record that explains a visit. Field names are those of
// WARC 1.1 §6.6 where it has one (via, hopsFromSeed). The whole decision with
// everybody's opinion is in the ledger, under the same id.
func (a *Archive) metadata(w *press, p *Prepared, r *Record, date string, id recordID, first *recordID) error {
	uses, err := r.Decision.Uses.MarshalJSON()
	if err != nil {
		return err
	}
	d := &r.Decision
	w.text = w.text[:0]
	if r.Kind == Failure {
		w.line("failure-kind", r.FailureKind)
		w.line("failure-text", r.FailureText)
	}
	w.line("via", r.Via)
	w.line("hopsFromSeed", r.DiscoveryPath)
	if r.DecodedSHA256 != ([32]byte{}) {
		w.line("decoded-sha256", hex.EncodeToString(r.DecodedSHA256[:]))
	}
	if d.ID != "" {
		w.line("decision-id", d.ID)
		w.line("decision", d.Verdict.String())
		w.line("reason", string(d.Reason))
		w.line("source", d.Source)
		w.line("purposes", d.Purposes.String())
		w.line("mode", string(d.Mode))
		w.line("uses", string(uses))
		w.line("rule", d.Rule.Text)
		if d.Doc != nil {
			w.line("policy-document", d.Doc.URL)
			w.line("policy-sha256", d.Doc.SHA256)
			w.line("policy-fetched-at", d.Doc.FetchedAt.UTC().Format(time.RFC3339))
		}
		w.line("because", d.Because)
	}
	w.block.Reset()
	w.block.Write(w.text)
	w.begin("metadata", id, date)
	w.field("WARC-Target-URI", r.URL)
	if first != nil {
		w.recordID("WARC-Concurrent-To", *first)
	} else {
		w.network(r)
	}
	return w.finish(p.buf, typeFields, w.text, nil, 0)
}

// line adds a field to a warc-fields block, unless it has no value.
func (w *press) line(name, value string) {
	if value = oneLine(value, maxTextBytes); value != "" {
		w.text = append(append(append(append(w.text, name...), ": "...), value...), '\r', '\n')
	}
}
