package app

import (
	"fmt"
	"net/netip"
	"strings"

	"heed/crawler/fetch"
)

func (a *App) openFetch() error {
	c := a.config
	o := fetch.Options{UserAgent: a.userAgent(), From: mailAddress(c.Contact), CAFiles: c.CAFile, SpoolDir: a.folder.spool(),
		HTTP1Only: c.Archive == "warc", BodyBudgetBytes: c.Limits.Bodies.Bytes(), Clock: a.options.Clock,
		Limits: fetch.Limits{MaxBodyBytes: c.PageBytes(), MemoryBodyBytes: c.Limits.SpoolAbove.Bytes(), HeaderBytes: c.Limits.Headers.Bytes(),
			MaxRatio: c.Limits.Ratio, RatioFreeBytes: c.Limits.RatioAfter.Bytes(), Connect: c.Limits.Connect.Std(), Header: c.Limits.HeaderWait.Std(),
			Total: c.Timeout.Std(), MinRateBytes: c.Limits.MinRate.Bytes(), MinRateAfter: c.Limits.MinRateAfter.Std()}}
	for _, s := range c.Resolve {
		r, err := fetch.ParseResolve(s)
		if err != nil {
			return fmt.Errorf("%w: resolve: %w", ErrSetting, err)
		}
		o.Resolve = append(o.Resolve, r)
	}
	for _, s := range c.AllowAddress {
		p, err := netip.ParsePrefix(s)
		if err != nil {
			return fmt.Errorf("%w: allow-address %q: %w", ErrSetting, s, err)
		}
		o.AllowAddress = append(o.AllowAddress, p)
	}
	if c.Proxy != "" {
		p, err := fetch.ParseProxy(string(c.Proxy))
		if err != nil {
			return fmt.Errorf("%w: %w", ErrSetting, err)
		}
		o.Proxy = p
	}
	client, err := fetch.New(o)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrSetting, err)
	}
	a.client = client
	a.push("fetch", func() error { client.Close(); return nil })
	return nil
}

// userAgent is what the crawler calls itself (product token, version, contact).
func (a *App) userAgent() string {
	if a.config.UserAgent != "" {
		return a.config.UserAgent
	}
	ua := "heed/" + a.options.Version
	if a.config.Contact != "" {
		ua += " (+" + a.config.Contact + ")"
	}
	return ua
}

// mailAddress is the address of a mailto: contact, for the From field.
func mailAddress(contact string) string {
	address, ok := strings.CutPrefix(contact, "mailto:")
	if !ok {
		return ""
	}
	return address
}
