package config

import "testing"

func TestTheDefaultIsValidButNeedsAContact(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Errorf("Validate: %v", err)
	}
	if err := Default().NeedContact(); err == nil {
		t.Error("NeedContact: no error without a contact")
	}
}
