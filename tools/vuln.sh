#!/usr/bin/env bash
# Scans the module for known vulnerabilities that its code can reach.
#
# The scanner's web database is not needed: the database is built from the
# records in a pinned module, so the answer is the same for everybody and its
# age is that of the pin in tools/vulndb/go.mod. Everything runs with the
# toolchain that go.mod recommends, because the standard library is scanned too
# and the scanner must be built by the toolchain whose code it reads.
set -euo pipefail

cd "$(dirname "$0")/.."
cache=$PWD/.cache/vuln
mkdir -p "$cache"
GOTOOLCHAIN=$(awk '$1 == "toolchain" { print $2 }' go.mod)
export GOTOOLCHAIN

pin=$(go -C tools/vulndb list -m golang.org/x/vulndb)
if [ "$(cat "$cache/pin" 2>/dev/null)" != "$pin" ]; then
	echo "building the database of $pin"
	go -C tools/vulndb mod download golang.org/x/vulndb
	records=$(go -C tools/vulndb list -m -f '{{.Dir}}' golang.org/x/vulndb)/data/osv
	rm -rf "$cache/db"
	go -C tools/vulndb tool indexdb -vulns "$records" -out "$cache/db"
	echo "$pin" >"$cache/pin"
fi
go -C tools build -o "$cache/" golang.org/x/vuln/cmd/govulncheck
echo "scanning with $GOTOOLCHAIN and the records of ${pin#* }"
"$cache/govulncheck" -db "file://$cache/db" ./...
