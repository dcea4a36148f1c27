#!/bin/sh
# Runs every test, and fails if one of them does.
cd "$(dirname "$0")/.." || exit 1
pattern=$(python3 -B -c 'import tomllib; print(tomllib.load(open("pyproject.toml", "rb"))["tool"]["checks"]["pattern"])')
exec python3 -B -m unittest discover --quiet --pattern "$pattern" --start-directory tests --top-level-directory .
