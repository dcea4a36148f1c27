//! Agents that do what they should not: with their git folder, their history, their worktree, and everything
//! outside of it.

use crate::stage::{BASE, BRANCH, Kept, Set, Stage, changed, containments, git, reason};
use ralph_core::ids::Branch;
use ralph_core::run::Head;
use ralph_engine::ports::{Answer, Workspaces as _};
use std::fs;

fn ready(kept: Kept) -> Stage {
    let mut stage = Stage::kept(kept);
    stage.prepare();
    stage
}

fn show(stage: &Stage, head: &Head, file: &str) -> String {
    git(&stage.mirror(), &["show", &format!("{}:{file}", head.commit)])
}

/// Everything git does for Ralph after a turn: another turn, a look at the base, a push, a rescue.
fn go_on(stage: &mut Stage) -> Head {
    stage.prepare();
    let head = changed(stage.implement("echo again >> a.txt"));
    let (issue, path) = (stage.issue.clone(), stage.worktree());
    let workspaces = &mut stage.adapters.workspaces;
    let pushed = workspaces.push(&issue, &path, &Branch::new(BRANCH), &head.commit);
    assert_eq!(pushed, Answer::Happened(()));
    assert_eq!(git(&stage.forge(), &["rev-parse", BRANCH]).trim(), head.commit.as_str());
    let given_up = stage.adapters.workspaces.give_up(&path);
    assert!(matches!(given_up, Answer::Happened(Some(_))), "{given_up:?}");
    head
}

/// Settings by which a git folder makes its users run a program.
const TRAPS: &str = r#"
for key in core.fsmonitor diff.external core.sshCommand core.gitProxy core.pager core.editor gpg.program \
    core.alternateRefsCommand uploadpack.packObjectsHook filter.evil.clean filter.evil.smudge \
    filter.evil.process diff.evil.textconv diff.evil.command merge.evil.driver alias.status alias.bundle \
    alias.fetch alias.ls-files alias.read-tree alias.update-index alias.rev-parse
do git config "$key" "!$TRAP"; git config --add "$key" "$TRAP"; done
git config credential.helper "!$TRAP"
git config commit.gpgSign true
git config filter.evil.required true
git config core.hooksPath "$PWD/.hooks"
git config protocol.ext.allow always
git config "url.ext::sh -c $TRAP .insteadOf" "$FORGE"
git config remote.origin.url "ext::sh -c $TRAP"
git config remote.origin.promisor true
git config extensions.partialClone origin
git config extensions.worktreeConfig true
git config core.worktree /
cp .git/config .git/config.worktree
printf '[include]\n\tpath = config.worktree\n' >> .git/config
mkdir -p .hooks .git/info
for hook in pre-commit post-commit post-checkout post-index-change pre-push reference-transaction \
    post-update pre-receive post-merge fsmonitor-watchman
do printf '#!/bin/sh\n%s\n' "$TRAP" | tee ".git/hooks/$hook" > ".hooks/$hook"; done
chmod +x .git/hooks/* .hooks/*
echo '* filter=evil diff=evil merge=evil' | tee .gitattributes > .git/info/attributes
"#;

#[test]
fn what_an_agent_configures_or_hooks_runs_nothing_of_ralphs() {
    let mut stage = ready(Kept::ByGuard);
    let trap = stage.folder.join("sprung");
    let forge = stage.folder.join("forge");
    let head = changed(stage.implement(&format!(
        "set -e\nTRAP=\"touch '{}'\"; FORGE='{}'; mkdir -p .git/hooks\n\
         echo mine > a.txt; git add a.txt; git commit -qm Mine; echo left > b.txt\n{TRAPS}",
        trap.display(),
        forge.display()
    )));
    assert_eq!(show(&stage, &head, "a.txt"), "mine\n");
    assert_eq!(show(&stage, &head, "b.txt"), "left\n");
    assert!(!trap.exists(), "after the turn");
    go_on(&mut stage);
    assert!(!trap.exists(), "later on");
}

#[test]
fn a_repository_inside_the_worktree_runs_nothing_either() {
    let mut stage = ready(Kept::ByGuard);
    let trap = stage.folder.join("sprung");
    let nest = format!(
        "set -e\ngit init -q sub; cd sub; echo x > x; git add x; git commit -qm x\n\
         git config core.fsmonitor \"touch '{}'\"; cd ..\n",
        trap.display()
    );
    let as_submodule = "git -c core.fsmonitor= add sub 2>/dev/null; git commit -qm sub; \
                        echo y > sub/y; rm -f \"$TRAP\"\n";
    let head = changed(stage.implement(&nest));
    assert_eq!(show(&stage, &head, "sub/x"), "x\n", "its files are work too");
    let trap_line = format!("TRAP='{}'\n", trap.display());
    let renamed = format!("{trap_line}{nest}{as_submodule}").replace("sub", "mod");
    let refused = stage.implement(&renamed.replace("modmodule", "submodule"));
    assert!(format!("{refused:?}").contains("mod is a submodule"), "{refused:?}");
    assert!(!trap.exists());
    go_on(&mut stage);
    assert!(!trap.exists());
}

#[test]
fn a_git_folder_that_leads_elsewhere_is_not_followed() {
    for attack in [
        "rm -rf .git; ln -s \"$OTHER/.git\" .git",
        "rm -rf .git; echo \"gitdir: $OTHER/.git\" > .git",
        "echo \"$OTHER/.git\" > .git/commondir",
        "echo \"gitdir: $OTHER/.git\" > .git/.git",
        "echo \"$OTHER/.git/objects\" > .git/objects/info/alternates",
        "rm -rf .git/objects; ln -s \"$OTHER/.git/objects\" .git/objects",
        "rm -rf .git/refs; ln -s \"$OTHER/.git/refs\" .git/refs",
        "rm -f .git/index; ln -s \"$OTHER/precious\" .git/index",
        "rm -f .git/HEAD; ln -s \"$OTHER/precious\" .git/HEAD",
        "rm -f .git/config; ln -s \"$OTHER/precious\" .git/config",
        "rm -rf .git; mkdir .git",
        "rm -rf .git",
    ] {
        let mut stage = ready(Kept::ByGuard);
        let other = stage.folder.join("other");
        let from = ["clone", "--quiet", "--branch", BASE, &stage.forge().display().to_string()];
        git(&stage.folder, &[from.as_slice(), &["other"]].concat());
        git(&other, &["checkout", "--quiet", "-b", BRANCH]);
        fs::write(other.join("precious"), "precious").expect("a file");
        git(&other, &["add", "-A"]);
        git(&other, &["commit", "--quiet", "-m", "Private"]);
        let private = git(&other, &["rev-parse", "HEAD"]);
        let set = format!("OTHER='{}'\necho mine > a.txt\n{attack}\n", other.display());
        let head = changed(stage.implement(&set));
        let names = git(&stage.mirror(), &["ls-tree", "-r", "--name-only", head.commit.as_str()]);
        assert_eq!(names, ".gitignore\nREADME.md\na.txt\nsrc/one.txt\n", "{attack}");
        go_on(&mut stage);
        let objects = git(
            &stage.mirror(),
            &["cat-file", "--batch-all-objects", "--batch-check=%(objectname)"],
        );
        assert!(!objects.contains(private.trim()), "{attack}: nothing of it came in");
        assert_eq!(git(&other, &["rev-parse", "HEAD"]), private, "{attack}");
        assert_eq!(
            fs::read_to_string(other.join("precious")).expect("a file"),
            "precious",
            "{attack}"
        );
        assert_eq!(git(&other, &["status", "--porcelain"]), "", "{attack}");
    }
}

#[test]
fn an_agent_cannot_write_outside_of_its_worktree_where_bubblewrap_works() {
    if !containments().contains(&Kept::ByBubblewrap) {
        return;
    }
    let mut stage = ready(Kept::ByBubblewrap);
    fs::write(stage.home.join("config.toml"), "secret = 1\n").expect("a file");
    let targets = [
        stage.folder.join("outside.txt"),
        stage.home.join("state.sqlite"),
        stage.home.join("config.toml"),
        stage.mirror().join("config"),
        stage.forge().join("outside.txt"),
        stage.run_folder().join("index"),
    ];
    let mirror_config = fs::read(stage.mirror().join("config")).expect("a file");
    let mut script = String::new();
    for target in &targets {
        script.push_str(&format!("echo out 2>/dev/null > '{}' && echo WROTE\n", target.display()));
    }
    script.push_str(&format!("cat '{}' && echo READ\n", stage.home.join("config.toml").display()));
    script.push_str("mount -o remount,rw / && echo REMOUNTED\n");
    script.push_str("echo x > a.txt; echo y > \"$HOME/y\"; echo z > \"$TMPDIR/z\"; git add a.txt && git commit -qm a\n");
    script.push_str(
        "cat \"$HOME/y\" \"$TMPDIR/z\" | tr -d '\\n'; echo; ls /proc | grep -c '^[0-9]'\n",
    );
    let head = changed(stage.implement(&script));
    assert_eq!(show(&stage, &head, "a.txt"), "x\n");
    let response =
        fs::read_to_string(stage.run_folder().join("2-implement/response.txt")).expect("text");
    assert_eq!(response.lines().next(), Some("yz"), "nothing else works: {response}");
    let processes: u32 = response.lines().last().expect("a line").parse().expect("a number");
    assert!(processes < 8, "it sees its own processes only: {processes}");
    for target in &targets {
        let text = fs::read_to_string(target).unwrap_or_default();
        assert_ne!(text, "out\n", "{}", target.display());
    }
    assert_eq!(fs::read(stage.mirror().join("config")).expect("a file"), mirror_config);
}

#[test]
fn a_worktree_that_its_agent_removed_is_a_failed_turn_and_comes_back() {
    for kept in containments() {
        let mut stage = ready(kept);
        let reason = reason(stage.implement("here=$PWD; cd /; rm -rf \"$here\"; true"));
        assert_eq!(reason, "the turn removed its own worktree", "{kept:?}");
        let head = changed(stage.implement("test -f README.md && git status && echo x > a.txt"));
        assert_eq!(show(&stage, &head, "a.txt"), "x\n");
        assert_eq!(show(&stage, &head, "README.md"), "# Widgets\n");
    }
}

#[test]
fn locks_left_behind_stop_neither_ralph_nor_the_next_turn() {
    let mut stage = ready(Kept::ByGuard);
    let head = changed(stage.implement(
        "echo x > a.txt; git add a.txt; for lock in index HEAD config packed-refs \
         refs/heads/ralph/issue-7-do-it; do touch .git/$lock.lock; done; echo ref > .git/MERGE_HEAD",
    ));
    assert_eq!(show(&stage, &head, "a.txt"), "x\n");
    let next = changed(stage.implement("echo y > b.txt && git add b.txt && git commit -qm Next"));
    let log = git(&stage.mirror(), &["log", "--format=%s", next.commit.as_str()]);
    assert_eq!(log, "Next\nDo it\nBegin\n");
}

#[test]
fn history_only_moves_forward_whatever_the_agent_does_to_it() {
    for (attack, subjects) in [
        (
            "git reset -q --hard HEAD~1; echo z > z; git add z; git commit -qm Rewritten",
            "Do it\nFirst",
        ),
        ("git commit -q --amend -m Amended; echo z > z", "Do it\nFirst"),
        (
            "git checkout -q --orphan new; git commit -qm Orphan; echo z > z; git branch -D ralph/issue-7-do-it",
            "Do it\nFirst",
        ),
        ("git checkout -q -b aside; echo z > z; git add z; git commit -qm Aside", "Do it\nFirst"),
        (
            "git checkout -q --detach; echo z > z; git add z; git commit -qm Detached",
            "Do it\nFirst",
        ),
        ("echo z > z; git add z; git commit -qm Second", "Second\nFirst"),
    ] {
        let mut stage = ready(Kept::ByGuard);
        let first = changed(stage.implement("echo x > a; git add a; git commit -qm First"));
        let head = changed(stage.implement(attack));
        let log = git(&stage.mirror(), &["log", "--format=%s", head.commit.as_str()]);
        assert_eq!(log, format!("{subjects}\nBegin\n"), "{attack}");
        git(
            &stage.mirror(),
            &["merge-base", "--is-ancestor", first.commit.as_str(), head.commit.as_str()],
        );
        assert_eq!(show(&stage, &head, "z"), "z\n", "{attack}");
        let worktree = stage.worktree_path();
        assert_eq!(git(&worktree, &["symbolic-ref", "--short", "HEAD"]).trim(), BRANCH);
        assert_eq!(git(&worktree, &["status", "--porcelain"]), "", "{attack}");
        go_on(&mut stage);
    }
}

#[test]
fn a_file_the_forge_would_refuse_fails_the_turn_that_made_it() {
    let mut stage = ready(Kept::ByGuard);
    let said = reason(stage.implement("truncate -s 200M big.bin; echo x > a.txt"));
    assert!(said.contains("big.bin has 209715200 bytes"), "{said}");
    let said =
        reason(stage.implement("truncate -s 101M big.bin; git add big.bin; git commit -qm Big"));
    assert!(said.contains("has 105906176 bytes"), "{said}");
    let head = changed(stage.implement("git status; rm big.bin"));
    assert_eq!(show(&stage, &head, "a.txt"), "x\n", "taken out, it goes on");
}

#[test]
fn odd_names_and_kinds_of_files_are_taken_as_they_are() {
    let mut stage = ready(Kept::ByGuard);
    let head = changed(stage.implement(
        "printf x > \"$(printf 'caf\\351.txt')\"; printf y > '-n'; printf z > \"a b'c\\\"d\n e\"; \
         rm src/one.txt; mkdir src/one.txt; echo in > src/one.txt/in; ln -s /etc/passwd link; \
         mkfifo pipe; mkdir -p empty; printf '#!/bin/sh' > run; chmod +x run; printf 'a\\r\\n' > crlf; \
         mkdir ignored; echo no > ignored/no; echo yes > ignored/yes; git add -f ignored/yes; git commit -qm Forced",
    ));
    let names = git(
        &stage.mirror(),
        &["ls-tree", "-r", "--format=%(objectmode) %(path)", head.commit.as_str()],
    );
    let expected = "100644 -n\n100644 .gitignore\n100644 README.md\n100644 \"a b'c\\\"d\\n e\"\n\
                    100644 \"caf\\351.txt\"\n100644 crlf\n100644 ignored/yes\n120000 link\n100755 run\n\
                    100644 src/one.txt/in\n";
    assert_eq!(names, expected);
    assert_eq!(show(&stage, &head, "crlf"), "a\r\n");
    assert_eq!(show(&stage, &head, "link"), "/etc/passwd");
}

#[test]
fn blanks_quotes_and_links_in_the_way_to_the_home_do_no_harm() {
    for kept in containments() {
        let folder = "a folder with 'quotes', \"more\" and $(touch x)";
        let mut stage = Stage::set(&Set { kept, folder, is_home_linked: true, ..Set::default() });
        stage.prepare();
        let head = changed(stage.implement("pwd -P > here.txt; git rev-parse HEAD > head.txt"));
        let base = git(&stage.forge(), &["rev-parse", BASE]);
        assert_eq!(show(&stage, &head, "head.txt"), base, "{kept:?}");
        assert!(show(&stage, &head, "here.txt").contains("/real home/"), "the true path is given");
        go_on(&mut stage);
    }
}
