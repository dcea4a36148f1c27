//! A forge, a home with its settings, and a scripted agent: everything a daemon needs to work.

use crate::folder::Folder;
use crate::forge::{Forge, REPO, free_port};
use crate::process::{Process, Ran, alive_in, ralph, run};
use crate::waiting::until;
use serde_json::{Value, json};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) const SECRET: &str = "the secret of the webhook";

/// The agent's turns apart from the implementation, which each test writes itself.
const AGENT: &str = r##"
case "$RALPH_ROLE" in
plan) printf '# Intent\nDo it.\n# Risk\nNone.\n# Reuse\nNothing.\n' ;;
plan_review) echo 'RALPH_PLAN_REVIEW: {"status":"pass","reason":"clear"}' ;;
implement) . "$(dirname "$0")/implement.sh" ;;
*) echo 'RALPH_REVIEW: {"status":"pass","reason":"small"}' ;;
esac
"##;

/// An implementation that cannot fail.
pub(crate) const WORK: &str = "echo \"$RALPH_ISSUE\" > \"work-$RALPH_ISSUE.txt\"\n";

pub(crate) struct Stage {
    pub(crate) forge: Forge,
    pub(crate) home: PathBuf,
    /// The address to which the forge delivers.
    port: u16,
    folder: Folder,
}

impl Stage {
    /// An agent that does its work with these shell commands.
    pub(crate) fn set(implement: &str) -> Self {
        Self::set_at(implement, "home")
    }

    /// With the home at a place below the stage's folder.
    pub(crate) fn set_at(implement: &str, home: &str) -> Self {
        let folder = Folder::new();
        let path = folder.path().canonicalize().expect("a path");
        let forge = Forge::start(&path.join("forge"));
        let stage = Self { forge, home: path.join(home), port: free_port(), folder };
        for name in ["user", "tmp"] {
            fs::create_dir_all(stage.place(name)).expect("a folder");
        }
        fs::create_dir_all(&stage.home).expect("a folder");
        fs::set_permissions(&stage.home, Permissions::from_mode(0o700)).expect("a folder of ours");
        fs::write(stage.place("agent.sh"), AGENT).expect("a file");
        fs::write(stage.place("implement.sh"), implement).expect("a file");
        stage.configure(&[REPO]);
        stage.add_hook();
        stage
    }

    pub(crate) fn place(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().expect("a path").join(name)
    }

    /// Settings for these repositories, all alike.
    pub(crate) fn configure(&self, repos: &[&str]) {
        let mut text = format!(
            "poll_interval = \"1s\"\nwebhook_listen = \"127.0.0.1:{}\"\n\
             [forge]\nurl = {:?}\ntoken_env = \"FORGE_TOKEN\"\n\
             [agent]\nkind = \"command\"\ncommand = [\"sh\", {:?}]\n\
",
            self.port,
            self.forge.url,
            self.place("agent.sh"),
        );
        for repo in repos {
            text.push_str(&format!(
                "[[repos]]\nname = {repo:?}\npreflight_command = [\"true\"]\nrequired_checks = [\"CI\"]\n\
                 rollup_idle = \"0s\"\nbatch_wait = \"0s\"\n"
            ));
        }
        let path = self.home.join("config.toml");
        fs::write(&path, text).expect("a file");
        fs::set_permissions(&path, Permissions::from_mode(0o600)).expect("a file of ours");
    }

    fn add_hook(&self) {
        let url = format!("http://127.0.0.1:{}/", self.port);
        let config = json!({"url": url, "content_type": "json", "secret": SECRET});
        let hook = json!({"name": "web", "active": true, "events": ["*"], "config": config});
        self.forge.ask("POST", &format!("/repos/{REPO}/hooks"), &hook);
    }

    /// `ralph` in this home, with the bot's token.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = ralph();
        command.env("HOME", self.place("user")).env("TMPDIR", self.place("tmp"));
        command.env("RALPH_HOME", &self.home).env("FORGE_TOKEN", &self.forge.bot_token);
        command.env("RALPH_WEBHOOK_SECRET", SECRET).args(arguments);
        command
    }

    pub(crate) fn ralph(&self, arguments: &[&str]) -> Ran {
        run(&mut self.command(arguments))
    }

    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let ran = self.ralph(&[arguments, &["--json"]].concat());
        serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
    }

    pub(crate) fn daemon(&self) -> Process {
        Process::start(&mut self.command(&["run"]))
    }

    /// Works until nothing is left to do.
    pub(crate) fn work(&self) -> Ran {
        let ran = self.ralph(&["run", "--until-idle"]);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        ran
    }

    /// Brings everything that is queued into the bot branch, and then, as its owner, into the default branch.
    pub(crate) fn work_to_the_end(&self) {
        self.work();
        self.forge.merge_rollup();
        self.work();
    }

    /// The story of an issue as a person reads it.
    pub(crate) fn explained(&self, issue: u64) -> String {
        self.ralph(&["explain", REPO, &issue.to_string()]).stdout
    }

    /// The one worktree of an issue.
    pub(crate) fn worktree(&self, issue: u64) -> PathBuf {
        let slots = self.home.join("worktrees/ada__app");
        let runs = fs::read_dir(&slots).expect("slots").map(|slot| slot.expect("a slot").path());
        let runs = runs.map(|slot| slot.join(issue.to_string()).join(format!("{issue}-1")));
        runs.into_iter().find(|path| path.exists()).expect("a worktree")
    }

    /// Waits until no process works for this home.
    pub(crate) fn assert_nobody_left(&self) {
        until("the end of all processes", || {
            let left = alive_in(&self.home);
            left.is_empty().then_some(())
        });
    }

    pub(crate) fn exists(&self, name: &str) -> bool {
        self.place(name).exists()
    }
}

/// All files below a folder, with their lengths.
pub(crate) fn sizes_below(folder: &Path) -> Vec<(PathBuf, u64)> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let entries = entries.map(|entry| entry.expect("an entry").path());
    let below = entries.flat_map(|path| match fs::symlink_metadata(&path) {
        Ok(found) if found.is_dir() => sizes_below(&path),
        Ok(found) => vec![(path, found.len())],
        Err(_) => Vec::new(),
    });
    below.collect()
}
