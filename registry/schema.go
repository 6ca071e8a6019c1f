package registry

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// cardSchema is the JSON Schema of a served card without its $id.
//
//go:embed schema.json
var cardSchema []byte

// schema is the published schema and the one that writes are held to: the same,
// with nothing required but canonical, because all else has a default or belongs
// to the registry.
type schema struct {
	octets  []byte // served at /v1/schema.json
	written *jsonschema.Schema
}

// newSchema compiles both; id is the URI of the published one. Nothing is ever
// loaded from elsewhere.
func newSchema(id string) (*schema, error) {
	quoted, err := json.Marshal(id)
	if err != nil {
		return nil, fmt.Errorf("registry: schema id %q: %w", id, err)
	}
	octets := bytes.Join([][]byte{[]byte("{\n  \"$id\": "), quoted, []byte(","), cardSchema[1:]}, nil)
	written, err := compileSchema(id, octets, func(root map[string]any) { root["required"] = []any{"canonical"} })
	if err != nil {
		return nil, err
	}
	return &schema{octets: octets, written: written}, nil
}

func compileSchema(id string, octets []byte, change func(map[string]any)) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(octets))
	if err != nil {
		return nil, fmt.Errorf("registry: read schema: %w", err)
	}
	if root, ok := doc.(map[string]any); ok && change != nil {
		change(root)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(jsonschema.SchemeURLLoader{}) // knows no scheme
	c.AssertFormat()
	if err := c.AddResource(id, doc); err != nil {
		return nil, fmt.Errorf("registry: add schema: %w", err)
	}
	compiled, err := c.Compile(id)
	if err != nil {
		return nil, fmt.Errorf("registry: compile schema: %w", err)
	}
	return compiled, nil
}

// check holds a card that ReadJSON has accepted against the schema for writes.
func (s *schema) check(raw []byte) error {
	value, err := decode(raw)
	if err != nil {
		return fmt.Errorf("registry: decode card: %w", err)
	}
	err = s.written.Validate(value)
	if err == nil {
		return nil
	}
	var fault *jsonschema.ValidationError
	if !errors.As(err, &fault) {
		return fmt.Errorf("registry: validate card: %w", err)
	}
	pointer, detail := firstFault(fault)
	return faulty(pointer, detail)
}

// decode gives the value of a text for the schema's eyes.
func decode(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	return plainNumbers(value), nil
}

// plainNumbers turns numbers into machine numbers. The schema library computes
// with exact fractions otherwise, and 1e999999999 is a very long one.
func plainNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			v[name] = plainNumbers(inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = plainNumbers(inner)
		}
	case json.Number:
		if n, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return n
		}
		f, err := v.Float64()
		if err != nil { // out of range
			return math.MaxFloat64
		}
		return f
	}
	return v
}

// firstFault names the innermost fault with the smallest pointer, so that the
// answer to a body is always the same.
func firstFault(e *jsonschema.ValidationError) (pointer, detail string) {
	if len(e.Causes) == 0 {
		at := e.InstanceLocation
		if required, ok := e.ErrorKind.(*kind.Required); ok && len(required.Missing) > 0 {
			at = append(at[:len(at):len(at)], slices.Min(required.Missing))
		}
		return pointerTo(at), e.ErrorKind.LocalizedString(message.NewPrinter(language.English))
	}
	for i, cause := range e.Causes {
		p, d := firstFault(cause)
		if i == 0 || p < pointer || p == pointer && d < detail {
			pointer, detail = p, d
		}
	}
	return pointer, detail
}

// pointerTo is the JSON pointer of a path (RFC 6901).
func pointerTo(path []string) string {
	var b strings.Builder
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	for _, step := range path {
		b.WriteByte('/')
		b.WriteString(escape.Replace(step))
	}
	return b.String()
}
