package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// examples gives each key a legal value that is not its default, as a flag
// would have it. Lists of mappings are in YAML flow style.
func examples() map[string]string {
	return map[string]string{
		"data": "elsewhere", "job": "weekly", "seeds": "seeds.txt", "purpose": "train", "mode": "on-demand",
		"method": "HEAD", "scope": "domain", "include": "a+", "exclude": "b+", "depth": "3", "archive": "none",
		"out": "page.html", "refresh": "true", "strict": "true", "keep": "true", "home": "true", "sample": "3", "envelope": "true", "verify": "true", "body": "hello", "content_type": "text/plain",
		"max_pages": "10", "time_limit": "2d", "size_limit": "1GB", "min_free": "1GiB", "patience": "7s",
		"workers": "8", "per_host": "2", "per_address": "9", "delay": "3s", "back_off": "40s", "back_off_max": "2h",
		"unscored": "40", "max_body": "1MiB", "timeout": "30s", "retries": "1", "max_redirects": "2",
		"contact": "mailto:bot@example.org", "user_agent": "heed-test/1.0", "token": "heed-test",
		"resolve": "a.test:443:127.0.0.1", "proxy": "http://proxy.test:3128", "allow_address": "127.0.0.0/8", "ca_file": "ca.pem", "registry": "https://registry.test", "now_offset": "1h",
		"context": "only", "mechanisms": "robots", "accept_language": "de", "fallback_llms_txt": "true",
		"context_min_interval": "10m", "context_pairs": "[{from: 'https://a.test', to: 'https://b.test'}]",
		"json": "true", "log_level": "debug", "log_format": "json", "declare_purpose": "never", "commit_window": "50ms",
		"limits.context_index": "1MiB", "limits.context_detail": "1MiB", "limits.page": "1MiB",
		"limits.ratio": "100", "limits.ratio_after": "2MiB", "limits.headers": "32KiB", "limits.links": "100",
		"limits.url": "1024", "limits.connect": "3s", "limits.header_wait": "4s", "limits.min_rate": "2KiB",
		"limits.min_rate_after": "5s", "limits.host_urls": "1000", "limits.domain_urls": "2000", "limits.job_urls": "3000", "limits.trap_repeat": "5", "sitemaps": "off", "once": "true", "keep_fresh": "true",
		"limits.path_queries": "10", "limits.path_dates": "11", "limits.domain_hosts": "12", "limits.same_body": "13",
		"budget.host_pages": "10", "budget.host_bytes": "1GiB", "budget.domain_pages": "50", "budget.domain_bytes": "5GiB", "budget.job_pages": "100", "budget.job_bytes": "10GiB",
		"requisites": "true", "types": "text/html", "max_rate": "100KiB", "limit": "20", "sort": "name",
		"url.drop_tracking": "true", "url.drop_params": "ref", "url.drop_session_ids": "true", "url.lower_path_hosts": "*.shop.test",
		"recrawl.first": "2d", "recrawl.min": "2h", "recrawl.max": "20d", "recrawl.gone": "40d",
		"limits.sitemap": "1MiB", "limits.sitemap_urls": "100", "limits.sitemap_depth": "1",
		"limits.crawl_delay": "2m", "limits.bodies": "128MiB", "limits.spool_above": "512KiB",
		"rules":     "[{host: a.test, deny: true}]",
		"silent":    "[{purpose: train, because: ours, since: 2026-11-30}]",
		"act.hosts": "[{host: a.test, because: ours, since: 2026-11-30}]",
	}
}

// asYAML nests value under the key. A text is quoted, so that it stays one.
func asYAML(key, value string) string {
	if !strings.HasPrefix(value, "[") {
		value = "'" + value + "'"
	}
	outer, inner, nested := strings.Cut(key, ".")
	if nested {
		return outer + ":\n  " + inner + ": " + value + "\n"
	}
	return outer + ": " + value + "\n"
}

func TestEveryKeyIsReachableFromAllThreeLayers(t *testing.T) {
	values := examples()
	for _, f := range fields() {
		value, ok := values[f.key]
		if !ok {
			t.Errorf("no example for the key %s: add one", f.key)
			continue
		}
		delete(values, f.key)
		t.Run(f.key, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "heed.yaml")
			if err := os.WriteFile(path, []byte(asYAML(f.key, value)), 0o600); err != nil {
				t.Fatal(err)
			}
			var before any
			for layer, from := range map[string]Sources{
				"file":        {File: path},
				"environment": {Environ: []string{f.env() + "=" + value}},
				"flag":        {Flags: []Setting{{Key: f.key, Values: []string{value}}}},
			} {
				// The token belongs in the user agent, whichever comes first.
				if f.key == "token" {
					from.Flags = append(from.Flags, Setting{Key: "user_agent", Values: []string{"heed-test"}})
				}
				// Only tests move the clock, and they open a range.
				if f.key == "now_offset" {
					from.Flags = append(from.Flags, Setting{Key: "allow_address", Values: []string{"127.0.0.0/8"}})
				}
				c, err := Load(from)
				if err != nil {
					t.Fatalf("%s: %v", layer, err)
				}
				got := reflect.ValueOf(c).FieldByIndex(f.index).Interface()
				if reflect.DeepEqual(got, reflect.ValueOf(Default()).FieldByIndex(f.index).Interface()) {
					t.Errorf("%s: the value is still the default", layer)
				}
				if before != nil && !reflect.DeepEqual(got, before) {
					t.Errorf("%s: %v, another layer gave %v", layer, got, before)
				}
				before = got
			}
		})
	}
	for key := range values {
		t.Errorf("an example for %s, which is no key", key)
	}
}

func TestNoTwoKeysShareAVariable(t *testing.T) {
	seen := map[string]string{envFile: "the configuration file"}
	for _, f := range fields() {
		if other, ok := seen[f.env()]; ok {
			t.Errorf("%s belongs to %s and to %s", f.env(), other, f.key)
		}
		seen[f.env()] = f.key
	}
}

func TestEveryFieldHasAKeyOfLowerCaseWords(t *testing.T) {
	for _, key := range Keys() {
		if key == "" || strings.Trim(key, "abcdefghijklmnopqrstuvwxyz_.") != "" || strings.HasSuffix(key, ".") {
			t.Errorf("%q is not a key", key)
		}
	}
}

func TestAFlagOfTheCommandLineNamesTheFileBeforeTheEnvironment(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, workers := range map[string]string{"a.yaml": "3", "b.yaml": "4"} {
		if err := os.WriteFile(name, []byte("workers: "+workers), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		from Sources
		want int
	}{
		{"flag and environment", Sources{File: "a.yaml", Environ: []string{"HEED_CONFIG=b.yaml"}}, 3},
		{"environment alone", Sources{Environ: []string{"HEED_CONFIG=b.yaml"}}, 4},
		{"neither", Sources{}, 64},
	} {
		got, err := Load(c.from)
		if err != nil || got.Workers != c.want {
			t.Errorf("%s: workers %d, %v; want %d", c.name, got.Workers, err, c.want)
		}
	}
}

func TestAFileThatIsTooLongIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "heed.yaml")
	if err := os.WriteFile(path, []byte(strings.Repeat("#\n", maxFileBytes/2+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(Sources{File: path}); err == nil || !strings.Contains(err.Error(), "longer than 512KiB") {
		t.Errorf("Load: %v", err)
	}
}

func TestAPasswordInAContactIsNotRepeated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "heed.yaml")
	if err := os.WriteFile(path, []byte("contact: https://me:hunter2@example.org/\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Load(Sources{File: path})
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("Load: %v", err)
	}
}

func TestAMissingContactSaysWhyOneIsNeeded(t *testing.T) {
	err := Default().NeedContact()
	if err == nil || !strings.Contains(err.Error(), "must be able to reach") {
		t.Errorf("NeedContact: %v", err)
	}
	c := Default()
	c.Contact = "https://example.org/bot"
	if err := c.NeedContact(); err != nil {
		t.Errorf("NeedContact with a contact: %v", err)
	}
}
