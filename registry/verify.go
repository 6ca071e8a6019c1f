package registry

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"

	"heed/registry/card"
)

// VerifyReport is what a verification has looked at and found.
type VerifyReport struct {
	Cards    int      `json:"cards"`
	Listed   int      `json:"listed"`
	LogLines int      `json:"log_lines"`
	Faults   []string `json:"faults"` // at most 100; none means sound
}

// maxFaults bounds a report.
const maxFaults = 100

func (r *VerifyReport) fault(format string, args ...any) {
	if len(r.Faults) < maxFaults {
		r.Faults = append(r.Faults, fmt.Sprintf(format, args...))
	}
}

// Verify checks the state file and the write log against themselves: pages,
// records, cards, ETags, the feed, and every line of the log. It reads while
// others write.
func (a Admin) Verify(ctx context.Context) (VerifyReport, error) {
	report := VerifyReport{Faults: []string{}}
	s := a.server
	err := s.shelf.db.View(func(tx *bbolt.Tx) error {
		for err := range tx.Check() {
			report.fault("state file: %v", err)
		}
		var m meta
		if err := json.Unmarshal(tx.Bucket(bucketMeta).Get(keyMeta), &m); err != nil {
			report.fault("meta record: %v", err)
		}
		if err := s.verifySites(ctx, tx, &m, &report); err != nil {
			return err
		}
		return verifyLog(s.shelf.folder, m.LogBytes, &report)
	})
	if err != nil {
		return report, fmt.Errorf("registry: verify: %w", err)
	}
	return report, nil
}

func (s *Server) verifySites(ctx context.Context, tx *bbolt.Tx, m *meta, report *VerifyReport) error {
	served, err := compileSchema(s.base+"/v1/schema.json", s.validate.schema.octets, nil)
	if err != nil {
		return err
	}
	places := make(map[uint64]string)
	var buffer []byte
	err = tx.Bucket(bucketSite).ForEach(func(key, record []byte) error {
		known, err := readSite(string(key), record, words{})
		if err != nil {
			report.fault("%v", err)
			return ctx.Err()
		}
		if known.inFeed() {
			if other, taken := places[known.seq]; taken || known.seq > m.Head {
				report.fault("place %d of %q in the feed is that of %q or behind the end", known.seq, key, other)
			}
			places[known.seq] = known.domain
		}
		if !known.hasCard() {
			if known.listed {
				report.fault("%q is listed without a card", key)
			}
			return ctx.Err()
		}
		report.Cards++
		if known.listed {
			report.Listed++
		}
		rev, raw, err := readCard(tx, known.domain)
		if err == nil {
			_, err = card.ReadJSON(raw, maxBodyBytes)
		}
		if err != nil || rev != known.rev {
			report.fault("card of %q: revision %d for %d: %v", key, rev, known.rev, err)
			return ctx.Err()
		}
		buffer = render(buffer[:0], raw, known)
		if etagOf(buffer) != known.etag {
			report.fault("card of %q is served as other octets than its ETag names", key)
		}
		if value, err := decode(buffer); err != nil || served.Validate(value) != nil {
			report.fault("card of %q does not pass the published schema", key)
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	return tx.Bucket(bucketCard).ForEach(func(key, _ []byte) error {
		if tx.Bucket(bucketSite).Get(key) == nil {
			report.fault("card of %q has no record", key)
		}
		return nil
	})
}

func verifyLog(folder string, counted int64, report *VerifyReport) error {
	file, err := os.Open(filepath.Join(folder, logName))
	if err != nil {
		return err
	}
	if counted == allLines {
		counted = math.MaxInt64
	}
	in := bufio.NewScanner(io.LimitReader(file, counted))
	in.Buffer(nil, 1<<16)
	for in.Scan() {
		report.LogLines++
		var e logEntry
		d := json.NewDecoder(bytes.NewReader(in.Bytes()))
		d.DisallowUnknownFields()
		if err := d.Decode(&e); err != nil || e.At == "" || e.Outcome == "" {
			report.fault("line %d of the write log: %v", report.LogLines, err)
		}
	}
	return closeWith(file, in.Err())
}
