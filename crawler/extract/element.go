package extract

// element keeps what one start tag of the HTML namespace says; its attributes have been read.
func (s *scanner) element(t tag) {
	a := &s.attrs
	switch t {
	case tagA:
		s.links.add(a[attrHref], KindAnchor, hasToken(a[attrRel], "nofollow"))
	case tagArea:
		s.links.add(a[attrHref], KindArea, hasToken(a[attrRel], "nofollow"))
	case tagFrame:
		s.links.add(a[attrSrc], KindFrame, false)
	case tagBase:
		s.baseElement()
	case tagHTML:
		if s.page.Language == "" {
			s.page.Language = language(a[attrLang])
		}
	case tagMeta:
		s.metaElement()
	case tagLink:
		s.linkElement()
	case tagImg:
		s.requisites.add(a[attrSrc], KindImage, false)
		s.srcset()
	case tagScript:
		s.requisites.add(a[attrSrc], KindScript, false)
	case tagInput:
		if equalLower(a[attrType], "image") {
			s.requisites.add(a[attrSrc], KindImage, false)
		}
	case tagVideo, tagAudio, tagEmbed, tagTrack:
		s.requisites.add(a[attrSrc], KindMedia, false)
		s.requisites.add(a[attrPoster], KindImage, false)
	case tagSource:
		s.requisites.add(a[attrSrc], KindMedia, false)
		s.srcset()
	case tagObject:
		s.requisites.add(a[attrData], KindMedia, false)
	}
}

func (s *scanner) srcset() {
	eachSrcset(s.attrs[attrSrcset], func(url []byte) { s.requisites.add(url, KindImage, false) })
}

// baseElement freezes the base: the first base element with a href counts, wherever it stands and
// whether or not it resolves (HTML 4.2.3).
func (s *scanner) baseElement() {
	if href := s.attrs[attrHref]; href != nil && !s.hasBase {
		s.hasBase = true
		if href = trimURL(href); len(href) <= maxRawBytes {
			s.base = string(href)
		}
	}
}
