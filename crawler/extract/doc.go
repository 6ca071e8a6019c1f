// Package extract turns the bytes of a response into links and metadata.
//
// What it does, in order:
//
//  1. Parse decides from the media type whether the bytes are HTML at all; other types have no links.
//  2. It finds the encoding (byte order mark, Content-Type, meta prescan, UTF-8 check, detector) and
//     transcodes only what is not UTF-8 already.
//  3. It walks the tokens once, without a tree, and keeps what is worth keeping: link references,
//     page requisites, meta elements and link elements of the head. A tree is never built, so nesting
//     has no limit and cannot exhaust the stack.
//  4. It resolves the references against the document base through the caller's Resolver, because
//     base may stand anywhere in the document and the first one counts for all links.
//
// LinkHeader reads Link fields (RFC 8288) and MarkdownLinks reads the links of a context file. They
// stand beside Parse because all three answer the same question: which URLs does this response name?
//
// What it must never do: fetch, follow, decide whether a URL may be fetched, keep state between calls,
// or drop something without a trace. Every limit that is reached leaves a count or a finding.
//
// Clauses: HTML (prescan, base, srcset, shared declarative refresh), WHATWG URL (document encoding
// applies to the query only), RFC 8288, CommonMark 0.31 for references; LC-009, LC-010, LC-029,
// LC-137, LC-139 and LC-143 of the llm-context ledger.
//
// Traps: the tokenizer treats noscript, style and title as raw text in every namespace, so foreign
// content is tracked by hand, and it copies every name it is asked for, so names are read from the raw token; attribute slices live only until the next token; a page in a legacy
// encoding escapes its queries in that encoding but its paths in UTF-8.
package extract
