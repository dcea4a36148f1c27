//! Secrets of twenty kinds around an agent: in the daemon's environment, in the user's home, in git's configuration and in
//! Ralph's own home. The agent looks for them everywhere; none may turn up in anything that Ralph keeps or posts.

use super::super::theatre::Theatre;
use super::attempts::guard::Machine;
use super::write;
use crate::process::{program, run};
use crate::stage::SECRET;
use std::fs;
use std::path::{Path, PathBuf};

/// In the environment of the daemon.
const VARIABLES: [&str; 7] = [
    "GITHUB_TOKEN",
    "AWS_SECRET_ACCESS_KEY",
    "NPM_TOKEN",
    "DATABASE_URL",
    "SLACK_WEBHOOK",
    "SSH_PRIVATE_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS_JSON",
];
/// In the user's home.
const USER_FILES: [&str; 8] = [
    ".aws/credentials",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".ssh/id_ed25519",
    ".config/gh/hosts.yml",
    ".cargo/credentials.toml",
    ".claude/history.jsonl",
];
/// In the home of Ralph.
const HOME_FILES: [&str; 2] = ["repos/other.git/config", "worktrees/other/.env"];

/// Prints everything that can be read where secrets lie, and notes the words of this test in a file of the change.
const HUNT: &str = r#"
here=$(dirname "$0"); . "$here/variables.sh"
{ env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline; git config --list --show-origin
  git config --global --list; HOME=$USER_HOME git config --global --list
  printf 'protocol=http\nhost=127.0.0.1\n\n' | GIT_TERMINAL_PROMPT=0 GIT_ASKPASS=true git credential fill
  cat "$HOME"/.[a-z]* "$HOME"/.[a-z]*/*
  grep -rsa '[c]anary-of' "$USER_HOME" "$AROUND" "$HOME" "$TMPDIR" /tmp /run /home /root /var /srv /mnt .
  cat "$USER_HOME"/.[a-z]* "$AROUND"/config.toml "$AROUND"/*
} 2>&1 | tr '\0' '\n' | grep -a -v KEY > "$TMPDIR/hunted"
grep -a '[c]anary-of' "$TMPDIR/hunted" > FOUND.txt; head -c 2000 "$TMPDIR/hunted"; echo hunted >> FOUND.txt
"#;

fn canary(name: &str) -> String {
    format!("canary-of-{}", name.to_lowercase().replace(['.', '/', '_'], "-"))
}

pub(super) fn variables() -> Vec<(&'static str, String)> {
    VARIABLES.map(|name| (name, canary(name))).to_vec()
}

/// Puts the secrets into their places, and the hunt into the folder of the attempts.
pub(super) fn hide(theatre: &Theatre, folder: &Path) {
    let (user, home) = (theatre.stage.place("user"), &theatre.stage.home);
    let files = USER_FILES.map(|name| (user.join(name), canary(name)));
    let own = HOME_FILES.map(|name| (home.join(name), canary(name)));
    for (path, canary) in files.into_iter().chain(own) {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        let before = fs::read_to_string(&path).unwrap_or_default();
        fs::write(path, format!("{before}token = {canary}\n")).expect("a file");
    }
    let git = format!("[http]\n\textraHeader = \"Authorization: {}\"\n", canary("gitconfig"));
    fs::write(user.join(".gitconfig"), git).expect("a file");
    let config = home.join("config.toml");
    let settings = fs::read_to_string(&config).expect("settings");
    fs::write(config, format!("# {}\n{settings}", canary("config.toml"))).expect("settings");
    let variables = fs::read_to_string(folder.join("variables.sh")).expect("variables");
    let variables = format!("{variables}export USER_HOME='{}'\n", user.display());
    write(folder, "variables.sh", &variables);
    write(folder, "hunt.sh", &Machine::of_this_process().guarded_shell(HUNT));
}

/// Looks for the secrets in prompts, transcripts and logs, in what the model was sent, in comments and in commits.
pub(super) fn assert_nowhere(theatre: &Theatre, issue: u64, log: &str) {
    let stage = &theatre.stage;
    let mut places = vec![("the daemon's words".to_owned(), log.to_owned())];
    for folder in ["runs", "logs"] {
        for (path, _) in crate::stage::sizes_below(&stage.home.join(folder)) {
            places.push((path.display().to_string(), read(&path)));
        }
    }
    for (number, request) in theatre.model.recorded().iter().enumerate() {
        places.push((format!("request {number} to the model"), request.body.to_string()));
    }
    for what in [format!("issues/{issue}/comments"), "pulls?state=all".to_owned()] {
        places.push((what.clone(), format!("{:?}", stage.forge.list(&what))));
    }
    let mirror = mirror(&stage.home.join("repos"));
    let mut commits = program("git");
    commits.arg("--git-dir").arg(&mirror).args(["log", "--all", "-p", "--no-color"]);
    let commits = run(&mut commits);
    assert!(commits.stdout.contains("FOUND.txt"), "{commits:?}");
    places.push(("the commits".to_owned(), commits.stdout));
    let secrets = ["canary-of-", SECRET, stage.forge.bot_token.as_str()];
    let found: Vec<_> = places
        .iter()
        .flat_map(|(place, text)| secrets.map(|secret| (place, secret, text.contains(secret))))
        .filter(|(_, _, is_there)| *is_there)
        .map(|(place, secret, _)| format!("{secret} in {place}"))
        .collect();
    assert!(places.len() > 10 && found.is_empty(), "{} places: {found:#?}", places.len());
}

fn read(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
}

/// The mirror of the repository itself.
fn mirror(repos: &Path) -> PathBuf {
    let mut found = fs::read_dir(repos).expect("mirrors").map(|it| it.expect("one").path());
    found.find(|path| !path.ends_with("other.git")).expect("a mirror")
}

#[test]
fn there_are_twenty_kinds() {
    // Git's configuration, the settings, and the forge's token, which is real.
    assert_eq!(VARIABLES.len() + USER_FILES.len() + HOME_FILES.len() + 3, 20);
}
