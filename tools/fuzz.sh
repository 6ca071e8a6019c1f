#!/usr/bin/env bash
# Runs every fuzz target of the given packages for the given time each, one
# after the other, and goes on after a failure to find the rest.
#
# usage: tools/fuzz.sh TIME PACKAGE...
set -euo pipefail

fuzztime=$1
shift
failed=0
for package in $(go list "$@"); do
	targets=$(go test -run '^$' -list '^Fuzz' "$package" | grep '^Fuzz' || true)
	for target in $targets; do
		echo "== $package $target"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$fuzztime" "$package" || failed=1
	done
done
exit "$failed"
