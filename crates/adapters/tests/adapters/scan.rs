//! Files that must not be part of a change: Ralph's own state, secrets, files beyond the limit. They are found in every
//! place, reported with their path, and never pushed.

use crate::stage::{BRANCH, Set, Stage, changed, commit_to_forge, git, reason};
use ralph_core::ids::{Branch, Sha};
use ralph_core::job::{Job, Role};
use ralph_core::words::{self, Texts};
use ralph_engine::ports::{Answer, Workspaces as _};
use ralph_engine::store::Store;

const TOKEN: &str = "ghp_0123456789abcdefABCDEF0123456789abcd";
const KEY_LINE: &str = "MIIEpAIBAAKCAQEAu0123456789abcdefghij";

/// A push of the last good commit, after which nothing that was refused is on the forge.
fn push(stage: &mut Stage, commit: &Sha) {
    let (issue, path) = (stage.issue.clone(), stage.worktree());
    let pushed = stage.adapters.workspaces.push(&issue, &path, &Branch::new(BRANCH), commit);
    assert_eq!(pushed, Answer::Happened(()));
    let all = git(&stage.forge(), &["log", "--all", "-p", "--text", "--format=%B"]);
    for secret in [TOKEN, KEY_LINE] {
        assert!(!all.contains(secret), "{secret} is on the forge");
    }
    let names = git(&stage.forge(), &["log", "--all", "--name-only", "--format="]);
    assert!(!names.contains("state.") && !names.contains(TOKEN), "{names}");
}

#[test]
fn a_secret_is_found_in_every_commit_and_never_pushed() {
    let key = format!("-----BEGIN PRIVATE KEY-----\\n{KEY_LINE}\\n");
    for (script, path, why, mend) in [
        (format!("echo 'token={TOKEN}' > a.env"), "a.env", "a token", "rm a.env"),
        (
            format!("echo {TOKEN} > a.env; git add a.env; git commit -qm Add"),
            "a.env",
            "a token",
            "rm a.env",
        ),
        (
            format!(
                "mkdir deep; echo {TOKEN} > deep/a.env; git add deep; git commit -qm Add; \
                 git rm -qf deep/a.env; git commit -qm Remove"
            ),
            "deep/a.env",
            "a token",
            "true",
        ),
        (
            format!("echo x > x; git add x; git commit -qm 'Use {TOKEN}'"),
            "the message of commit",
            "a token",
            "true",
        ),
        (format!("printf '%b' '{key}' > id.pem"), "id.pem", "a private key", "rm id.pem"),
        (
            format!("(head -c 3000000 /dev/zero; echo {TOKEN}; head -c 99 /dev/zero) > blob.bin"),
            "blob.bin",
            "a token",
            "rm blob.bin",
        ),
        (format!("ln -s {TOKEN} link"), "link", "a token", "rm link"),
        (format!("echo x > {TOKEN}.txt"), "the name of", "a token", "rm ghp_*.txt"),
        (
            format!(
                "mkdir -p deep/{TOKEN}; echo x > deep/{TOKEN}/x; git add deep; git commit -qm Add; \
                 git rm -qf deep/{TOKEN}/x; git commit -qm Remove"
            ),
            "the name of deep/",
            "a token",
            "true",
        ),
    ] {
        let mut stage = Stage::new();
        stage.prepare();
        let told = reason(stage.implement(&format!("set -e\necho good > good.txt\n{script}")));
        assert!(told.contains(path) && told.contains(why), "{script}: {told}");
        assert!(!told.contains(TOKEN) && !told.contains(KEY_LINE), "{told}");
        let head = changed(stage.implement(&format!("set -e\ntest -f good.txt\n{mend}")));
        let names = git(&stage.mirror(), &["ls-tree", "-r", "--name-only", head.commit.as_str()]);
        assert!(names.contains("good.txt"), "the work of the turn is kept: {names}");
        push(&mut stage, &head.commit);
    }
}

#[test]
fn what_looks_like_a_secret_and_is_in_the_base_already_is_no_reason_to_refuse() {
    let mut stage = Stage::new();
    commit_to_forge(&stage, crate::stage::BASE, "fixture.txt", &format!("one\n{TOKEN}\n"));
    commit_to_forge(&stage, crate::stage::BASE, TOKEN, "a fixture too\n");
    stage.prepare();
    let script = format!("echo two >> fixture.txt; cp fixture.txt copy.txt; cp {TOKEN} {TOKEN}.2");
    let head = changed(stage.implement(&script));
    let shown = git(&stage.mirror(), &["show", &format!("{}:copy.txt", head.commit)]);
    assert_eq!(shown, format!("one\n{TOKEN}\ntwo\n"));
}

#[test]
fn ralphs_own_files_are_no_part_of_a_change() {
    let mut stage = Stage::new();
    let base = stage.prepare();
    let store = stage.folder.join("store.sqlite");
    drop(Store::open(&store).expect("a store"));
    for (script, path, why) in [
        (format!("cp '{}' data.db", store.display()), "data.db", "Ralph's own state"),
        ("mkdir home; touch home/state.lock".to_owned(), "home/state.lock", "Ralph's own state"),
        ("cp \"$RALPH_PROMPT_FILE\" notes.md".to_owned(), "notes.md", "a prompt of Ralph's"),
        (
            "echo '{\"session\":\"s\",\"tokens\":{\"input\":1,\"output\":2}}' > result.json"
                .to_owned(),
            "result.json",
            "the result file",
        ),
    ] {
        let turn = stage.turn(Role::Implement, &base, None);
        let prompt = words::prompt(&turn, &Texts::default()).unwrap().text;
        stage.script(&format!("set -e\n{script}"));
        let told = reason(stage.run(&Job::Turn(Box::new(turn)), &prompt));
        assert!(told.contains(path) && told.contains(why), "{script}: {told}");
        stage.script("rm -rf data.db home notes.md result.json; date >> good.txt");
        let turn = stage.turn(Role::Implement, &base, None);
        let head = changed(stage.run(&Job::Turn(Box::new(turn)), &prompt));
        push(&mut stage, &head.commit);
    }
}

#[test]
fn the_largest_file_is_what_the_operator_says() {
    let set = Set { file_bytes_max: Some(1_000), ..Set::default() };
    let mut stage = Stage::set(&set);
    stage.prepare();
    let committed = "head -c 1001 /dev/zero > big.bin; git add big.bin; git commit -qm Big";
    for script in ["head -c 1001 /dev/zero > big.bin", committed] {
        let told = reason(stage.implement(script));
        assert!(told.contains("big.bin has 1001 bytes, more than the 1000"), "{told}");
    }
    changed(stage.implement("head -c 1000 /dev/zero > big.bin"));
}

#[test]
fn a_link_to_a_commit_of_another_repository_that_leads_nowhere_is_refused() {
    let nowhere = "1234567890123456789012345678901234567890";
    let link = |to: &str| format!("git update-index --add --cacheinfo 160000,{to},lib");
    let modules = "printf '[submodule \"lib\"]\\n\\tpath = lib\\n\\turl = https://example.com/lib\\n' > .gitmodules; \
                   git add .gitmodules";
    for (script, is_refused) in [
        (format!("{}; git commit -qm Link", link(nowhere)), true),
        (format!("{modules}; {}; git commit -qm Link", link(nowhere)), true),
        (format!("{}; git commit -qm Link", link("$(git rev-parse HEAD)")), true),
        (
            format!(
                "printf '[submodule \"lib\"]\\n\\tpath = lib\\n' > .gitmodules; git add .gitmodules; {}; \
                     git commit -qm Link",
                link("$(git rev-parse HEAD)")
            ),
            true,
        ),
        (format!("{modules}; {}; git commit -qm Link", link("$(git rev-parse HEAD)")), false),
    ] {
        let mut stage = Stage::new();
        stage.prepare();
        let outcome = stage.implement(&format!("set -e\necho good > good.txt\n{script}"));
        if !is_refused {
            changed(outcome);
            continue;
        }
        let told = reason(outcome);
        assert!(told.contains("lib") && told.contains("submodule"), "{script}: {told}");
        let head = changed(
            stage.implement("set -e\ntest -f good.txt\ngit rm -q --cached lib || true\nrm -rf lib"),
        );
        let tree = git(&stage.mirror(), &["ls-tree", "-r", head.commit.as_str()]);
        assert!(!tree.contains("160000") && tree.contains("good.txt"), "{tree}");
    }
}

#[test]
fn links_of_the_base_stay_as_they_are_and_may_come_with_it() {
    let nowhere = "1234567890123456789012345678901234567890";
    let mut stage = Stage::new();
    link_on_forge(&stage, nowhere, "old");
    stage.prepare();
    let head = changed(stage.implement("echo good > good.txt"));
    let tree = git(&stage.mirror(), &["ls-tree", "-r", head.commit.as_str()]);
    assert!(tree.contains(nowhere), "{tree}");
    link_on_forge(&stage, nowhere, "new");
    stage.prepare();
    let head = changed(stage.implement("echo better > good.txt"));
    let tree = git(&stage.mirror(), &["ls-tree", "-r", head.commit.as_str()]);
    assert!(tree.contains("\told\n") && tree.contains("\tnew\n"), "{tree}");
    let told = reason(stage.implement(
        "git update-index --cacheinfo 160000,0987654321098765432109876543210987654321,old; git commit -qm Move",
    ));
    assert!(told.contains("old") && told.contains("submodule"), "{told}");
}

/// A link that a person has put on the base.
fn link_on_forge(stage: &Stage, to: &str, path: &str) {
    let (seed, forge) = (stage.folder.join("seed"), stage.forge().display().to_string());
    let base = crate::stage::BASE;
    git(&seed, &["fetch", "--quiet", &forge, base]);
    git(&seed, &["checkout", "--quiet", "--detach", "FETCH_HEAD"]);
    git(&seed, &["update-index", "--add", "--cacheinfo", &format!("160000,{to},{path}")]);
    git(&seed, &["commit", "--quiet", "-m", "Link"]);
    git(&seed, &["push", "--quiet", &forge, &format!("HEAD:refs/heads/{base}")]);
}
