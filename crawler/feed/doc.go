// Package feed reads the lists of URLs a site publishes: XML sitemaps, sitemap indexes, RSS, Atom and
// plain text lists.
//
// What it does, in order:
//
//  1. Read takes the body with its content codings off, and unpacks gzip for as long as the octets
//     start with 1F 8B, two layers at most. Neither file name nor media type is asked.
//  2. It finds the encoding (byte order mark, Content-Type, XML declaration, else UTF-8) and has the
//     caller's Decoder transcode what is not UTF-8.
//  3. It tells the format by the first octets: a root element it knows, or a first line that is an
//     absolute http or https URL. All else, robots.txt and HTML among it, is ErrNotFeed.
//  4. It walks the markup once through a window of fixed size, keeps the few elements that name pages,
//     passes over every other element with all it holds, and hands each entry to the caller as soon as
//     the entry is complete.
//
// Foreign and Incremental answer the two questions a caller has about an entry before queueing it: may
// this list speak for that host, and has the page changed since it was last seen?
//
// What it must never do: fetch or follow anything, resolve a reference, decide whether a URL may be
// fetched, expand an entity that a document declares, hold a whole document in memory, or drop an entry
// without a trace. What is left out is counted in Result.OverLimit or Result.Findings.
//
// Bounds: Options limits the octets of every layer, their ratio, the entries and their length. Memory is
// one window, whatever the document. Work is linear in the octets read.
//
// Clauses: sitemaps.org protocol 0.9 (and 0.84), the news and hreflang extensions, W3C date and time
// formats, RSS 0.9x, 1.0 and 2.0, Atom 0.3 and RFC 4287, XML 1.0 and its namespaces, RFC 7303 on charset,
// RFC 822 dates, RFC 2483 comments in text lists.
//
// Traps: entries are handed out before the end of the document is known, so an error from Read does not
// take back what came before it. Broken nesting is repaired and noted, because most sitemaps with such a
// fault still name their pages rightly; a URL that was cut off by the end of the document is dropped,
// because half a URL is another URL. Alternates come before the page that names them, and one that is
// the page itself is not repeated. Images, videos, enclosures and the links of a feed as a whole are no
// entries.
package feed
