package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// decoder walks the syntax tree of one YAML text and fills a Config, or a part
// of one. It decodes by itself, because every value has to pass the same
// setter as those of the other layers and has to keep its line and column.
type decoder struct {
	name    string // of the file, or of the variable or flag that holds the text
	text    []byte
	lines   []string // of text, for excerpts
	whole   bool     // the name alone is the place: no line, no column
	origins map[string]origin
}

func newDecoder(name string, text []byte) *decoder {
	return &decoder{name: name, text: text, lines: strings.Split(string(text), "\n"), origins: make(map[string]origin)}
}

// document reads the text, which holds at most one document, into dst.
func (d *decoder) document(dst reflect.Value, key string) *Error {
	if tooDeep(d.text) {
		return d.whereOnly("is nested too deeply to be a configuration")
	}
	file, err := parse(d.text)
	if err != nil {
		var at yaml.Error
		if errors.As(err, &at) {
			return d.fail(at.GetToken(), key, "", at.GetMessage(), "")
		}
		return d.whereOnly("is not YAML: " + shown(err.Error()))
	}
	var body ast.Node
	for _, doc := range file.Docs {
		switch {
		case doc.Body == nil:
		case body != nil:
			return d.fail(doc.Body.GetToken(), key, "", "is a second document", "keep one")
		default:
			body = doc.Body
		}
	}
	if body == nil {
		return nil
	}
	return d.value(body, dst, key)
}

// parse keeps a fault of the parser from ending the program: to the operator it
// is one more text that cannot be read.
func parse(text []byte) (file *ast.File, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			file, err = nil, fmt.Errorf("config: the YAML parser failed: %v", fault)
		}
	}()
	return parser.ParseBytes(text, 0)
}

// value reads node into dst, the place of key.
func (d *decoder) value(node ast.Node, dst reflect.Value, key string) *Error {
	tk := node.GetToken()
	switch node.(type) {
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode, *ast.MergeKeyNode, *ast.DirectiveNode:
		return d.fail(tk, key, "", "uses an anchor, an alias, a merge, a tag or a directive", "write the value out")
	case *ast.NullNode:
		return d.fail(tk, key, "", "has no value", "give one or leave the key out")
	}
	switch {
	case dst.Kind() == reflect.Slice:
		return d.sequence(node, dst, key)
	case isSection(dst.Type()):
		return d.mapping(node, dst, key)
	}
	text, ok := scalar(node)
	if !ok {
		return d.fail(tk, key, "", "is a list or a mapping where one value belongs", "")
	}
	d.origins[key] = d.origin(tk, text)
	if bad := setText(dst, text); bad != nil {
		return d.fail(tk, key, text, bad.problem, bad.remedy)
	}
	return nil
}

// mapping reads the keys of a section. The parser has refused those that occur
// twice.
func (d *decoder) mapping(node ast.Node, dst reflect.Value, key string) *Error {
	tree, ok := node.(ast.MapNode)
	if !ok {
		return d.fail(node.GetToken(), key, "", "is not a mapping", "write lines of the form key: value")
	}
	prefix := key
	if prefix != "" {
		d.origins[key] = d.origin(node.GetToken(), "")
		prefix += "."
	}
	for each := tree.MapRange(); each.Next(); {
		if each.Key().IsMergeKey() {
			return d.fail(each.Key().GetToken(), key, "", "uses a merge key", "write the keys out")
		}
		name, ok := scalar(each.Key())
		if !ok {
			return d.fail(each.Key().GetToken(), key, "", "has a key that is not a plain word", "")
		}
		at := fieldNamed(dst.Type(), name)
		if at < 0 {
			return d.fail(each.Key().GetToken(), key, name, "is not a key here", d.suggest(dst.Type(), prefix, name))
		}
		if err := d.value(each.Value(), dst.Field(at), prefix+name); err != nil {
			return err
		}
	}
	return nil
}

// sequence reads a list. One word alone is a list of one for strings.
func (d *decoder) sequence(node ast.Node, dst reflect.Value, key string) *Error {
	tk := node.GetToken()
	d.origins[key] = d.origin(tk, "")
	words := dst.Type().Elem().Kind() == reflect.String
	var list []string
	switch node := node.(type) {
	case *ast.SequenceNode:
		if !words {
			return d.records(node, dst, key)
		}
		for _, item := range node.Values {
			text, ok := scalar(item)
			if !ok {
				return d.fail(item.GetToken(), key, "", "holds something other than words", "")
			}
			list = append(list, text)
		}
	default:
		text, ok := scalar(node)
		if !ok || !words {
			return d.fail(tk, key, "", "is not a list", "begin each entry with a dash")
		}
		list = []string{text}
	}
	if bad := setWords(dst, list, isCommaKey(key)); bad != nil {
		return d.fail(tk, key, strings.Join(list, ","), bad.problem, bad.remedy)
	}
	return nil
}

// records reads a list of mappings.
func (d *decoder) records(node *ast.SequenceNode, dst reflect.Value, key string) *Error {
	out := reflect.MakeSlice(dst.Type(), len(node.Values), len(node.Values))
	for i, item := range node.Values {
		if err := d.value(item, out.Index(i), fmt.Sprintf("%s[%d]", key, i)); err != nil {
			return err
		}
	}
	dst.Set(out)
	return nil
}

// scalar returns the text of a value that is one word or one text. Numbers and
// switches keep the spelling of the file.
func scalar(node ast.Node) (string, bool) {
	switch node := node.(type) {
	case *ast.StringNode:
		return node.Value, true
	case *ast.LiteralNode:
		return node.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return node.GetToken().Value, true
	}
	return "", false
}

func fieldNamed(t reflect.Type, name string) int {
	return slices.IndexFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return yamlName(f) == name })
}

// suggest proposes a key of the section, else a key of another one.
func (d *decoder) suggest(section reflect.Type, prefix, name string) string {
	var here []string
	for _, f := range reflect.VisibleFields(section) {
		here = append(here, yamlName(f))
	}
	if hint := didYouMean(name, here); hint != "" || prefix != "" && strings.Contains(prefix, "[") {
		return hint
	}
	return didYouMean(name, Keys())
}

func (d *decoder) origin(tk *token.Token, value string) origin {
	from := origin{where: d.name, value: value}
	if d.whole || tk == nil || tk.Position == nil {
		return from
	}
	line, column := tk.Position.Line, tk.Position.Column
	from.where = fmt.Sprintf("%s:%d:%d", d.name, line, column)
	if line >= 1 && line <= len(d.lines) {
		from.excerpt = excerpt(d.lines[line-1], line, column)
	}
	return from
}

func (d *decoder) fail(tk *token.Token, key, value, problem, remedy string) *Error {
	from := d.origin(tk, value)
	return from.fail(key, problem, remedy)
}

func (d *decoder) whereOnly(problem string) *Error { return &Error{Where: d.name, Problem: problem} }
