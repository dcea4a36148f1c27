//! The attempts to get out of a sandbox, by what they try to reach. They know their surroundings by variables only.

mod files;
pub(crate) mod guard;
mod kernel;
pub(crate) mod misuse;
mod network;
pub(crate) mod processes;

use guard::Machine;

/// One attempt. Its script prints `ESCAPED` when it succeeds. It is given away behind the guard only, unless it is harmless.
pub(crate) struct Attempt {
    pub(crate) name: &'static str,
    pub(crate) language: Language,
    script: &'static str,
    without_sandbox: Without,
}

#[derive(Clone, Copy)]
pub(crate) enum Language {
    Shell,
    Python,
}

/// The meaning of the attempt where there is no sandbox.
#[derive(Clone, Copy)]
enum Without {
    /// It does no harm, and succeeds.
    Succeeds,
    /// It would do harm, or depends on the machine, and is not made.
    IsNotMade,
}

const fn attempt(name: &'static str, language: Language, script: &'static str) -> Attempt {
    Attempt { name, language, script, without_sandbox: Without::Succeeds }
}

const fn harmful(name: &'static str, language: Language, script: &'static str) -> Attempt {
    Attempt { name, language, script, without_sandbox: Without::IsNotMade }
}

impl Attempt {
    /// The program of the attempt for a sandbox. It refuses to do anything in the namespaces of the machine.
    pub(crate) fn guarded(&self, machine: &Machine) -> String {
        match self.language {
            Language::Shell => machine.guarded_shell(&self.whole()),
            Language::Python => machine.guarded_python(&self.whole()),
        }
    }

    /// The program of the attempt for a control without a sandbox, if it is harmless there.
    pub(crate) fn control(&self) -> Option<String> {
        match self.without_sandbox {
            Without::Succeeds => Some(self.whole()),
            Without::IsNotMade => None,
        }
    }

    fn whole(&self) -> String {
        match self.language {
            Language::Shell => format!("{}\necho tried", self.script),
            Language::Python => format!("{PREAMBLE}{}\nprint('tried')", self.script),
        }
    }
}

pub(crate) fn all() -> impl Iterator<Item = &'static Attempt> {
    let parts = [files::ALL, processes::ALL, kernel::ALL, network::ALL, misuse::ALL];
    parts.into_iter().flatten()
}

/// Shared by the attempts in Python. `escaped` is called with the thing that was reached; errors mean that it was not.
const PREAMBLE: &str = r#"
import os, socket, sys, ctypes, struct, fcntl, errno
env = os.environ
around, service, model = env['AROUND'], int(env['SERVICE']), int(env['MODEL'])
socket.setdefaulttimeout(5)
libc = ctypes.CDLL(None, use_errno=True)
def escaped(what=''): print('ESCAPED', what)
def attempt(act):
    try:
        if act(): escaped()
    except OSError as error: print(error)
def exchange(one, request):
    one.sendall(request)
    said = b''
    try:
        while part := one.recv(4096): said += part
    except OSError: pass
    return said
def proxy(): return socket.create_connection(('127.0.0.1', 3128))
GET = b'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
def through(request, after=GET):
    one = proxy()
    one.sendall(request)
    head = b''
    while not head.endswith(b'\r\n\r\n'):
        part = one.recv(1)
        if not part: break
        head += part
    said = exchange(one, after) if b' 200 ' in head else head
    print(head)
    return b'SERVICE' in said
def tunnel(target): return through(b'CONNECT ' + target.encode() + b' HTTP/1.1\r\n\r\n')
"#;
