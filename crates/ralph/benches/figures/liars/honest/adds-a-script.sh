# Adds a script that nothing depends on.
files=scripts/bench.sh
implement() {
    printf '#!/bin/sh\ntime python3 -m calc.cli add 1 2\n' > scripts/bench.sh && commit "Add a measurement"
}
