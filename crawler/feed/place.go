package feed

// place is an element the reader cares for, by where it stands. All others are passed over with all they
// hold, so how deep a document nests costs nothing.
type place uint8

const (
	placeNone place = iota

	// Roots.
	placeURLSet
	placeIndex
	placeRSS
	placeRDF
	placeAtom
	// Containers.
	placeChannel
	placeURL   // an entry of a sitemap
	placeChild // an entry of an index
	placeNews
	placeItem  // an entry of RSS
	placeEntry // an entry of Atom
	// Elements that matter for their attributes.
	placeAlternate
	placeAtomLink
	// Elements that matter for their text.
	placeLoc // also the link of RSS
	placeGUID
	placeModified
	placePublished
	placeChangeFreq
	placePriority
)

func (p place) isText() bool { return p >= placeLoc }

// rootPlace knows the root elements, and with them the formats.
func rootPlace(local string) (place, Format, vocabulary) {
	switch local {
	case "urlset":
		return placeURLSet, FormatSitemap, vocabularySitemap
	case "sitemapindex":
		return placeIndex, FormatIndex, vocabularySitemap
	case "rss":
		return placeRSS, FormatRSS, vocabularyRSS
	case "rdf":
		return placeRDF, FormatRDF, vocabularyRDF
	case "feed":
		return placeAtom, FormatAtom, vocabularyAtom
	}
	return placeNone, FormatUnknown, vocabularyOther
}

// childPlace knows what may stand where. local is in lower case.
func childPlace(parent place, v vocabulary, local string) place {
	switch parent {
	case placeURLSet, placeIndex:
		return inSitemap(v, local)
	case placeURL, placeChild:
		return inSitemapEntry(parent, v, local)
	case placeNews:
		if v == vocabularyNews && local == "publication_date" {
			return placePublished
		}
	case placeRSS, placeRDF, placeChannel:
		return inChannel(parent, v, local)
	case placeItem:
		return inItem(v, local)
	case placeAtom:
		if ownOf(v, vocabularyAtom) && local == "entry" {
			return placeEntry
		}
	case placeEntry:
		if ownOf(v, vocabularyAtom) {
			return inEntry(local)
		}
	}
	return placeNone
}

// ownOf tells whether a vocabulary counts as the document's own: the one its format has, the one its
// root element is in, or none.
func ownOf(v, format vocabulary) bool {
	return v == format || v == vocabularyRoot || v == vocabularyNone
}

func inSitemap(v vocabulary, local string) place {
	if ownOf(v, vocabularySitemap) {
		switch local {
		case "url":
			return placeURL
		case "sitemap":
			return placeChild
		}
	}
	return placeNone
}

func inSitemapEntry(parent place, v vocabulary, local string) place {
	switch {
	case ownOf(v, vocabularySitemap):
		switch local {
		case "loc":
			return placeLoc
		case "lastmod":
			return placeModified
		case "changefreq":
			return placeChangeFreq
		case "priority":
			return placePriority
		}
	case parent == placeURL && v == vocabularyNews && local == "news":
		return placeNews
	case parent == placeURL && v == vocabularyXHTML && local == "link":
		return placeAlternate
	}
	return placeNone
}

// inChannel covers that RSS 1.0 has its items beside the channel, and some RSS 2.0 too.
func inChannel(parent place, v vocabulary, local string) place {
	if ownOf(v, vocabularyRSS) {
		switch {
		case local == "item":
			return placeItem
		case local == "channel" && parent != placeChannel:
			return placeChannel
		}
	}
	return placeNone
}

func inItem(v vocabulary, local string) place {
	switch {
	case ownOf(v, vocabularyRSS):
		switch local {
		case "link":
			return placeLoc
		case "guid":
			return placeGUID
		case "pubdate":
			return placePublished
		}
	case v == vocabularyDublinCore:
		switch local {
		case "date", "created", "issued":
			return placePublished
		case "modified":
			return placeModified
		}
	case v == vocabularyAtom:
		return inEntry(local)
	}
	return placeNone
}

func inEntry(local string) place {
	switch local {
	case "link":
		return placeAtomLink
	case "updated", "modified":
		return placeModified
	case "published", "issued", "created":
		return placePublished
	}
	return placeNone
}
