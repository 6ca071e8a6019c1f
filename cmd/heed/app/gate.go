package app

import (
	"errors"
	"fmt"

	"github.com/oklog/ulid/v2"

	"heed/crawler"
	"heed/politeness"
	"heed/politeness/standards"
)

// libraryDocuments is how many policy documents stay parsed in memory, times two.
const libraryDocuments = 4096

func (a *App) openGate() error {
	rules, hosts := operatorRules(a.config), actHosts(a.config)
	if err := errors.Join(standards.Validate(rules), standards.ValidateActHosts(hosts)); err != nil {
		return fmt.Errorf("%w: %w", ErrSetting, err)
	}
	o := standards.Options{Token: a.config.Token, Operator: rules, ActHosts: hosts, MaxCrawlDelay: a.config.Limits.CrawlDelay.Std(), Disagreements: &a.second,
		NoDeclaration: a.config.DeclarePurpose == string(crawler.DeclareNever)}
	if a.cards != nil {
		s := a.cards.sources()
		o.Card, o.Registry = s[0], s[1]
	}
	sources := standards.All(o)
	for _, s := range loosened(a.config) {
		a.options.Log.Warn("the operator loosens: " + s)
	}
	a.gate = politeness.NewGate(sources, politeness.NewLibrary(a.engine, libraryDocuments), newID)
	return nil
}

// newID makes ids that sort by time.
func newID() string { return ulid.Make().String() }
