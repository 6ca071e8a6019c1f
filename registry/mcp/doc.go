// Package mcp is the registry's door for Model Context Protocol hosts: two
// read-only tools at POST /mcp, and the note at /.well-known/mcp.json that says
// where they are (draft-mitchell-botcentral-card-00, "Model Context Protocol";
// BC-R-021 to BC-R-023, BC-R-909).
//
//  1. [New] builds the handler of POST /mcp: streamable HTTP without sessions,
//     so that every call stands alone and any number of processes can serve it.
//  2. A request that a browser sends for a foreign page is refused by its
//     Origin before the protocol sees it (DNS rebinding).
//  3. search_catalog and get_listed_site check their arguments against a schema
//     and hand them to a [Catalog]. What it answers is the result, as structured
//     content and as the same JSON in text: whoever reads over HTTP and whoever
//     calls a tool is told the same.
//  4. [Advert] is the document at /.well-known/mcp.json.
//
// What it must never do: offer a tool that writes, answer with anything the
// HTTP reads would not answer, keep a session, or hold state between calls.
package mcp
