# Makes a script executable.
files=scripts/check.sh
implement() {
    chmod +x scripts/check.sh && commit "Let the script be run by its name"
}
