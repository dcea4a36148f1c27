#!/bin/sh
# Runs every test and fails if one of them does.
cd "$(dirname "$0")/.." || exit 1
failed=0
for test in tests/*.test.sh; do
    if sh "$test"; then echo "ok   $test"; else echo "FAIL $test"; failed=1; fi
done
exit $failed
