package app

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"heed/config"
	"heed/crawler"
	"heed/frontier"
)

// jobState is what the job remembers between runs, as a note in its state.
type jobState struct {
	Version   int       `json:"version"`
	Pass      uint64    `json:"pass"`     // of the run under way, or of the last one
	Finished  bool      `json:"finished"` // the pass ran to its end
	Seeds     []string  `json:"seeds"`    // canonical, in the order given
	StartedAt time.Time `json:"started_at"`

	// Scope is what the links of the pass are judged by, scopeChanged if that changed
	// under way, "" in the state of older versions.
	Scope string `json:"scope,omitempty"`
	Whole bool   `json:"whole,omitempty"` // the pass asks for pages whole, for their links

	// URLRules are those of the first pass: the keys of the job were made by them.
	URLRules frontier.URLRuleOptions `json:"url_rules"`
}

const jobNote, jobVersion = "job", 1

// maxStoredSeeds bounds the list that scope and the question "were all seeds
// refused" need. A larger job has its scope from the first ones.
const maxStoredSeeds = 1_000_000

func (a *App) loadJob(ctx context.Context) error {
	text, err := a.engine.LoadNote(ctx, jobNote, "state")
	if err != nil {
		return fmt.Errorf("app: load job %s: %w", a.config.Job, err)
	}
	a.job = jobState{Version: jobVersion}
	if text == nil {
		return nil
	}
	if err := json.Unmarshal(text, &a.job); err != nil {
		return fmt.Errorf("app: load job %s: %w: %w", a.config.Job, frontier.ErrDamaged, err)
	}
	if a.job.Version != jobVersion {
		return fmt.Errorf("app: load job %s: %w: job note of version %d, this is %d", a.config.Job, frontier.ErrVersion, a.job.Version, jobVersion)
	}
	if behind := a.job.StartedAt.Sub(a.options.Clock()); behind > time.Second {
		a.options.Log.Warn("the clock is behind the last run: hosts wait until it has caught up, a day at most; set it right and run again",
			"job", a.config.Job, "last_run", a.job.StartedAt.UTC().Format(time.RFC3339), "behind", behind.Round(time.Second).String())
	}
	return nil
}

func (a *App) saveJob(ctx context.Context) error {
	text, err := json.Marshal(a.job)
	if err != nil {
		return fmt.Errorf("app: save job %s: %w", a.config.Job, err)
	}
	if err := a.engine.SaveNote(ctx, jobNote, "state", text); err != nil {
		return fmt.Errorf("app: save job %s: %w", a.config.Job, err)
	}
	return nil
}

// remember adds seeds to the job's list.
func (j *jobState) remember(seeds []crawler.Seed) {
	known := make(map[string]bool, len(j.Seeds))
	for _, s := range j.Seeds {
		known[s] = true
	}
	for _, s := range seeds {
		if !known[s.URL] && len(j.Seeds) < maxStoredSeeds {
			known[s.URL] = true
			j.Seeds = append(j.Seeds, s.URL)
		}
	}
}

// scopeChanged stands for the scope of a pass that had more than one.
const scopeChanged = "changed"

// beginPass begins a pass or goes on with the one under way. Links out of scope are
// not stored; so a pass under another scope than the last one asks for known pages
// whole: a 304 would not say again where they lead.
func (a *App) beginPass(newPass bool) {
	j, scope := &a.job, scopeText(a.config)
	changed := j.Scope != "" && j.Scope != scope
	if j.Pass > 0 && !j.Finished && !newPass {
		if changed {
			j.Scope = scopeChanged
		}
		return
	}
	j.Whole = changed && a.renews()
	if changed && !j.Whole {
		a.options.Log.Warn("the scope has changed: the links of pages that do not change are read again only by a new pass; add --refresh for one", "job", a.config.Job)
		scope = scopeChanged
	}
	j.Pass++
	j.Finished, j.StartedAt, j.Scope = false, a.options.Clock(), scope
}

// renews tells whether a pass asks for what is known. A job that keeps fresh makes
// no passes: each page is due in its own time.
func (a *App) renews() bool { return !a.config.KeepFresh || a.config.Refresh }

func scopeText(c config.Config) string {
	text, _ := json.Marshal([]any{c.Scope, c.Include, c.Exclude, c.Depth}) // cannot fail: texts and a number
	return string(text)
}

// rules are those by which the job's URLs are keyed.
func (a *App) rules() frontier.URLRuleOptions {
	if a.job.Pass > 0 {
		return a.job.URLRules
	}
	return wantedRules(a.config.URL)
}

func wantedRules(u config.URL) frontier.URLRuleOptions {
	return frontier.URLRuleOptions{DropTracking: u.DropTracking, DropParams: u.DropParams, DropSessions: u.DropSessionIDs, LowerPath: u.LowerPathHosts}
}

// keepRules refuses a pass under other rules for URLs than the first one: what was
// stored under its old spelling would be fetched again under a new one, and the old
// one never again.
func (a *App) keepRules() error {
	kept := a.rules()
	if !kept.Equal(wantedRules(a.config.URL)) {
		return fmt.Errorf("%w: url: job %s keeps the rules for URLs that it began with, %s; give them again, or begin another job with --job", ErrSetting, a.config.Job, shownRules(kept))
	}
	a.job.URLRules = kept
	return nil
}

func shownRules(o frontier.URLRuleOptions) string {
	text, err := json.Marshal(o)
	if err != nil || string(text) == "{}" {
		return "none"
	}
	return string(text)
}

// finishJob notes that the pass ran to its end.
func (a *App) finishJob(ctx context.Context) error {
	a.jobMu.Lock()
	defer a.jobMu.Unlock()
	a.job.Finished = true
	return a.saveJob(ctx)
}

// writeConfig keeps the job's configuration as it was started, for whoever looks
// at the folder later.
func (a *App) writeConfig() error {
	text, err := a.config.YAML()
	if err != nil {
		return fmt.Errorf("app: write config.yaml: %w", err)
	}
	if err := replaceFile(a.folder.config(), text); err != nil {
		return fmt.Errorf("app: write config.yaml: %w", err)
	}
	return nil
}

// replaceFile puts a whole file in place of an older one.
func replaceFile(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	return err
}

// scope is the job's scope around all its seeds.
func (a *App) scope() (*frontier.Scope, error) {
	c := a.config
	return frontier.NewScope(frontier.ScopeKind(c.Scope), slices.Clone(a.job.Seeds), c.Include, c.Exclude, c.Depth)
}
