// Command ledger tells which tests stand behind the rows of the requirement
// ledgers.
//
// What it does, in order:
//
//  1. It reads the list of rows, testdata/rows.tsv: id, actor, level. Rows whose
//     actor is a client, a consumer or a registry need a test; the others are
//     duties of somebody else (rows.go).
//  2. It reads the tests below a folder and collects the ids in the names they
//     give: of functions, of subtests and rows of tables, of sections and
//     comment lines of files in testdata (scan.go).
//  3. It prints each row with its tests, and at last the rows without one
//     (report.go). It exits 1 if there are any, or if a test names a row that no
//     ledger has.
//
// What it must never do: count a message of a failure or a comment in Go code as
// a test; change a file.
package main
