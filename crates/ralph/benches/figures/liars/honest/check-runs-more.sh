# Lets the script that preflight runs check more than before.
files=scripts/check.sh
implement() {
    swap scripts/check.sh "exec python3 -B -m unittest" "python3 -B -m compileall -q calc > /dev/null || exit 1
exec python3 -B -m unittest" && commit "Compile before testing"
}
