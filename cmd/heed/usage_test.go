package main

import (
	"reflect"
	"testing"
)

func TestIdleFlagsAreThoseThatOtherCommandsUse(t *testing.T) {
	used, idle := reflect.TypeFor[netFlags](), reflect.TypeFor[idleFlags]()
	if used.NumField() != idle.NumField() {
		t.Fatalf("%d flags are used, %d taken and ignored", used.NumField(), idle.NumField())
	}
	for i := range used.NumField() {
		u, n := used.Field(i), idle.Field(i)
		_, hidden := n.Tag.Lookup("hidden")
		if u.Name != n.Name || u.Type != n.Type || u.Tag.Get("name") != n.Tag.Get("name") || u.Tag.Get("sep") != n.Tag.Get("sep") || !hidden {
			t.Errorf("%s %s, ignored as %s %s", u.Name, u.Tag, n.Name, n.Tag)
		}
	}
}
