package main

import (
	_ "embed"
	"flag"
	"fmt"
	"os"
)

//go:embed testdata/rows.tsv
var rowList string

func main() {
	missing := flag.Bool("missing", false, "list only what is wrong")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: ledger [-missing] FOLDER")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	complete, err := run(flag.Arg(0), *missing)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if err != nil || !complete {
		os.Exit(1)
	}
}

// run reports on the tests below root and tells whether every row has one.
func run(root string, missing bool) (bool, error) {
	rows, err := readRows(rowList)
	if err != nil {
		return false, err
	}
	tests, err := scan(os.DirFS(root))
	if err != nil {
		return false, err
	}
	return report(os.Stdout, rows, tests, missing)
}
