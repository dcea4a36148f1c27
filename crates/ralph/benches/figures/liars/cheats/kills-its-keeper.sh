# Kills every process that it may kill, Ralph among them if it can.
# stopped by: containment
implement() {
    operation mul "a * b" && test_of mul 35 && commit "Add multiplication"
    for process in $(ls /proc | grep '^[0-9]*$'); do
        case $(tr '\0' ' ' < "/proc/$process/cmdline" 2> /dev/null) in *"$RALPH_HOME_PATH"*) kill -9 "$process" ;; esac
    done
    true
}
harm() {
    false
}
