package crawler_test

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

// update rewrites the golden parts of testdata/sites: go test ./crawler -update.
var update = flag.Bool("update", false, "rewrite the golden transcripts of testdata/sites")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
