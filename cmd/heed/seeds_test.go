package main_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func homePage(host string) func(request) bool {
	return func(r request) bool { return r.Host == host && r.Target == "/" && r.Status == 200 }
}

func TestSeedsAreTakenUpByARunningCrawl(t *testing.T) {
	c := startCrawl(t, t.TempDir())
	var answer struct{ Given, Added int }
	c.ask(t, 0, "seeds", "add", "h03.test", "h01.test", "--json").json(t, &answer)
	if answer.Given != 2 || answer.Added != 1 {
		t.Errorf("answer %+v", answer)
	}
	c.await(t, 1, homePage("h03.test"))
	// Links of the new host are in scope, too.
	c.await(t, 3, func(r request) bool { return r.Host == "h03.test" && r.Status == 200 })
	c.ask(t, 2, "seeds", "add")
	c.ask(t, 2, "seeds", "add", "no seed")
	c.ask(t, 0, "stop")
	c.expect(t, 11)
}

func TestAFileInTheInboxIsReadOnceAndMovedAway(t *testing.T) {
	c := startCrawl(t, t.TempDir())
	inbox := filepath.Join(c.data, "jobs", "default", "inbox")
	for name, text := range map[string]string{"more.txt": "# seeds\nno seed\nh03.test\t90\n", "half.part": "h01.test/half\n"} {
		path := filepath.Join(inbox, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		past := time.Now().Add(-time.Minute)
		if err := os.Chtimes(path, past, past); err != nil {
			t.Fatal(err)
		}
	}
	c.await(t, 1, homePage("h03.test"))
	c.ask(t, 0, "stop")
	c.expect(t, 11)
	if _, err := os.Stat(filepath.Join(inbox, "done", "more.txt")); err != nil {
		t.Error(err)
	}
	if n := c.count("h01.test", "/half"); n != 0 {
		t.Error("a file that is still being written was read")
	}
}

func TestSeedsWaitForTheNextCrawl(t *testing.T) {
	f := newFarm(t, &politeSites{hosts: 2, pages: 2})
	data := t.TempDir()
	start(t, f.environ(data), "seeds", "add", "h01.test").expect(t, 0)
	inbox := filepath.Join(data, "jobs", "default", "inbox")
	path := filepath.Join(inbox, "before")
	if err := os.WriteFile(path, []byte("h02.test\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	past := time.Now().Add(-time.Minute)
	if err := os.Chtimes(path, past, past); err != nil {
		t.Fatal(err)
	}
	start(t, f.environ(data), "crawl", "--json", "--delay", "0s").expect(t, 0)
	for _, host := range []string{"h01.test", "h02.test"} {
		if n := f.count(host, "/"); n != 1 {
			t.Errorf("%s/ was asked for %d times", host, n)
		}
	}
	if _, err := os.Stat(filepath.Join(inbox, "done", "before")); err != nil {
		t.Error(err)
	}
}
