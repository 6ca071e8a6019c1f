package bolt

import (
	"encoding/binary"
	"strings"
)

// Buckets. All numbers in keys are big-endian, so that keys sort as numbers.
var (
	bucketURLs      = []byte("u")  // hostID(4) hash(8) -> record
	bucketReady     = []byte("r")  // hostID(4) rank(6) hash(8) -> empty
	bucketFuture    = []byte("f")  // due(6) hostID(4) hash(8) -> empty
	bucketHosts     = []byte("h")  // hostID(4) -> host row
	bucketNames     = []byte("hn") // host name -> hostID(4)
	bucketMeta      = []byte("m")
	bucketDocuments = []byte("d") // URL -> policy document
	bucketNotes     = []byte("n") // kind NUL key -> value
)

var buckets = [][]byte{bucketURLs, bucketReady, bucketFuture, bucketHosts, bucketNames, bucketMeta, bucketDocuments, bucketNotes}

type (
	urlKey    [12]byte
	readyKey  [18]byte
	futureKey [18]byte
	hostKey   [4]byte
)

func urlKeyOf(host uint32, hash uint64) (k urlKey) {
	binary.BigEndian.PutUint32(k[:4], host)
	binary.BigEndian.PutUint64(k[4:], hash)
	return k
}

func readyKeyOf(host uint32, rank, hash uint64) (k readyKey) {
	binary.BigEndian.PutUint32(k[:4], host)
	appendU48(k[:4], rank)
	binary.BigEndian.PutUint64(k[10:], hash)
	return k
}

func futureKeyOf(due int64, host uint32, hash uint64) (k futureKey) {
	appendMillis(k[:0], due)
	binary.BigEndian.PutUint32(k[6:10], host)
	binary.BigEndian.PutUint64(k[10:], hash)
	return k
}

func hostKeyOf(host uint32) (k hostKey) {
	binary.BigEndian.PutUint32(k[:], host)
	return k
}

func splitReadyKey(k []byte) (rank, hash uint64) {
	return u48(k[4:]), binary.BigEndian.Uint64(k[10:])
}

func splitFutureKey(k []byte) (due int64, host uint32, hash uint64) {
	return int64(u48(k)), binary.BigEndian.Uint32(k[6:]), binary.BigEndian.Uint64(k[10:])
}

// How a record spells its URL. The host name is in the host row already.
const (
	formHTTPS = iota // "https://" host, then what is stored
	formHTTP         // "http://" host, then what is stored
	formWhole        // stored as it is: another port or scheme
)

const (
	prefixHTTPS = "https://"
	prefixHTTP  = "http://"
)

// splitURL gives the form and the stored part of a canonical URL.
func splitURL(url, host string) (form byte, rest string) {
	if r, ok := cutOrigin(url, prefixHTTPS, host); ok {
		return formHTTPS, r
	}
	if r, ok := cutOrigin(url, prefixHTTP, host); ok {
		return formHTTP, r
	}
	return formWhole, url
}

func cutOrigin(url, prefix, host string) (rest string, ok bool) {
	if !strings.HasPrefix(url, prefix) || !strings.HasPrefix(url[len(prefix):], host) {
		return "", false
	}
	rest = url[len(prefix)+len(host):]
	return rest, strings.HasPrefix(rest, "/")
}

// joinURL is the inverse of splitURL.
func joinURL(form byte, host string, rest []byte) string {
	switch form {
	case formHTTPS:
		return prefixHTTPS + host + string(rest)
	case formHTTP:
		return prefixHTTP + host + string(rest)
	}
	return string(rest)
}

// of returns the hash of a key of this host.
func (k *urlKey) of(host uint32) (hash uint64, ok bool) {
	return binary.BigEndian.Uint64(k[4:]), binary.BigEndian.Uint32(k[:4]) == host
}
