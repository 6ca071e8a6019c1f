package card

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

// general turns a value into what encoding/json makes of it.
func general(v JSON) any {
	switch {
	case v.IsObject():
		m := map[string]any{}
		for name, value := range v.Members() {
			m[name] = general(value)
		}
		return m
	case v.IsArray():
		list := []any{}
		for e := range v.Elements() {
			list = append(list, general(e))
		}
		return list
	}
	if s, ok := v.Text(); ok {
		return s
	}
	if v.IsTrue() || v.IsFalse() {
		return v.IsTrue()
	}
	if string(v) == "null" {
		return nil
	}
	return json.Number(v)
}

func FuzzReadJSON(f *testing.F) {
	for _, seed := range []string{`{}`, `[]`, ` {"a" : [1 , -2.5e3,"x\"]}" ,{ "b":null} ] , "c":{}}` + "\r\n", `"\ud800"`, `{"a":1,"\u0061":2}`, `7`, `{"":{"":[]}}`,
		strings.Repeat("[", 33) + strings.Repeat("]", 33)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		v, err := ReadJSON(raw, 1<<16)
		if err != nil {
			if v != nil {
				t.Fatal("a value beside an error")
			}
			return
		}
		d := json.NewDecoder(strings.NewReader(string(raw)))
		d.UseNumber()
		var want any
		if err := d.Decode(&want); err != nil {
			t.Fatalf("accepted what is no JSON: %v", err)
		}
		if got := general(v); !reflect.DeepEqual(got, want) {
			t.Fatalf("%#v, want %#v", got, want)
		}
	})
}

func TestMembersAreFoundByTheirWholeName(t *testing.T) {
	v, err := ReadJSON([]byte(` { "Train":1, "train" : { "x":[2,{"train":3}] } , "tr":4 } `), 100)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(v.Member("train")); got != `{ "x":[2,{"train":3}] }` {
		t.Errorf("%s", got)
	}
	if v.Member("x") != nil || v.Member("").IsObject() {
		t.Error("a member that is not there")
	}
	for range v.Members() {
		break // stopping early is no error
	}
	var none JSON
	if none.Member("x") != nil || none.IsTrue() || none.IsArray() {
		t.Error("the nil value has members")
	}
}

func TestAWideObjectCostsItsLength(t *testing.T) {
	var b strings.Builder
	b.WriteString("{")
	for i := range MaxMembers {
		if i > 0 {
			b.WriteString(",")
		}
		b.WriteString(`"` + strings.Repeat("n", 1+i%7) + string(rune('a'+i%26)) + strings.Repeat("x", i/26) + `":0`)
	}
	text := b.String() + "}"
	if _, err := ReadJSON([]byte(text), 1<<20); err != nil {
		t.Fatal(err)
	}
	doubled := strings.TrimSuffix(text, "}") + `,"na":1}`
	if _, err := ReadJSON([]byte(doubled), 1<<20); !errors.Is(err, ErrDuplicate) {
		t.Errorf("%v", err)
	}
}
