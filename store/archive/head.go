package archive

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// secretFields are request fields that never reach a file.
var secretFields = [...]string{"authorization", "proxy-authorization", "cookie"}

// storedRequest is a request head as it is kept: without credentials, ending
// in an empty line.
func storedRequest(dst, head []byte) []byte {
	return eachField(dst, head, func(dst, line []byte, name string) []byte {
		for _, secret := range secretFields {
			if strings.EqualFold(name, secret) {
				return dst
			}
		}
		return append(dst, line...)
	})
}

// storedResponse is a response head as it is kept: a Transfer-Encoding that
// was undone is renamed, everything else stays, and an empty line ends it.
func storedResponse(dst, head []byte) []byte {
	return eachField(dst, head, func(dst, line []byte, name string) []byte {
		if strings.EqualFold(name, "transfer-encoding") && line[0] != ' ' && line[0] != '\t' {
			dst = append(dst, "X-Orig-"...)
		}
		return append(dst, line...)
	})
}

// minLineBytes is the shortest line that can be a field: a name, a colon, LF.
// Readers of WARC files take anything shorter for the end of the head, and the
// payload would begin there; such lines are left out.
const minLineBytes = 3

// eachField copies a head line by line through keep, each line with the name
// of the field that it belongs to (it may continue one). It accepts CRLF and
// LF.
func eachField(dst, head []byte, keep func(dst, line []byte, name string) []byte) []byte {
	name := ""
	for first := true; len(head) > 0; first = false {
		n := bytes.IndexByte(head, '\n') + 1
		if n == 0 {
			n = len(head)
		}
		line := head[:n]
		head = head[n:]
		switch {
		case isEmptyLine(line):
			head = nil
			continue
		case len(line) < minLineBytes:
			continue
		case first:
			dst = appendStartLine(dst, line)
			continue
		case line[0] != ' ' && line[0] != '\t':
			field, _, _ := bytes.Cut(line, []byte{':'})
			name = string(bytes.TrimSpace(field))
		}
		dst = keep(dst, line, name)
	}
	if len(dst) > 0 && dst[len(dst)-1] != '\n' {
		dst = append(dst, '\r', '\n')
	}
	return append(dst, '\r', '\n')
}

func isEmptyLine(line []byte) bool {
	return len(line) == 1 && line[0] == '\n' || len(line) == 2 && line[0] == '\r' && line[1] == '\n'
}

// appendStartLine names HTTP/1.1 where a newer protocol was spoken: readers of
// WARC files parse HTTP/1 only (the protocol itself is in WARC-Protocol).
func appendStartLine(dst, line []byte) []byte {
	if rest, ok := bytes.CutPrefix(line, []byte("HTTP/2.0 ")); ok {
		return append(append(dst, "HTTP/1.1 "...), rest...)
	}
	if at := bytes.LastIndex(line, []byte(" HTTP/2.0")); at >= 0 {
		return append(append(append(dst, line[:at]...), " HTTP/1.1"...), line[at+len(" HTTP/2.0"):]...)
	}
	return append(dst, line...)
}

// readHead gives the three digits of the status and the value of the first
// Content-Type. The status is "" if head does not begin like an HTTP response.
func readHead(head []byte) (status, contentType string) {
	line, rest, _ := bytes.Cut(head, []byte{'\n'})
	proto, after, _ := bytes.Cut(bytes.TrimRight(line, "\r"), []byte{' '})
	if !bytes.HasPrefix(proto, []byte("HTTP/")) || len(after) < 3 || len(after) > 3 && after[3] != ' ' {
		return "", ""
	}
	for i, c := range after[:3] {
		if c < '0' || c > '9' || i == 0 && c == '0' {
			return "", ""
		}
	}
	for len(rest) > 0 {
		line, rest, _ = bytes.Cut(rest, []byte{'\n'})
		name, value, found := bytes.Cut(line, []byte{':'})
		if found && len(name) == len("content-type") && strings.EqualFold(string(name), "content-type") {
			return string(after[:3]), string(bytes.TrimSpace(value))
		}
	}
	return string(after[:3]), ""
}

// isRequest tells whether head begins with a method and a target.
func isRequest(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte{'\n'})
	method, target, ok := bytes.Cut(line, []byte{' '})
	if !ok || len(method) == 0 || len(target) == 0 || bytes.HasPrefix(method, []byte("HTTP")) {
		return false
	}
	for _, c := range method {
		if !isAlnum(c) && c != '-' {
			return false
		}
	}
	return true
}

// RequestHead writes the head of a request in HTTP/1.1 form, with its fields
// in the order of their names. It is for exchanges that had no such form on
// the wire.
func RequestHead(method, target, host string, header http.Header) []byte {
	b := make([]byte, 0, 512)
	b = append(append(append(append(b, method...), ' '), target...), " HTTP/1.1\r\nHost: "...)
	b = append(append(b, host...), '\r', '\n')
	return appendFields(b, header, "Host")
}

// ResponseHead writes the head of a response in HTTP/1.1 form, with its fields
// in the order of their names.
func ResponseHead(status int, header http.Header) []byte {
	b := make([]byte, 0, 1024)
	b = append(strconv.AppendInt(append(b, "HTTP/1.1 "...), int64(status), 10), ' ')
	b = append(append(b, http.StatusText(status)...), '\r', '\n')
	return appendFields(b, header, "")
}

func appendFields(b []byte, header http.Header, except string) []byte {
	names := make([]string, 0, len(header))
	for name := range header {
		if name != except && !strings.HasPrefix(name, ":") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		for _, value := range header[name] {
			b = append(append(append(b, name...), ": "...), oneLine(value, len(value))...)
			b = append(b, '\r', '\n')
		}
	}
	return append(b, '\r', '\n')
}
