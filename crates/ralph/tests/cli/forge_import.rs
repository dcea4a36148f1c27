//! `ralph forge import` and `ralph forge serve`, as an operator uses them: what is seen, what is said, and the limit.

use crate::home::{Home, a_process, program_with_path};
use ralph_adapters::http_transport::{HttpSettings, HttpTransport};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

fn git(folder: &Path, words: &[&str]) -> (bool, String) {
    let mut git = program_named("git");
    let output = git.current_dir(folder).args(words).output().expect("git starts");
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[expect(clippy::disallowed_methods, reason = "git is what an operator fetches with")]
fn program_named(name: &str) -> Command {
    let mut command = Command::new(name);
    command.stdin(Stdio::null()).env("GIT_CONFIG_NOSYSTEM", "1");
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_TERMINAL_PROMPT", "0");
    command.env("LC_ALL", "C");
    command
}

/// A repository with one commit.
fn source(folder: &Path) -> String {
    std::fs::write(folder.join("README.md"), "# app\n").expect("a file");
    for words in [
        &["init", "--quiet", "--initial-branch=main"][..],
        &["add", "README.md"],
        &["-c", "user.name=Ada", "-c", "user.email=a@example.com", "commit", "-qm", "Begin"],
    ] {
        let (is_done, said) = git(folder, words);
        assert!(is_done, "{said}");
    }
    folder.to_str().expect("a plain path").to_owned()
}

/// `ralph forge serve`, which is asked to end when a test is done with it.
struct Served {
    child: Child,
    greeting: Value,
}

impl Served {
    fn start(home: &Home, arguments: &[&str]) -> Self {
        let mut command = program_with_path();
        command.env("RALPH_HOME", home.path());
        command.args(["forge", "serve", "--listen", "127.0.0.1:0"]).args(arguments);
        let guard = a_process();
        let spawned = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = spawned.expect("the program starts");
        drop(guard);
        let mut line = String::new();
        let stdout = child.stdout.as_mut().expect("a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let greeting = serde_json::from_str(&line).expect("a greeting");
        Self { child, greeting }
    }

    fn url(&self) -> &str {
        self.greeting["url"].as_str().expect("an address")
    }

    /// Ends it, and returns what it said on standard error.
    fn stop(mut self) -> String {
        let id = i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw);
        rustix::process::kill_process(id.expect("a process"), rustix::process::Signal::TERM)
            .expect("a signal that is delivered");
        let mut said = String::new();
        self.child.stderr.take().expect("a pipe").read_to_string(&mut said).expect("text");
        assert_eq!(self.child.wait().expect("a status").code(), Some(0), "{said}");
        said
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // One that has ended already needs no killing.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn an_imported_repository_is_private_unless_the_flag_says_otherwise() {
    let (home, folder) = (Home::empty(), tempfile::tempdir().expect("a folder"));
    let source = source(folder.path());
    let import = |name: &str, flags: &[&str]| {
        let ran =
            home.ralph_with_path(&[&["forge", "import", &source, "--repo", name], flags].concat());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.shown());
        ran.stdout
    };
    let rest = "(branches: 1, tags: 0, default branch: main)\n";
    let closed = import("ada/closed", &[]);
    assert_eq!(closed, format!("ada/closed is in the forge, read with a token only {rest}"));
    let open = import("ada/open", &["--public"]);
    assert_eq!(open, format!("ada/open is in the forge, read by everyone {rest}"));
    let forge = Served::start(&home, &["--owner", "ada"]);
    let read = |name: &str| git(folder.path(), &["ls-remote", &format!("{}/{name}", forge.url())]);
    let (is_read, said) = read("ada/open");
    assert!(is_read, "{said}");
    let (is_read, said) = read("ada/closed");
    assert!(!is_read && said.contains("could not read Username"), "{said}");
    forge.stop();
}

#[test]
fn the_limit_on_requests_is_the_operators() {
    let home = Home::empty();
    let forge = Served::start(&home, &["--rate-limit", "2"]);
    let transport = HttpTransport::new(&HttpSettings::default()).expect("settings that work");
    let token = forge.greeting["owner"]["token"].as_str().expect("a token");
    let ask = || {
        let asked = http::Request::get(format!("{}/user", forge.url()));
        let asked = asked.header("authorization", format!("Bearer {token}")).body(Vec::new());
        let answer = transport.send(asked.expect("a request")).expect("an answer");
        let limit = answer.headers().get("x-ratelimit-limit").expect("a limit");
        (answer.status().as_u16(), limit.to_str().expect("text").to_owned())
    };
    let answers = [ask(), ask(), ask()];
    assert_eq!(answers, [200, 200, 403].map(|status| (status, "2".to_owned())));
    forge.stop();
}

#[test]
fn a_repair_is_reported_by_whichever_command_makes_it() {
    let (home, folder) = (Home::empty(), tempfile::tempdir().expect("a folder"));
    let source = source(folder.path());
    let imported = home.ralph_with_path(&["forge", "import", &source, "--repo", "ada/app"]);
    assert_eq!(imported.code, 0, "{}", imported.shown());
    let git = home.path().join("forge/git");
    let bare = std::fs::read_dir(git).expect("a folder").next().expect("one").expect("an entry");
    let damage = || std::fs::write(bare.path().join("refs/heads/main"), "").expect("a file");
    let words = "ada/app: its references were written again";
    damage();
    let listed = home.ralph_with_path(&["forge", "token", "list", "--json"]);
    assert!(listed.code == 0 && listed.stderr.contains(words), "{}", listed.shown());
    let again = home.ralph_with_path(&["forge", "token", "list", "--json"]);
    assert_eq!((again.code, again.stderr.as_str()), (0, ""));
    damage();
    let forge = Served::start(&home, &["--owner", "ada", "--unsafe-checks"]);
    let said = forge.stop();
    assert!(said.contains(words), "{said}");
}
