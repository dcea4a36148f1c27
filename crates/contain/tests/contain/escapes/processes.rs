//! Attempts to reach other processes, and to outlive the run.

use super::Language::{Python, Shell};
use super::{Attempt, attempt, harmful};

pub(super) const ALL: &[Attempt] = &[
    attempt(
        "the environment of another process",
        Shell,
        "grep -aqs 'ghp_[t]oken' /proc/$BYSTANDER/environ && echo ESCAPED",
    ),
    harmful(
        "the environment of all processes",
        Shell,
        "cat /proc/[0-9]*/environ 2>/dev/null | grep -aq 'ghp_[t]oken' && echo ESCAPED",
    ),
    attempt(
        "the arguments of another process",
        Shell,
        "grep -aqs 'ghp_[t]oken' /proc/$BYSTANDER/cmdline && echo ESCAPED",
    ),
    harmful(
        "the arguments of all processes",
        Shell,
        "cat /proc/[0-9]*/cmdline 2>/dev/null | grep -aq 'ghp_[t]oken' && echo ESCAPED",
    ),
    attempt("a signal to Ralph", Shell, "kill -0 \"$RALPH\" 2>/dev/null && echo ESCAPED"),
    attempt(
        "a signal to another process",
        Shell,
        "kill -0 \"$BYSTANDER\" 2>/dev/null && echo ESCAPED",
    ),
    attempt(
        "a look at Ralph",
        Shell,
        "cat /proc/$RALPH/stat >/dev/null 2>&1 && tr '\\0' ' ' < /proc/$RALPH/cmdline | grep -q contain && echo ESCAPED",
    ),
    attempt(
        "the memory of another process",
        Python,
        "attempt(lambda: open('/proc/' + env['BYSTANDER'] + '/maps').read(1))",
    ),
    harmful(
        "ptrace of another process",
        Python,
        "PTRACE_ATTACH = 16\n\
         attempt(lambda: libc.ptrace(PTRACE_ATTACH, int(env['BYSTANDER']), 0, 0) == 0)\n\
         attempt(lambda: libc.ptrace(PTRACE_ATTACH, int(env['RALPH']), 0, 0) == 0)",
    ),
    harmful(
        "a descriptor of another process",
        Python,
        "fd = libc.syscall(434, int(env['RALPH']), 0)\n\
         attempt(lambda: fd >= 0 and libc.syscall(438, fd, 0, 0) >= 0)",
    ),
    harmful(
        "the namespaces of Ralph",
        Shell,
        "nsenter -t \"$RALPH\" -m -p -n true 2>/dev/null && echo ESCAPED; nsenter -t 1 -a grep -qs 'ghp_[t]oken' \"$AROUND/store/state.sqlite\" 2>/dev/null && echo ESCAPED",
    ),
    attempt(
        "the machine's process namespace",
        Shell,
        "test \"$(readlink /proc/self/ns/pid)\" = \"$NS_pid\" && echo ESCAPED",
    ),
    attempt(
        "the machine's mount namespace",
        Shell,
        "test \"$(readlink /proc/self/ns/mnt)\" = \"$NS_mnt\" && echo ESCAPED",
    ),
    attempt(
        "the machine's shared memory",
        Shell,
        "test \"$(readlink /proc/self/ns/ipc)\" = \"$NS_ipc\" && echo ESCAPED",
    ),
    attempt(
        "the machine's host name",
        Shell,
        "test \"$(readlink /proc/self/ns/uts)\" = \"$NS_uts\" && echo ESCAPED",
    ),
    attempt(
        "the machine's users",
        Shell,
        "test \"$(readlink /proc/self/ns/user)\" = \"$NS_user\" && echo ESCAPED",
    ),
    attempt(
        "the machine's network",
        Shell,
        "test \"$(readlink /proc/self/ns/net)\" = \"$NS_net\" && echo ESCAPED",
    ),
    harmful(
        "input for the terminal",
        Python,
        "TIOCSTI = 0x5412\n\
         for place in ['/dev/tty', '/dev/console', '/proc/self/fd/0', '/proc/1/fd/0']:\n\
         \x20   attempt(lambda: fcntl.ioctl(os.open(place, os.O_RDWR | os.O_NOCTTY), TIOCSTI, b'x') == 0)",
    ),
    harmful(
        "a higher priority",
        Shell,
        "nice -n -5 sh -c 'test \"$(nice)\" -lt 0' 2>/dev/null && echo ESCAPED",
    ),
];

/// Ways to leave the run. Each leaves a mark that it was taken.
pub(crate) const OUTLIVING: &[(&str, &str)] = &[
    (
        "a session of its own",
        "setsid sh -c 'touch began; sleep 1000' >/dev/null 2>&1 &\nuntil test -e began; do :; done",
    ),
    (
        "an orphan",
        "(setsid sh -c '(touch began; sleep 1000) &' >/dev/null 2>&1 &)\nuntil test -e began; do :; done",
    ),
    (
        "nohup",
        "nohup sh -c 'touch began; sleep 1000' >/dev/null 2>&1 &\nuntil test -e began; do :; done",
    ),
    (
        "a process that ignores every signal it can",
        "(trap '' TERM HUP INT QUIT USR1 USR2; setsid sh -c 'touch began; while :; do sleep 1000; done') >/dev/null 2>&1 &\n\
         until test -e began; do :; done",
    ),
    (
        "a process that starts itself again",
        "cat > again.sh <<'END'\ntouch began\nsetsid sh again.sh >/dev/null 2>&1 &\nsleep 0.01\nEND\nsetsid sh again.sh >/dev/null 2>&1 &\nuntil test -e began; do :; done",
    ),
];
