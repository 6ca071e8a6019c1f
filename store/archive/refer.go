package archive

import (
	"bufio"
	"fmt"
	"io"
	"net/textproto"
	"time"

	"github.com/klauspost/compress/gzip"
)

// maxWARCHead bounds the WARC header that Refer reads. Ours are below 2 KiB
// beside the URL.
const maxWARCHead = maxURLBytes + 16<<10

// Refer reads from the head of a stored response what a revisit has to say
// about it. Unlike [Read] it does not check the body, so it costs the same for
// a large one. ErrLocation if location is not one, ErrDamaged if there is no
// response.
func Refer(dir, location string) (Reference, error) {
	f, offset, length, err := openAt(dir, location)
	if err != nil {
		return Reference{}, err
	}
	defer f.Close()
	ref, err := referAt(io.NewSectionReader(f, offset, length))
	if err != nil {
		return Reference{}, fmt.Errorf("archive: refer to %s: %w: %v", location, ErrDamaged, err)
	}
	ref.Location = location
	return ref, nil
}

func referAt(member io.Reader) (Reference, error) {
	z, err := gzip.NewReader(bufio.NewReaderSize(member, 4<<10))
	if err != nil {
		return Reference{}, err
	}
	defer z.Close()
	r := textproto.NewReader(bufio.NewReader(io.LimitReader(z, maxWARCHead)))
	version, err := r.ReadLine()
	if err != nil {
		return Reference{}, err
	}
	head, err := r.ReadMIMEHeader()
	if err != nil {
		return Reference{}, err
	}
	if version != "WARC/1.1" || head.Get("WARC-Type") != "response" {
		return Reference{}, fmt.Errorf("a %s record of %s", head.Get("WARC-Type"), version)
	}
	date, err := time.Parse(time.RFC3339, head.Get("WARC-Date"))
	if err != nil {
		return Reference{}, err
	}
	return Reference{URL: head.Get("WARC-Target-URI"), Date: date, PayloadDigest: head.Get("WARC-Payload-Digest")}, nil
}
