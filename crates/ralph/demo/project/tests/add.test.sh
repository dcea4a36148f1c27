. tests/expect.sh
expect 5 "$(sh bin/calc add 2 3)"
expect 0 "$(sh bin/calc add -2 2)"
