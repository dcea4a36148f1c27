#!/bin/sh
# Every operation begins with a line that says what it does.
cd "$(dirname "$0")/.." || exit 1
failed=0
for file in lib/*.sh; do
    case $(head -n 1 "$file") in
        "# "*) ;;
        *) echo "$file:1: the first line must say what this operation does"; failed=1 ;;
    esac
done
exit $failed
