package main_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScript plays testdata/script. Besides the commands of testscript there are
//
//	heed CODE ARG...       run heed, which must end with this exit code
//	json PATH VALUE        the last standard output is one JSON object with this
//	                       value there; dots go into members and elements,
//	                       * is any value but null, ! on the line: something else
//	keys PATH NAME...      these are the members of the object there ("." is all of it)
//	asked N HOST TARGET    the servers were asked for it so often
//	conditional HOST TARGET  the last request for it carried If-None-Match
//	await N HOST TARGET    wait until they were
//
// The files below sites/HOST are what the host answers with, "index.html" for a
// folder. sites/HOST/_answers holds lines TARGET STATUS [| Name: value]... for
// other answers, "hang" as STATUS for none before the connection ends, "file" for
// the file with further fields.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			tb := env.T().(testing.TB)
			f := newFarm(tb, siteFiles(filepath.Join(env.WorkDir, "sites")))
			env.Values[farmKey{}] = f
			data := filepath.Join(env.WorkDir, "data")
			for _, v := range f.environ(data) {
				name, value, _ := strings.Cut(v, "=")
				env.Setenv(name, value)
			}
			env.Setenv("PATH", filepath.Dir(heed)+string(os.PathListSeparator)+os.Getenv("PATH"))
			env.Setenv("CA", f.caFile)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"heed": scriptHeed, "json": scriptJSON, "keys": scriptKeys, "asked": scriptAsked, "conditional": scriptConditional, "await": scriptAwait,
		},
	})
}

type farmKey struct{}

func scriptHeed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: heed CODE ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(heed, args[1:]...)
	got := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	default:
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("heed %s: exit %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

func scriptJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: json PATH VALUE")
	}
	got, ok := lookUp(parsedStdout(ts), args[0])
	text := fmt.Sprint(got)
	match := ok && (text == args[1] || args[1] == "*" && got != nil)
	if match == neg {
		ts.Fatalf("%s is %s (present: %v)", args[0], text, ok)
	}
}

func scriptKeys(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: keys PATH NAME...")
	}
	v := parsedStdout(ts)
	if args[0] != "." {
		v, _ = lookUp(v, args[0])
	}
	object, _ := v.(map[string]any)
	for _, name := range args[1:] {
		if _, ok := object[name]; !ok {
			ts.Fatalf("%s has no member %s, only %v", args[0], name, slices.Sorted(maps.Keys(object)))
		}
	}
}

func parsedStdout(ts *testscript.TestScript) any {
	var v any
	d := json.NewDecoder(strings.NewReader(ts.ReadFile("stdout")))
	d.UseNumber()
	ts.Check(d.Decode(&v))
	if d.More() {
		ts.Fatalf("standard output holds more than one JSON value")
	}
	return v
}

// lookUp follows a dotted path. Names with dots are found by the longest match.
func lookUp(v any, p string) (any, bool) {
	if p == "" {
		return v, true
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Backward(slices.Sorted(maps.Keys(v))) {
			if rest, ok := strings.CutPrefix(p, name); ok && (rest == "" || rest[0] == '.') {
				return lookUp(v[name], strings.TrimPrefix(rest, "."))
			}
		}
	case []any:
		index, rest, _ := strings.Cut(p, ".")
		if n, err := strconv.Atoi(index); err == nil && n >= 0 && n < len(v) {
			return lookUp(v[n], rest)
		}
	}
	return nil, false
}

func scriptAsked(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: asked N HOST TARGET")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := ts.Value(farmKey{}).(*farm).count(args[1], args[2]); (got == want) == neg {
		ts.Fatalf("%s%s was asked for %d times", args[1], args[2], got)
	}
}

func scriptConditional(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: conditional HOST TARGET")
	}
	var last request
	for _, r := range ts.Value(farmKey{}).(*farm).log() {
		if asked(args[0], args[1])(r) {
			last = r
		}
	}
	if (last.IfNoneMatch != "") == neg {
		ts.Fatalf("%s%s was asked for last with If-None-Match %q", args[0], args[1], last.IfNoneMatch)
	}
}

func scriptAwait(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: await N HOST TARGET")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := ts.Value(farmKey{}).(*farm).wait(n, asked(args[1], args[2])); got < n {
		ts.Fatalf("%s%s was asked for %d times within %s", args[1], args[2], got, patience)
	}
}

// siteFiles serves the files of a script, read at every request, so that a
// script can change them.
func siteFiles(root string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := strings.Cut(r.Host, ":")
		folder := filepath.Join(root, host)
		if text, err := os.ReadFile(filepath.Join(folder, "_answers")); err == nil && answered(w, r, string(text)) {
			return
		}
		name := filepath.Join(folder, filepath.FromSlash(path.Clean("/"+r.URL.Path)))
		if strings.HasSuffix(r.URL.Path, "/") {
			name = filepath.Join(name, "index.html")
		}
		body, err := os.ReadFile(name)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		kind := mime.TypeByExtension(path.Ext(name))
		switch path.Ext(name) {
		case ".md":
			kind = "text/markdown; charset=utf-8"
		case "":
			kind = "text/html; charset=utf-8"
		}
		if w.Header().Get("Content-Type") == "" {
			w.Header().Set("Content-Type", kind)
		}
		w.Header().Set("ETag", fmt.Sprintf("%q", digestOf(string(body))[:16]))
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(body)))
	})
}

// answered gives the answer that a line of _answers prescribes, if one does.
func answered(w http.ResponseWriter, r *http.Request, lines string) bool {
	for line := range strings.Lines(lines) {
		parts := strings.Split(strings.TrimSpace(line), " | ")
		target, status, _ := strings.Cut(parts[0], " ")
		if target != r.RequestURI {
			continue
		}
		if status == "hang" {
			<-r.Context().Done()
			panic(http.ErrAbortHandler)
		}
		for _, field := range parts[1:] {
			name, value, _ := strings.Cut(field, ": ")
			w.Header().Add(name, value)
		}
		if status == "file" {
			return false
		}
		code, err := strconv.Atoi(status)
		if err != nil {
			code = http.StatusTeapot // a mistake in the script
		}
		w.WriteHeader(code)
		return true
	}
	return false
}
