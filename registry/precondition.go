package registry

import (
	"net/http"
	"strings"
)

// precondition holds If-Match and If-None-Match against what is there.
func (q *request) precondition(s *site) error {
	exists := s != nil && s.hasCard()
	quoted := ""
	if exists {
		quoted = s.etag.quoted()
	}
	if q.ifMatch != nil && (!exists || !matchesStrongly(q.ifMatch, quoted)) {
		return refuse(http.StatusPreconditionFailed, "precondition", "the card is not the one that If-Match names")
	}
	if q.ifNoneMatch != nil && exists {
		for _, field := range q.ifNoneMatch {
			if matchesETag(field, quoted) {
				return refuse(http.StatusPreconditionFailed, "precondition", "there is a card that If-None-Match excludes")
			}
		}
	}
	return nil
}

// matchesStrongly is the comparison of If-Match: a weak tag matches nothing
// (RFC 9110 13.1.1).
func matchesStrongly(fields []string, quoted string) bool {
	for _, field := range fields {
		for one := range strings.SplitSeq(field, ",") {
			if one = strings.TrimSpace(one); one == quoted || one == "*" {
				return true
			}
		}
	}
	return false
}
