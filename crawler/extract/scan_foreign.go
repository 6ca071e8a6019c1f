package extract

// foreignTag handles a start tag in SVG or MathML, where self-closing counts and raw text does not exist.
func (s *scanner) foreignTag(t tag, selfClosing bool) {
	s.tokens.NextIsNotRawText()
	if !selfClosing && (t == tagIntegration || t == tagTitle) {
		s.foreign.push(t)
		s.cdata()
	}
	s.enterForeign(t, selfClosing)
	if s.templates > 0 || t != tagA && t != tagImage && t != tagScript {
		return
	}
	s.attrs.read(s.tokens)
	target := s.attrs[attrHref]
	if target == nil {
		target = s.attrs[attrXlinkHref]
	}
	switch t {
	case tagA:
		s.links.add(target, KindAnchor, hasToken(s.attrs[attrRel], "nofollow"))
	case tagImage:
		s.requisites.add(target, KindImage, false)
	case tagScript:
		s.requisites.add(target, KindScript, false)
	}
}

func (s *scanner) enterForeign(t tag, selfClosing bool) {
	if (t == tagSVG || t == tagMath) && !selfClosing {
		s.foreign.push(t)
		s.cdata()
	}
}

// cdata keeps the tokenizer's view of CDATA sections in step with the namespace.
func (s *scanner) cdata() { s.tokens.AllowCDATA(s.xhtml || s.foreign.active()) }
