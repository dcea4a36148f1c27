//! Clients as programs: what each needs, how it is started, and whether it did all it was asked to.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::client::command;
use crate::test_server::{REPO, TestServer, Who};

/// A client of GitHub that others wrote.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Client {
    PyGithub,
    Octokit,
    Gh,
    Github3,
    Git,
}

impl Client {
    /// Lets the client's script do one area; it says each step when it is done.
    pub(crate) fn does(
        self,
        server: &TestServer,
        area: &str,
        facts: &[(&str, &str)],
        steps: &[&str],
    ) {
        let home = server.place("home");
        fs::create_dir(&home).unwrap();
        let mut command = self.command(&home, server.base());
        command.arg(area).current_dir(&home).stdin(Stdio::null());
        command.env("FORGE_URL", server.base()).env("FORGE_REPOSITORY", REPO);
        command.env("BOT_TOKEN", &server.credentials(Who::Bot).token);
        command.env("OWNER_TOKEN", &server.credentials(Who::Owner).token);
        let output = command.envs(facts.iter().copied()).output();
        let output = output.unwrap_or_else(|error| {
            panic!("{:?}: {error}; install it for `cargo xtask test`", command.get_program())
        });
        let [said, complaints] =
            [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
        let done: Vec<&str> = said.lines().collect();
        assert!(output.status.success(), "{self:?} ended after {done:#?}:\n{complaints}");
        assert_eq!(done, steps, "{self:?} did something else:\n{complaints}");
    }

    /// The program with its script.
    fn command(self, home: &Path, url: &str) -> Command {
        let script =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients").join(self.script());
        match self {
            Self::PyGithub | Self::Github3 => {
                let package = if matches!(self, Self::Github3) { "github3" } else { "github" };
                let mut python = program("python3", home);
                python.env("PYTHONPATH", self.installed("python", package));
                python.arg("-B").arg(script);
                python
            }
            Self::Octokit => {
                // Node looks for packages beside the script, so both are put in one place.
                let modules = self.installed("node/node_modules", "@octokit/rest");
                symlink(modules, home.join("node_modules")).unwrap();
                let copy = home.join(self.script());
                fs::copy(script, &copy).unwrap();
                let mut node = program("node", home);
                node.arg(copy);
                node
            }
            Self::Git => {
                let mut shell = program("sh", home);
                shell.arg(script);
                shell
            }
            Self::Gh => {
                let mut shell = program("sh", home);
                shell.arg(script);
                // gh speaks HTTPS to every host except `github.localhost`, which it takes for a
                // GitHub under development and asks at port 80 of `api.github.localhost`. With the
                // forge as its proxy it needs neither that name nor that port: the forge gets its
                // requests with the whole address in them. Links of a list lead to the forge's own
                // address, where gh goes without proxy and with the token for other hosts.
                shell.env("HTTP_PROXY", url).env("GH_HOST", "github.localhost");
                shell
            }
        }
    }

    const fn script(self) -> &'static str {
        match self {
            Self::PyGithub => "working_day.py",
            Self::Octokit => "working_day.mjs",
            Self::Gh => "working_day.sh",
            Self::Github3 => "working_day_github3.py",
            Self::Git => "working_day_git.sh",
        }
    }

    /// A folder of packages that `cargo xtask test` fills, if `part` is in it.
    fn installed(self, folder: &str, part: &str) -> PathBuf {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a target folder");
        let path = target.join("clients").join(folder);
        assert!(
            path.join(part).exists(),
            "{self:?} is not in {}; `cargo xtask test` fetches it",
            path.display()
        );
        path
    }
}

/// A program that finds nothing of its surroundings but the PATH.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place where these tests read the environment"
)]
fn program(name: &str, home: &Path) -> Command {
    let mut program = command(name);
    program.env_clear().env("HOME", home).env("TMPDIR", home).env("LC_ALL", "C.UTF-8");
    program.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    program
}
