package settings

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"heed/config"
)

// maxNesting bounds brackets that are open at one time, and blanks or dashes at
// the start of a line: the parser recurses, and settings have one level.
const maxNesting = 64

// file applies one YAML text: a mapping of keys to a word or a list of words.
func (l *loader) file(name string, text []byte) error {
	fail := func(tk *token.Token, key, value, problem, remedy string) error {
		return place(name, text, tk).fail(key, value, problem, remedy)
	}
	if tooDeep(text) {
		return fail(nil, "", "", "is nested too deeply to be settings", "")
	}
	tree, err := parse(text)
	if err != nil {
		var at yaml.Error
		if errors.As(err, &at) {
			return fail(at.GetToken(), "", "", at.GetMessage(), "")
		}
		return fail(nil, "", "", "is not YAML: "+err.Error(), "")
	}
	var body ast.Node
	for _, document := range tree.Docs {
		switch {
		case document.Body == nil:
		case body != nil:
			return fail(document.Body.GetToken(), "", "", "is a second document", "keep one")
		default:
			body = document.Body
		}
	}
	if body == nil {
		return nil
	}
	mapping, ok := body.(ast.MapNode)
	if !ok {
		return fail(body.GetToken(), "", "", "is not a mapping", "write lines of the form key: value")
	}
	for each := mapping.MapRange(); each.Next(); {
		key, ok := word(each.Key())
		if !ok {
			return fail(each.Key().GetToken(), "", "", "is not a plain key", "")
		}
		if _, known := fieldOf(key); !known {
			return fail(each.Key().GetToken(), key, "", "is not a key", "known are "+strings.Join(Keys(), ", "))
		}
		values, ok := words(each.Value(), l.isList(key))
		if !ok {
			return fail(each.Value().GetToken(), key, "", "has no such form", "write one word, or for a list one word behind each dash")
		}
		if err := l.set(key, values, place(name, text, each.Value().GetToken())); err != nil {
			return err
		}
	}
	return nil
}

// parse keeps a fault of the parser from ending the program: to the operator it
// is one more text that cannot be read.
func parse(text []byte) (tree *ast.File, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			tree, err = nil, fmt.Errorf("settings: the YAML parser failed: %v", fault)
		}
	}()
	return parser.ParseBytes(text, 0)
}

// word returns the text of a scalar. Numbers and switches keep the spelling of
// the file. Anchors, aliases and tags are none.
func word(node ast.Node) (string, bool) {
	switch node := node.(type) {
	case *ast.StringNode:
		return node.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return node.GetToken().Value, true
	}
	return "", false
}

func words(node ast.Node, list bool) ([]string, bool) {
	sequence, ok := node.(*ast.SequenceNode)
	if !ok {
		one, ok := word(node)
		return []string{one}, ok
	}
	values := make([]string, 0, len(sequence.Values))
	for _, item := range sequence.Values {
		one, ok := word(item)
		if !ok {
			return nil, false
		}
		values = append(values, one)
	}
	return values, list
}

// place names line and column, with the line below.
func place(name string, text []byte, tk *token.Token) origin {
	if tk == nil || tk.Position == nil {
		return origin{where: name}
	}
	line, column := tk.Position.Line, tk.Position.Column
	at := origin{where: fmt.Sprintf("%s:%d:%d", name, line, column)}
	if lines := strings.Split(string(text), "\n"); line >= 1 && line <= len(lines) {
		head := fmt.Sprintf("  %d | ", line)
		shown := strings.TrimRight(strings.ReplaceAll(lines[line-1], "\t", " "), "\r")
		if len(shown) <= 120 && column >= 1 && column <= len(shown)+1 {
			at.excerpt = head + shown + "\n" + strings.Repeat(" ", len(head)+column-1) + "^"
		}
	}
	return at
}

func tooDeep(text []byte) bool {
	open, lead, indent := 0, 0, true
	for _, c := range text {
		switch {
		case c == '[' || c == '{':
			open, indent = open+1, false
		case c == ']' || c == '}':
			open, indent = max(open-1, 0), false
		case c == '\n':
			lead, indent = 0, true
		case indent && (c == ' ' || c == '-' || c == '?'):
			lead++
		default:
			indent = false
		}
		if open > maxNesting || lead > maxNesting {
			return true
		}
	}
	return false
}

// YAML writes every key with its value, so that [Load] of the text gives s
// again.
func (s Settings) YAML() ([]byte, error) {
	text, err := yaml.MarshalWithOptions(s, yaml.IndentSequence(true))
	if err != nil {
		return nil, &config.Error{Problem: "cannot be written as YAML", Err: err}
	}
	return text, nil
}
