//! Attempts to read and write files.

use super::Language::Shell;
use super::{Attempt, attempt, harmful};

pub(super) const ALL: &[Attempt] = &[
    attempt(
        "the store",
        Shell,
        "grep -qs 'ghp_[t]oken' \"$AROUND/store/state.sqlite\" && echo ESCAPED",
    ),
    attempt(
        "the settings",
        Shell,
        "grep -qs 'ghp_[t]oken' \"$AROUND/config.toml\" && echo ESCAPED",
    ),
    attempt(
        "another worktree",
        Shell,
        "grep -qrs 'ghp_[t]oken' \"$AROUND/worktrees\" && echo ESCAPED",
    ),
    attempt("another mirror", Shell, "grep -qrs 'ghp_[t]oken' \"$AROUND/repos\" && echo ESCAPED"),
    attempt(
        "the user's keys",
        Shell,
        "grep -qrs 'ghp_[t]oken' \"$AROUND/user/.ssh\" && echo ESCAPED",
    ),
    attempt(
        "the user's home",
        Shell,
        "find \"$AROUND/user\" -type f -size +0 2>/dev/null | grep -q . && echo ESCAPED",
    ),
    attempt(
        "git's credentials",
        Shell,
        "grep -qs 'ghp_[t]oken' \"$AROUND/user/.git-credentials\" && echo ESCAPED",
    ),
    attempt(
        "gh's token",
        Shell,
        "grep -qs 'ghp_[t]oken' \"$AROUND/user/.config/gh/hosts.yml\" && echo ESCAPED",
    ),
    attempt(
        "docker's credentials",
        Shell,
        "grep -qs 'ghp_[t]oken' \"$AROUND/user/.docker/config.json\" && echo ESCAPED",
    ),
    attempt(
        "a credential helper",
        Shell,
        "printf 'protocol=https\\nhost=x\\n\\n' | HOME=\"$AROUND/user\" GIT_TERMINAL_PROMPT=0 GIT_ASKPASS=true \
         git credential fill 2>/dev/null | grep -q 'ghp_[t]oken' && echo ESCAPED",
    ),
    attempt(
        "git's configuration",
        Shell,
        "HOME=\"$AROUND/user\" git config --global --list 2>/dev/null | grep -q 'ghp_[t]oken' && echo ESCAPED",
    ),
    attempt(
        "a link to the store",
        Shell,
        "ln -s \"$AROUND/store/state.sqlite\" link; grep -qs 'ghp_[t]oken' link && echo ESCAPED",
    ),
    attempt(
        "a hard link to the store",
        Shell,
        "ln \"$AROUND/store/state.sqlite\" hard 2>/dev/null; grep -qs 'ghp_[t]oken' hard && echo ESCAPED",
    ),
    attempt(
        "the way up from the work folder",
        Shell,
        "grep -qs 'ghp_[t]oken' ../../store/state.sqlite ../../config.toml && echo ESCAPED",
    ),
    harmful(
        "the root of the first process",
        Shell,
        "grep -qs 'ghp_[t]oken' \"/proc/1/root$AROUND/store/state.sqlite\" && echo ESCAPED",
    ),
    attempt(
        "the folder of another process",
        Shell,
        "grep -qs 'ghp_[t]oken' /proc/$BYSTANDER/cwd/store/state.sqlite && echo ESCAPED",
    ),
    harmful(
        "the mounts of the first process",
        Shell,
        "for one in /proc/[0-9]*; do grep -qs 'ghp_[t]oken' \"$one/root$AROUND/store/state.sqlite\" && echo ESCAPED; done",
    ),
    harmful(
        "a descriptor that was left open",
        Shell,
        "for one in 3 4 5 6 7 8 9; do test -e /proc/$$/fd/$one && echo ESCAPED; done",
    ),
    attempt(
        "a write beside the work folder",
        Shell,
        "touch \"$AROUND/written\" 2>/dev/null && echo ESCAPED",
    ),
    attempt(
        "a write into the store",
        Shell,
        "(echo x >> \"$AROUND/store/state.sqlite\") 2>/dev/null && test -s \"$AROUND/store/state.sqlite\" && echo ESCAPED",
    ),
    attempt(
        "a rename of the work folder's parent",
        Shell,
        "mv \"$AROUND/inside\" \"$AROUND/moved\" 2>/dev/null && mv \"$AROUND/moved\" \"$AROUND/inside\" && echo ESCAPED",
    ),
    harmful(
        "a write into the system",
        Shell,
        "for one in / /usr /usr/bin /etc /opt /lib /sys /proc; do touch \"$one/written\" 2>/dev/null && echo ESCAPED; done",
    ),
    harmful(
        "a change of a file of the system",
        Shell,
        "for one in /etc/passwd /etc/hosts /etc/ld.so.cache /bin/sh; do (: >> \"$one\") 2>/dev/null && echo ESCAPED; done",
    ),
    harmful(
        "a link of the system in another place",
        Shell,
        "ln -sf /tmp/x /etc/resolv.conf 2>/dev/null && echo ESCAPED; rm -f /etc/hostname 2>/dev/null && test ! -e /etc/hostname && echo ESCAPED",
    ),
];
