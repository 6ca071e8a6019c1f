package config

import "time"

const (
	kib Size = 1 << 10
	mib Size = 1 << 20
	gib Size = 1 << 30
)

// minDelay and maxPerHost are the politest common pace: what goes beyond needs
// an opened address range or an operator rule with a reason.
const (
	minDelay   = time.Second
	maxPerHost = 1
)

// Default returns the configuration that holds where no layer says otherwise.
// It is valid; only the contact is missing.
func Default() Config {
	return Config{
		Data:           "heed-data",
		Job:            "default",
		Purpose:        []string{"index", "answer"},
		Method:         "GET",
		Scope:          "host",
		Depth:          -1,
		Archive:        "warc",
		MinFree:        64 * mib,
		Limit:          50,
		Sort:           "next",
		Workers:        64,
		PerHost:        maxPerHost,
		PerAddress:     4,
		Delay:          Duration(minDelay),
		BackOff:        Duration(30 * time.Second),
		BackOffMax:     Duration(time.Hour),
		Unscored:       50,
		Timeout:        Duration(time.Minute),
		Retries:        3,
		MaxRedirects:   5,
		Token:          "heed",
		DeclarePurpose: "always",
		Sitemaps:       "auto",
		Context:        "auto",
		Mechanisms:     []string{"link", "well-known", "robots"},
		LogLevel:       "info",
		LogFormat:      "text",
		CommitWindow:   Duration(500 * time.Millisecond),
		Recrawl:        Recrawl{First: Duration(day), Min: Duration(time.Hour), Max: Duration(30 * day), Gone: Duration(90 * day)},
		Limits: Limits{
			ContextIndex:  512 * kib,
			ContextDetail: 4 * mib,
			Page:          16 * mib,
			Ratio:         200,
			RatioAfter:    mib,
			Headers:       64 * kib,
			Links:         5_000,
			URL:           2_048,
			Connect:       Duration(10 * time.Second),
			HeaderWait:    Duration(20 * time.Second),
			MinRate:       kib,
			MinRateAfter:  Duration(15 * time.Second),
			HostURLs:      1_000_000,
			Sitemap:       50 * mib, // this and the next: sitemaps.org protocol
			SitemapURLs:   50_000,
			SitemapDepth:  2,
			TrapRepeat:    4,
			PathQueries:   5_000,
			PathDates:     20_000,
			DomainHosts:   1_000,
			SameBody:      100,
			CrawlDelay:    Duration(time.Minute),
			Bodies:        256 * mib,
			SpoolAbove:    mib,
		},
	}
}
