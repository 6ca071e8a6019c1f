package extract

import "fmt"

// Parse reads a response body, already decoded from its content codings, as the document that
// finalURL answered with. contentType is the field's value as received, empty if there was none.
//
// A body that is not HTML gives an empty page and no error. Errors are ErrDocumentURL and
// ErrTooManyTokens. The body is neither changed nor kept.
func Parse(body []byte, contentType, finalURL string, r Resolver, o Options) (*Page, error) {
	document, ok := r.Resolve(finalURL, "")
	if !ok || !isWeb(document) {
		return nil, fmt.Errorf("%w: %.200q", ErrDocumentURL, finalURL)
	}
	page := &Page{Base: withoutFragment(document)}
	essence, headerCharset := mediaType(contentType)
	isDocument, xhtml := isHTML(essence, body)
	if !isDocument {
		return page, nil
	}
	charset := sniffCharset(body, headerCharset)
	page.Charset = charset.name
	if charset.source == fromDetector {
		page.find(FindingCharsetDetected)
	}
	decoded, err := charset.decode(body)
	if err != nil {
		return nil, err
	}
	s := newScanner(decoded, xhtml, page, o.withDefaults())
	if err := s.run(); err != nil {
		return nil, err
	}
	s.finish(charset, r)
	return page, nil
}

// finish resolves what the scan collected, now that the base is known.
func (s *scanner) finish(charset label, r Resolver) {
	page := s.page
	if s.hasBase {
		// A base that is not the web's (data:, javascript:) leaves the document's own URL.
		if base, ok := r.Resolve(page.Base, s.base); ok && isWeb(base) {
			page.Base = withoutFragment(base)
		}
	}
	resolved := resolution{page: page, resolver: r, maxURL: s.options.MaxURLBytes, hasBase: s.hasBase}
	if charset.escapesQuery() {
		resolved.enc = charset.enc
	}
	page.Links = resolved.links(s.links)
	page.Requisites = resolved.links(s.requisites)
	page.ContextLinks = resolved.list(s.context)
	page.DescribedBy = resolved.list(s.describedBy)
	if s.canonical != "" {
		page.Canonical, _ = resolved.resolve(s.canonical) // a failure is counted among the links
	}
	if s.refresh != nil {
		if url, ok := resolved.resolve(s.refresh.URL); ok {
			page.Refresh = &Refresh{URL: url, Delay: s.refresh.Delay}
		}
	}
	if page.Language == "" {
		page.Language = s.pragmaLang
	}
	if page.LinksOverLimit = s.links.over; s.links.over > 0 {
		page.find(FindingLinksOverLimit)
	}
	if page.RequisitesOverLimit = s.requisites.over; s.requisites.over > 0 {
		page.find(FindingRequisitesOverLimit)
	}
}

// escapesQuery reports that queries are escaped in the document's encoding. UTF-16 and the
// replacement encoding have no encoder on the web: their queries are UTF-8 (WHATWG Encoding, output encoding).
func (l label) escapesQuery() bool {
	switch l.name {
	case "utf-16be", "utf-16le", "replacement":
		return false
	}
	return l.enc != nil
}
