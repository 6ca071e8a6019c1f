#!/usr/bin/env bash
# Ends with 0 if the race detector can be used: it needs cgo and a C compiler
# that links a program.
set -euo pipefail

[ "$(go env CGO_ENABLED)" = 1 ] || exit 1
out=$(mktemp)
trap 'rm -f "$out"' EXIT
read -ra cc <<<"$(go env CC)"
echo 'int main(void) { return 0; }' | "${cc[@]}" -x c - -o "$out" 2>/dev/null
