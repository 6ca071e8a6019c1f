package registry

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// logName is the write log in the data folder (BC-R-034).
const logName = "writes.jsonl"

// logEntry is one line of the write log: who tried to write what, and what came
// of it. Only publishers, owners and the operator have entries; readers have
// none.
type logEntry struct {
	At        string `json:"at"`
	Publisher string `json:"publisher,omitempty"`
	Action    string `json:"action"`
	Domain    string `json:"domain,omitempty"`
	Outcome   string `json:"outcome"`          // accepted or refused
	Reason    string `json:"reason,omitempty"` // code of the problem
	Before    string `json:"before,omitempty"` // ETag of the card before and after
	After     string `json:"after,omitempty"`
}

// writeLog is the file behind the log. A line counts when the state file says
// so: lines are synced before the commit that counts them, and what a crash left
// behind the counted ones is cut off.
type writeLog struct {
	file *os.File
	size int64 // counted octets
}

// allLines in the place of the counted octets lets every line count.
const allLines = -1

// openLog opens the log and cuts it to what was counted. A file that is
// shorter was moved away by the operator; the log goes on in the new one.
func openLog(folder string, counted int64) (*writeLog, error) {
	file, err := os.OpenFile(filepath.Join(folder, logName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("registry: open write log: %w", err)
	}
	size, err := file.Seek(0, io.SeekEnd)
	if err == nil && counted != allLines && size > counted {
		size = counted
		if err = file.Truncate(size); err == nil {
			_, err = file.Seek(size, io.SeekStart)
		}
	}
	if err == nil {
		err = syncFolder(folder)
	}
	if err != nil {
		return nil, fmt.Errorf("registry: prepare write log: %w", closeAfter(file, err))
	}
	return &writeLog{file: file, size: size}, nil
}

func closeAfter(file io.Closer, err error) error {
	_ = file.Close() // err says what matters
	return err
}

// syncFolder makes a name in a folder durable.
func syncFolder(folder string) error {
	d, err := os.Open(folder)
	if err != nil {
		return err
	}
	return closeWith(d, d.Sync())
}

func closeWith(c io.Closer, err error) error {
	if closed := c.Close(); err == nil {
		err = closed
	}
	return err
}

// append makes lines durable. They count when the caller says so.
func (l *writeLog) append(lines []byte) error {
	if len(lines) == 0 {
		return nil
	}
	if _, err := l.file.WriteAt(lines, l.size); err != nil {
		return fmt.Errorf("registry: write log: %w", err)
	}
	if err := l.file.Sync(); err != nil {
		return fmt.Errorf("registry: sync write log: %w", err)
	}
	return nil
}

func (l *writeLog) close() error { return closeWith(l.file, l.file.Truncate(l.size)) }

func appendEntry(dst []byte, e logEntry) []byte {
	line, err := json.Marshal(e)
	if err != nil { // impossible: strings only
		return dst
	}
	return append(append(dst, line...), '\n')
}
