package feed

import "io"

// Defaults of Options. The first three are limits of the sitemap protocol and part of the outer contract.
const (
	DefaultMaxBytes      int64 = 50 << 20
	DefaultMaxEntries          = 50_000
	DefaultMaxURLBytes         = 2048
	DefaultMaxAlternates       = 50_000
	DefaultMaxRatio      int64 = 200
)

// ratioFreeBytes is how much may be unpacked before the ratio counts: small documents pack very well.
const ratioFreeBytes int64 = 1 << 20

// Decoder returns a reader of UTF-8 over r, which is in the encoding that the label names, or an error
// if it does not know the label. golang.org/x/net/html/charset.NewReaderLabel is one.
type Decoder func(label string, r io.Reader) (io.Reader, error)

// Options bound what one document may cost. A zero field takes its default.
type Options struct {
	// MaxBytes bounds the octets of the body as given and of every layer of gzip below it.
	MaxBytes int64
	// MaxEntries bounds the pages, or children of an index, handed out. See ErrTooManyEntries.
	MaxEntries int
	// MaxAlternates bounds the alternates handed out. They are no protocol limit and mostly name pages
	// that stand in the list themselves, so the rest is a finding and no error.
	MaxAlternates int
	// MaxURLBytes is the longest reference handed out, in octets of UTF-8. Longer ones are dropped,
	// counted in Result.OverLimit and noted as a finding.
	MaxURLBytes int
	// MaxRatio bounds unpacked to packed octets, once more than 1 MiB has been unpacked.
	MaxRatio int64
	// Decoder reads encodings other than UTF-8 and ASCII. Without it they are ErrCharset.
	Decoder Decoder
}

func (o Options) withDefaults() Options {
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.MaxEntries <= 0 {
		o.MaxEntries = DefaultMaxEntries
	}
	if o.MaxAlternates <= 0 {
		o.MaxAlternates = DefaultMaxAlternates
	}
	if o.MaxURLBytes <= 0 {
		o.MaxURLBytes = DefaultMaxURLBytes
	}
	if o.MaxRatio <= 0 {
		o.MaxRatio = DefaultMaxRatio
	}
	return o
}
