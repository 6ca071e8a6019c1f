package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// mention is one test that carries an id.
type mention struct {
	file string // below the root, with slashes
	line int
	name string // as the test has it
}

// mentions are the tests of each id, in order of files and lines.
type mentions map[string][]mention

// maxDataBytes bounds a file of testdata that is looked into: longer ones are
// vectors in bulk, which carry no names.
const maxDataBytes = 4 << 20

// scanner collects mentions.
type scanner struct {
	found    mentions
	inText   *regexp.Regexp // LC-043, in a string
	inSymbol *regexp.Regexp // LC043, in the name of a function
}

// scan reads all tests below a folder.
func scan(root fs.FS) (mentions, error) {
	s := scanner{found: mentions{},
		inText:   regexp.MustCompile(`\b(?:AP|LC|BC-[CDPR])-[0-9]{3}\b`),
		inSymbol: regexp.MustCompile(`(AP|LC|BC[CDPR])([0-9]{3})`)}
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && skipped(name, d.Name()):
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		case strings.HasSuffix(name, "_test.go"):
			return s.code(root, name)
		case slices.Contains(strings.Split(name, "/"), "testdata"):
			return s.data(root, name)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("ledger: scan: %w", err)
	}
	return s.found, nil
}

// skipped are folders that hold no tests of the product: hidden ones, what was
// built, and the tools, this one among them.
func skipped(name, base string) bool {
	return strings.HasPrefix(base, ".") || name == "bin" || name == "tools"
}

// code looks at names in Go: test functions, and strings that are not the
// message of a failure.
func (s *scanner) code(root fs.FS, name string) error {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return err
	}
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if isTest(n.Name.Name) {
				for _, m := range s.inSymbol.FindAllStringSubmatch(n.Name.Name, -1) {
					area := m[1]
					if rest, ok := strings.CutPrefix(area, "BC"); ok {
						area = "BC-" + rest
					}
					s.add(area+"-"+m[2], mention{name, files.Position(n.Pos()).Line, n.Name.Name})
				}
			}
		case *ast.CallExpr:
			return !complains(n)
		case *ast.BasicLit:
			if value, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
				s.text(name, files.Position(n.Pos()).Line, value)
			}
		}
		return true
	})
	return nil
}

// isTest tells whether the test runner calls a function of this name.
func isTest(name string) bool {
	return slices.ContainsFunc([]string{"Test", "Fuzz", "Benchmark", "Example"}, func(p string) bool { return strings.HasPrefix(name, p) })
}

// complains tells whether a call reports a failure: t.Errorf and its like.
func complains(call *ast.CallExpr) bool {
	f, ok := call.Fun.(*ast.SelectorExpr)
	return ok && slices.Contains([]string{"Error", "Errorf", "Fatal", "Fatalf", "Log", "Logf", "Skip", "Skipf"}, f.Sel.Name)
}

// data looks at names in a file of testdata: its own, those of sections
// (`-- name --`), of comment lines (# name), and of cases in JSON Lines.
func (s *scanner) data(root fs.FS, name string) error {
	s.text(name, 0, path.Base(name))
	info, err := fs.Stat(root, name)
	if err != nil || info.Size() > maxDataBytes {
		return err
	}
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, maxDataBytes+1)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if !utf8.ValidString(line) {
			return nil // compressed, or a document that is wrong on purpose
		}
		if strings.HasPrefix(line, "-- ") || strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "{") && strings.HasSuffix(name, ".jsonl") {
			s.text(name, n, line)
		}
	}
	if err := lines.Err(); err != nil && !errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// text notes the ids in a name.
func (s *scanner) text(file string, line int, name string) {
	for _, id := range s.inText.FindAllString(name, -1) {
		s.add(id, mention{file, line, strings.TrimSpace(name)})
	}
}

func (s *scanner) add(id string, m mention) {
	if !slices.Contains(s.found[id], m) {
		s.found[id] = append(s.found[id], m)
	}
}
