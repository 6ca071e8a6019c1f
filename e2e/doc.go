// Package e2e holds the built commands against programs that share no code with
// them. It holds tests only, with the build tag e2e; make e2e runs them.
//
// heed crawls real documentation behind a real server, and what it kept is
// compared with what is on disk. In order:
//
//  1. find the folders of HTML that Debian's documentation packages installed
//     (postgresql-doc, cmake-doc, python3-doc; at least two), one host each;
//  2. give each host a robots.txt and an llms.txt of a real site. They are read
//     from ../shared/real beside the checkout; where that is absent, small files
//     of testdata take their place;
//  3. serve them with nginx on loopback over TLS with an own authority, with
//     brotli and gzip, entity tags and no freshness;
//  4. walk the links of the files, and match robots.txt, with code that shares
//     nothing with heed: the expected set of pages;
//  5. crawl with bin/heed: the pages in its index are exactly the expected ones,
//     and the server saw no request that robots.txt forbids;
//  6. crawl again: everything is answered with 304;
//  7. read every WARC record with the npm package warcio and recompute its
//     digests; run heed verify.
//
// heed-registry is used by public clients:
//
//   - openid-client goes through the OAuth flow and writes cards; ajv holds what is
//     served against the served schema, and cards that are spoilt on purpose;
//   - redocly lints the OpenAPI description;
//   - the conformance suite of the Model Context Protocol and its inspector ask the
//     tools;
//   - a domain is proven in a signed zone of knot, looked up through unbound.
//
// The npm packages and their versions are in .ci/run.
//
// What is missing is named in a skip. With E2E_STRICT=1 it is a failure instead.
//
// The package must never touch a network other than loopback, a file outside
// its temporary folder, or a process it did not start.
package e2e
