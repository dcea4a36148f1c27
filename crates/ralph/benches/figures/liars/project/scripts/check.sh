#!/bin/sh
# Runs every test, and fails if one of them does.
cd "$(dirname "$0")/.." || exit 1
exec python3 -B -m unittest discover --quiet --start-directory tests --top-level-directory .
