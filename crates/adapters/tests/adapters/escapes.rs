//! Everything that Ralph starts looks for what it must not see: in each role, before a change and after. Real
//! processes, where Bubblewrap works.

use crate::stage::{Kept, RUN, Set, Stage, WAIT, changed, containments, git, path};
use ralph_adapters::jobs::Report;
use ralph_core::fact::Outcome;
use ralph_core::ids::Sha;
use ralph_core::job::{Job, Role};
use ralph_core::run::Head;
use ralph_core::time::Span;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

/// Stands in every file that is a secret, and in the environment of this process.
const TOKEN: &str = "ghp_token-of-this-test";

/// Secrets below the stage's folder, named as Ralph names what it reads secrets from.
const SECRET: [&str; 3] = ["elsewhere/config.toml", "app.pem", "keys"];

/// A stage whose machine is full of secrets.
fn stage() -> Option<Stage> {
    if !containments().contains(&Kept::ByBubblewrap) {
        return None;
    }
    let set = Set { kept: Kept::ByBubblewrap, secret: SECRET.to_vec(), ..Set::default() };
    // What is secret has to be there when the adapters are made.
    let mut stage = Stage::set(&set);
    let others = "home/worktrees/acme__widgets/slot-1/8/8-1/token.txt";
    for file in [
        "elsewhere/config.toml",
        "elsewhere/.config.toml.swp",
        "elsewhere/config.toml~",
        "app.pem",
        "keys/one/deep.pem",
        "home/config.toml",
        "home/state.sqlite",
        "home/repos/acme__other.git/config",
        "home/runs/8-1/acme__widgets/1-plan/prompt.md",
        others,
        "user/.ssh/id_ed25519",
        "user/.config/gh/hosts.yml",
        "user/notes.txt",
    ] {
        let file = stage.folder.join(file);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(&file, TOKEN).expect("a file");
        fs::set_permissions(&file, Permissions::from_mode(0o600)).expect("a file of ours");
    }
    std::os::unix::fs::symlink(stage.folder.join("app.pem"), stage.folder.join("link.pem"))
        .expect("a link");
    stage.restart(&set);
    stage.prepare();
    Some(stage)
}

/// Looks everywhere it can for the token, with a pattern that does not match itself, and for other processes. Says what it finds.
fn search(stage: &Stage) -> String {
    let folder = stage.folder.display();
    format!(
        "look() {{ grep -rIl 'ghp_[t]oken-of-this-test' \"$@\" 2>/dev/null | sed 's/^/FOUND /'; }}\n\
         look '{folder}' /home /run /var /srv /mnt /tmp /etc /proc/*/environ /proc/*/cmdline\n\
         for file in '{folder}/app.pem' '{folder}/link.pem' '{folder}/elsewhere/config.toml'\n\
         do cat \"$file\" 2>/dev/null | grep -q . && echo \"FOUND $file\"; done\n\
         ls /proc | grep -c '^[0-9]' | awk '$1 > 12 {{ print \"FOUND processes\", $1 }}'\n\
         kill -0 {} 2>/dev/null && echo FOUND ralph\n\
         true\n",
        std::process::id()
    )
}

fn nothing_found(said: &str, who: &str) {
    assert!(!said.contains("FOUND"), "{who}: {said}");
}

fn response(stage: &Stage, what: &str) -> String {
    let file = stage.run_folder().join(format!("{}-{what}", stage.attempt()));
    let read = |name: &str| fs::read_to_string(file.join(name)).unwrap_or_default();
    format!("{}{}", read("response.txt"), read("output.txt")) + &read("setup.txt")
}

#[test]
fn no_role_of_an_agent_finds_a_secret() {
    let Some(mut stage) = stage() else { return };
    let script = search(&stage);
    let head = changed(stage.implement(&format!("{script}echo x > a.txt")));
    nothing_found(&response(&stage, "implement"), "implement");
    let base = Sha::new(git(&stage.forge(), &["rev-parse", crate::stage::BASE]).trim());
    for role in Role::ALL {
        if matches!(role, Role::Implement | Role::MergeConflict) {
            continue;
        }
        let head: Option<&Head> = (role != Role::Plan).then_some(&head);
        stage.script(&format!("{script}echo searched; exit 0"));
        stage.run(&Job::Turn(Box::new(stage.turn(role, &base, head))), "Do it");
        let said = response(&stage, role.name());
        assert!(said.contains("searched"), "{role:?}: {said}");
        nothing_found(&said, role.name());
    }
}

#[test]
fn neither_setup_nor_preflight_nor_integrity_finds_a_secret() {
    let Some(mut stage) = stage() else { return };
    let base = Sha::new(git(&stage.forge(), &["rev-parse", crate::stage::BASE]).trim());
    let head = changed(stage.implement("echo changed > src/one.txt"));
    let (command, minute) = (format!("{}echo searched", search(&stage)), Span::from_secs(60));
    let commands = vec![command];
    let setup = Job::Setup {
        run: RUN,
        path: stage.worktree(),
        commands: commands.clone(),
        timeout: minute,
    };
    let preflight = Job::Preflight {
        run: RUN,
        commit: head.commit.clone(),
        setup: commands.clone(),
        setup_timeout: minute,
        commands: commands.clone(),
        timeout: minute,
    };
    let integrity = Job::Integrity {
        run: RUN,
        base,
        commit: head.commit,
        setup: commands.clone(),
        setup_timeout: minute,
        commands,
        timeout: minute,
        test_globs: vec!["src/**".to_owned()],
        checks_timeout: minute,
        plan: None,
    };
    for (job, what) in [(setup, "setup"), (preflight, "preflight"), (integrity, "integrity")] {
        let outcome = stage.run(&job, "");
        assert!(matches!(outcome, Outcome::CommandsPassed { .. }), "{what}: {outcome:?}");
        let said = response(&stage, what);
        assert!(said.contains("searched"), "{what}: {said}");
        nothing_found(&said, what);
    }
}

/// Editors write a new file and move it into the place of the old one, which takes a cover with it; others leave copies.
#[test]
fn a_secret_that_is_replaced_during_a_turn_stays_out_of_sight() {
    let Some(mut stage) = stage() else { return };
    // The agent's own script lies beside these, so that their folder is shown.
    let secret = stage.folder.join("app.pem");
    let base = Sha::new(git(&stage.forge(), &["rev-parse", crate::stage::BASE]).trim());
    let folder = stage.folder.display();
    stage.script(&format!(
        "echo beside > beside.txt; cat '{folder}/beside.txt' >> beside.txt; echo started\n\
         until cat '{folder}/go.txt' 2>/dev/null | grep -q go; do sleep 0.02; done\n{}echo searched\n",
        search(&stage)
    ));
    fs::write(stage.folder.join("beside.txt"), "is shown\n").expect("a file");
    fs::write(stage.folder.join("go.txt"), "").expect("a file");
    stage.start(&Job::Turn(Box::new(stage.turn(Role::Implement, &base, None))), "Do it");
    loop {
        match stage.reports.recv_timeout(WAIT).expect("a report") {
            Report::Output { line, .. } if line.contains("started") => break,
            Report::Output { .. } | Report::Used { .. } | Report::Suspected { .. } => {}
            Report::Finished { outcome, .. } => panic!("not started: {outcome:?}"),
        }
    }
    for beside in ["app.pem.new", ".app.pem.swp"] {
        fs::write(stage.folder.join(beside), TOKEN).expect("a file");
    }
    fs::rename(stage.folder.join("app.pem.new"), &secret).expect("a new file in its place");
    fs::write(stage.folder.join("go.txt"), "go").expect("a file");
    let head = changed(stage.finished().0);
    let said = response(&stage, "implement");
    assert!(said.contains("searched"), "{said}");
    nothing_found(&said, "implement");
    let beside = git(&stage.mirror(), &["show", &format!("{}:beside.txt", head.commit)]);
    assert_eq!(beside, "beside\nis shown\n", "the rest of the folder is seen");
}

/// Paths that an agent writes down or a script mentions are not shown for it.
#[test]
fn only_a_command_of_the_operators_shows_what_it_names() {
    let Some(mut stage) = stage() else { return };
    let other = tempfile::tempdir().expect("a folder");
    let file = other.path().join("token.txt");
    fs::write(&file, TOKEN).expect("a file");
    let named = format!("grep -q . '{}' && echo FOUND; echo searched", file.display());
    let setup = Job::Setup {
        run: RUN,
        path: stage.worktree(),
        commands: vec![named.clone()],
        timeout: Span::from_secs(60),
    };
    stage.run(&setup, "");
    assert!(response(&stage, "setup").contains("FOUND"), "the operator's own command may");
    let script = format!("{named}\necho x > a.txt");
    changed(stage.implement(&script));
    nothing_found(&response(&stage, "implement"), "an agent that names a path");
}

#[test]
fn programs_are_found_and_nothing_outside_can_be_written() {
    let Some(mut stage) = stage() else { return };
    let script = format!(
        "for place in / /usr /etc /opt '{}' '{}'; do touch \"$place/written\" 2>/dev/null && echo \"FOUND $place\"; done\n\
         git --version > tools.txt; sh -c 'command -v awk' >> tools.txt; cat /etc/passwd | wc -l >> tools.txt\n",
        stage.folder.display(),
        stage.home.display(),
    );
    let head = changed(stage.implement(&script));
    nothing_found(&response(&stage, "implement"), "implement");
    let tools = git(&stage.mirror(), &["show", &format!("{}:tools.txt", head.commit)]);
    assert!(tools.starts_with("git version"), "{tools}");
    assert!(tools.lines().count() == 3, "{tools} ({:?})", path());
}
