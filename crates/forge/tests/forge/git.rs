//! The commit graph: ancestry, merges and differences.

use ralph_forge::{
    BadSha, BranchCommit, CompareCommits, CompareStatus, Content, Contents, FileStatus, GetCommit,
    GetContents, ListPullFiles, MoveBranch, NewCommit, Page, Sha, Trial,
};

use crate::world::{REPO, World};

fn compare(world: &mut World, base: &str, head: &str) -> (CompareStatus, usize, usize) {
    let call = CompareCommits { base: base.to_owned(), head: head.to_owned() };
    let found = world.ask("zoe", call);
    (found.status, found.ahead_by, found.behind_by)
}

fn conflicts(world: &mut World, base: &str, head: &str) -> Vec<String> {
    let (base, head) = (world.tip(base), world.tip(head));
    match &*world.forge.trial_merge(REPO, base, head).unwrap() {
        Trial::Clean(_) => Vec::new(),
        Trial::Conflict(paths) => paths.iter().map(|path| path.to_string()).collect(),
    }
}

#[test]
fn comparisons_count_commits_on_either_side() {
    let mut world = World::new();
    world.branch("feature");
    assert_eq!(compare(&mut world, "main", "feature"), (CompareStatus::Identical, 0, 0));
    world.write("feature", "a", "1");
    world.write("feature", "b", "1");
    assert_eq!(compare(&mut world, "main", "feature"), (CompareStatus::Ahead, 2, 0));
    assert_eq!(compare(&mut world, "feature", "main"), (CompareStatus::Behind, 0, 2));
    world.write("main", "c", "1");
    assert_eq!(compare(&mut world, "main", "feature"), (CompareStatus::Diverged, 2, 1));
    let gone = CompareCommits { base: "main".to_owned(), head: "gone".to_owned() };
    assert_eq!(world.refusal("zoe", gone).status, 404);
}

#[test]
fn a_comparison_shows_the_changes_since_the_merge_base_only() {
    let mut world = World::new();
    let base = world.tip("main");
    world.branch("feature");
    world.write("feature", "mine", "1");
    world.write("main", "theirs", "1");
    let call = CompareCommits { base: "main".to_owned(), head: "feature".to_owned() };
    let found = world.ask("zoe", call);
    assert_eq!(found.merge_base, base);
    let paths: Vec<&str> = found.files.iter().map(|file| &*file.path).collect();
    assert_eq!((paths, found.commits.len()), (vec!["mine"], 1));
}

#[test]
fn after_a_merge_the_merge_base_is_the_merged_commit() {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    let head = world.tip("feature");
    world.merge(number);
    world.write("main", "later", "1");
    world.write("feature", "again", "1");
    let call = CompareCommits { base: "main".to_owned(), head: "feature".to_owned() };
    assert_eq!(world.ask("zoe", call).merge_base, head);
}

#[test]
fn a_merge_descends_from_both_sides_however_long_they_are() {
    for (main, feature) in [(3, 1), (1, 3)] {
        let mut world = World::new();
        world.branch("feature");
        for (branch, count) in [("main", main), ("feature", feature)] {
            for step in 0..count {
                world.write(branch, branch, &step.to_string());
            }
        }
        let sides = ["main", "feature"].map(|branch| world.tip(branch));
        let number = world.pull_between("feature", "main", "");
        let merge = world.merge(number);
        for side in sides {
            assert!(world.forge.is_ancestor(REPO, side, merge));
            assert!(!world.forge.is_ancestor(REPO, merge, side));
        }
    }
}

#[test]
fn changed_files_are_listed_by_path() {
    let mut world = World::new();
    world.branch("feature");
    let changes = [("README.md", None), ("A", Some("a")), ("z", Some("z"))];
    let changes = changes.map(|(path, text)| (path.to_owned(), text.map(str::to_owned)));
    let commit = BranchCommit {
        branch: "feature".to_owned(),
        content: Content::Changes(changes.into()),
        message: "Move".to_owned(),
    };
    world.forge.commit_on_branch("will", 1_000, REPO, commit).unwrap();
    let call = CompareCommits { base: "main".to_owned(), head: "feature".to_owned() };
    let files = world.ask("zoe", call).files;
    let files: Vec<_> = files.iter().map(|file| (&*file.path, file.status)).collect();
    let expected =
        [("A", FileStatus::Added), ("README.md", FileStatus::Removed), ("z", FileStatus::Added)];
    assert_eq!(files, expected);
}

#[test]
fn different_files_merge_and_the_same_file_conflicts_unless_equal() {
    let mut world = World::new();
    world.branch("feature");
    world.write("feature", "mine", "1");
    world.write("main", "theirs", "1");
    assert_eq!(conflicts(&mut world, "main", "feature"), [""; 0]);
    world.write("feature", "both", "same");
    world.write("main", "both", "same");
    assert_eq!(conflicts(&mut world, "main", "feature"), [""; 0]);
    world.write("feature", "README.md", "a");
    world.write("main", "README.md", "b");
    assert_eq!(conflicts(&mut world, "main", "feature"), ["README.md"]);
}

#[test]
fn removing_what_the_other_side_changed_conflicts() {
    let mut world = World::new();
    world.branch("feature");
    world.write("feature", "README.md", "changed");
    let removal = BranchCommit {
        branch: "main".to_owned(),
        content: Content::Changes([("README.md".to_owned(), None)].into()),
        message: "Remove".to_owned(),
    };
    world.forge.commit_on_branch("will", 1_000, REPO, removal).unwrap();
    assert_eq!(conflicts(&mut world, "main", "feature"), ["README.md"]);
}

#[test]
fn a_workspace_resolves_a_conflict_by_merging_the_base_into_the_head() {
    let mut world = World::new();
    let number = world.pull("feature", "main", "");
    let theirs = world.write("main", "feature", "clash");
    assert_eq!(world.judged(number).mergeable, Some(false));
    let ours = world.tip("feature");
    let resolved = world.forge.commit(
        REPO,
        NewCommit {
            parents: vec![ours, theirs],
            content: Content::written([("feature", "resolved")]),
            message: "Merge main".to_owned(),
            author: "will".to_owned(),
            at: 1_000,
        },
    );
    let (branch, sha) = ("feature".to_owned(), resolved.unwrap());
    world.ask("will", MoveBranch { branch, sha, force: false });
    assert_eq!(world.judged(number).mergeable, Some(true));
    world.merge(number);
}

#[test]
fn equal_trees_have_equal_names() {
    let mut world = World::new();
    let parent = world.tip("main");
    let new = |message: &str| NewCommit {
        parents: vec![parent],
        content: Content::written([("a", "1")]),
        message: message.to_owned(),
        author: "will".to_owned(),
        at: 1_000,
    };
    let shas = ["One", "Other"].map(|message| world.forge.commit(REPO, new(message)).unwrap());
    assert_ne!(shas[0], shas[1]);
    let trees = shas.map(|sha| world.forge.find_commit(REPO, sha).unwrap().tree);
    assert_eq!(trees[0], trees[1]);
}

#[test]
fn a_changed_file_comes_with_its_counts_and_patch() {
    let mut world = World::new();
    world.write("main", "list", "one\ntwo\nthree\n");
    world.branch("feature");
    world.write("feature", "list", "one\n2\n2b\nthree\n");
    let number = world.pull_between("feature", "main", "");
    let pull = world.see_pull(number);
    assert_eq!((pull.changed_files, pull.additions, pull.deletions), (1, 2, 1));
    let call = ListPullFiles { number, page: Page::default() };
    let files = world.ask("zoe", call).items;
    let patch = files[0].patch.as_deref().unwrap();
    assert!(patch.starts_with("@@ -"), "{patch}");
    assert!(patch.contains("\n-two\n+2\n+2b"), "{patch}");
    assert!(!patch.ends_with('\n'), "{patch}");
}

#[test]
fn commits_and_files_are_read_by_branch_or_sha() {
    let mut world = World::new();
    let sha = world.write("main", "src/a.rs", "fn a() {}");
    for reference in ["main".to_owned(), sha.to_string()] {
        let get = GetCommit { reference: reference.clone() };
        assert_eq!(world.ask("zoe", get).sha, sha);
        let contents = |path: &str| GetContents {
            reference: reference.clone(),
            path: path.to_owned(),
            bytes_max: usize::MAX,
        };
        let found = world.ask("zoe", contents("src/a.rs"));
        let Contents::File(file) = found else { panic!("unexpected {found:?}") };
        assert_eq!(file.bytes.as_deref(), Some(b"fn a() {}".as_slice()));
        assert_eq!(world.refusal("zoe", contents("src/b.rs")).status, 404);
    }
    let unknown = GetCommit { reference: "nowhere".to_owned() };
    assert_eq!(world.refusal("zoe", unknown).status, 422);
}

#[test]
fn a_sha_is_40_hexadecimal_digits_and_reads_back() {
    let sha = World::new().tip("main");
    assert_eq!(sha.to_string().len(), 40);
    assert_eq!(sha.to_string().parse(), Ok(sha));
    for text in ["", "abc", &"g".repeat(40), &"é".repeat(20)] {
        assert_eq!(text.parse::<Sha>(), Err(BadSha), "{text}");
    }
}
