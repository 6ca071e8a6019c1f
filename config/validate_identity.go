package config

import (
	"fmt"
	"net/mail"
	"net/url"
	"strings"
)

const (
	maxContactBytes   = 256
	maxUserAgentBytes = 256
	maxTokenBytes     = 64
)

// NeedContact tells a command that fetches whether it may: without somebody to
// turn to, no site should have to serve us. Its error is an [*Error].
func (c Config) NeedContact() error {
	if c.Contact != "" {
		return nil
	}
	return bad("contact", "", "is missing: a site that is unhappy with the crawl must be able to reach whoever runs it",
		"give --contact, HEED_CONTACT or contact: with a URL or mailto: address")
}

func (c Config) checkIdentity() *Error {
	if c.Contact != "" {
		if problem := contactProblem(c.Contact); problem != "" {
			// Not repeated: a contact with a password must not end in a log.
			return bad("contact", "", problem, "use https://example.org/bot or mailto:name@example.org")
		}
	}
	// RFC 9309 2.2.1: a product token has letters, dashes and underscores.
	if c.Token == "" || len(c.Token) > maxTokenBytes || strings.Trim(c.Token, letters+"-_") != "" {
		return bad("token", c.Token, "is not a product token",
			fmt.Sprintf("use 1 to %d letters, dashes and underscores", maxTokenBytes))
	}
	if c.UserAgent != "" {
		if problem := c.userAgentProblem(); problem != "" {
			return bad("user_agent", c.UserAgent, problem, "use one like "+c.Token+"/1.0 (+https://example.org/bot)")
		}
	}
	if strings.Trim(c.AcceptLanguage, letters+digits+"-*,;=. ") != "" || len(c.AcceptLanguage) > maxUserAgentBytes {
		return bad("accept_language", c.AcceptLanguage, "is not a list of languages", "use one like de, en;q=0.5")
	}
	return nil
}

// contactProblem says why s cannot stand in a User-Agent comment, or "".
func contactProblem(s string) string {
	if len(s) > maxContactBytes {
		return fmt.Sprintf("is longer than %d octets", maxContactBytes)
	}
	for _, c := range []byte(s) {
		// Parentheses and backslashes would end or escape the comment, RFC 9110 5.6.5.
		if c <= ' ' || c >= 0x7f || c == '(' || c == ')' || c == '\\' {
			return "contains a blank, a bracket or something outside ASCII"
		}
	}
	if address, ok := strings.CutPrefix(s, "mailto:"); ok {
		if parsed, err := mail.ParseAddress(address); err != nil || parsed.Address != address {
			return "is not one mail address"
		}
		return ""
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "":
		return "is neither a web page nor a mailto: address"
	case u.User != nil:
		return "contains a user name or password"
	}
	return ""
}

// browserMarks occur in the user agents of browsers, which heed never imitates.
var browserMarks = []string{"mozilla/", "applewebkit/", "gecko/", "chrome/", "safari/", "firefox/", "trident/"}

func (c Config) userAgentProblem() string {
	if len(c.UserAgent) > maxUserAgentBytes {
		return fmt.Sprintf("is longer than %d octets", maxUserAgentBytes)
	}
	for _, b := range []byte(c.UserAgent) {
		if b < ' ' || b >= 0x7f {
			return "contains something outside printable ASCII"
		}
	}
	lower := strings.ToLower(c.UserAgent)
	for _, mark := range browserMarks {
		if strings.Contains(lower, mark) {
			return "looks like a browser"
		}
	}
	// RFC 9309 2.2.1: the token is part of the identification that is sent.
	if !strings.Contains(lower, strings.ToLower(c.Token)) {
		return "does not contain the token " + c.Token
	}
	return ""
}
