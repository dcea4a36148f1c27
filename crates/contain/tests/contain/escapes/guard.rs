//! The guard in front of every attempt. As root, where nothing contains them, some attempts destroy the machine: they mount
//! it, and replace its files. A script behind the guard does nothing there.

use std::fs;

/// Ends the script unless it has namespaces of its own, and sees the system's folders as read-only.
const SHELL: &str = r#"
refuse() { echo "REFUSED: $1"; exit 77; }
for kind in pid mnt; do
  own=$(readlink "/proc/self/ns/$kind") || refuse "the namespace $kind cannot be read"
  case $own in "$kind:["*"]") ;; *) refuse "the namespace $kind cannot be read" ;; esac
  case $own in @PID@ | @MNT@) refuse "the namespace $kind is the machine's" ;; esac
done
for place in / /etc /usr; do ! test -w "$place" || refuse "$place is writable"; done
"#;
const PYTHON: &str = r#"
import os, sys
def refuse(why):
    print('REFUSED:', why, flush=True)
    os._exit(77)
for kind in ['pid', 'mnt']:
    try: own = os.readlink('/proc/self/ns/' + kind)
    except OSError: refuse('the namespace ' + kind + ' cannot be read')
    if not own.startswith(kind + ':['): refuse('the namespace ' + kind + ' cannot be read')
    if own in [@PID@, @MNT@]: refuse('the namespace ' + kind + " is the machine's")
for place in ['/', '/etc', '/usr']:
    if os.access(place, os.W_OK): refuse(place + ' is writable')
"#;

/// The namespaces of the test itself, in which nothing may be tried. Scripts have them by value: a variable can be missing.
pub(crate) struct Machine {
    pid: String,
    mnt: String,
}

impl Machine {
    pub(crate) fn of_this_process() -> Self {
        let own = |kind: &str| {
            let path = fs::read_link(format!("/proc/self/ns/{kind}")).expect("a namespace");
            let name = path.to_str().expect("a name").to_owned();
            assert!(name.starts_with(&format!("{kind}:[")), "{name}");
            name
        };
        Self { pid: own("pid"), mnt: own("mnt") }
    }

    /// The shell script behind the guard.
    pub(crate) fn guarded_shell(&self, script: &str) -> String {
        self.named(SHELL) + script
    }

    pub(crate) fn guarded_python(&self, script: &str) -> String {
        self.named(PYTHON) + script
    }

    /// For tests of the guard itself.
    pub(crate) fn with([pid, mnt]: [&str; 2]) -> Self {
        Self { pid: pid.to_owned(), mnt: mnt.to_owned() }
    }

    fn named(&self, guard: &str) -> String {
        guard
            .replace("@PID@", &format!("'{}'", self.pid))
            .replace("@MNT@", &format!("'{}'", self.mnt))
    }
}
