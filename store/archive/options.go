package archive

import (
	"crypto/rand"
	"fmt"
	"io"
	"time"
)

const (
	defaultPrefix           = "heed"
	defaultFileBytes        = 1 << 30  // WARC 1.1 annex C recommends 1 GB
	defaultSpoolBytes       = 1 << 20  // larger bodies do not stay in memory
	maxIndexBytes           = 64 << 20 // bounds what sorting a finished index holds in memory
	maxHeadBytes            = 1 << 20  // far above what the fetcher accepts
	maxURLBytes             = 64 << 10
	maxTextBytes            = 2 << 10 // free text of a failure
	dedupEntries            = 100_000
	dedupMinBytes     int64 = 1 << 10 // below, a revisit saves nothing
)

// Options says where and as whom to write. Dir and IndexDir are needed.
type Options struct {
	Dir      string // of the WARC files and spool files
	IndexDir string // of the CDXJ files
	Prefix   string // of file names: letters, digits and _ only; default "heed"

	MaxFileBytes int64 // a file that has reached it is followed by a new one; default 1 GiB
	SpoolBytes   int64 // bodies above it are prepared on disk; default 1 MiB

	Software string // for warcinfo, as in the user agent: heed/1.0
	Operator string // for warcinfo: the contact, a URL or mailto:
	Robots   string // for warcinfo: how robots.txt and other signals are treated

	Now    func() time.Time // default time.Now
	Random io.Reader        // of record ids and file names, safe for concurrent use; default crypto/rand
}

func (o Options) withDefaults() (Options, error) {
	if o.Dir == "" || o.IndexDir == "" {
		return o, fmt.Errorf("archive: options: Dir and IndexDir are needed")
	}
	if o.Prefix == "" {
		o.Prefix = defaultPrefix
	}
	for _, c := range []byte(o.Prefix) {
		if !isAlnum(c) && c != '_' {
			return o, fmt.Errorf("archive: options: prefix %q has other than letters, digits and _", o.Prefix)
		}
	}
	if o.MaxFileBytes <= 0 {
		o.MaxFileBytes = defaultFileBytes
	}
	if o.SpoolBytes <= 0 {
		o.SpoolBytes = defaultSpoolBytes
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	return o, nil
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
