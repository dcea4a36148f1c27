//! The base's own tests and check definitions on the change: what an agent did to them does not help it, and what
//! the plan names it may change.

use crate::stage::{BASE, RUN, Stage, changed, commit_to_forge, git};
use ralph_core::fact::Outcome;
use ralph_core::ids::Sha;
use ralph_core::job::Job;
use ralph_core::run::Head;
use ralph_core::time::Span;
use std::fs;

/// A project whose value has to be 1, and what checks that. `verify` is called by the Makefile alone.
const PROJECT: [(&str, &str); 5] = [
    ("value.txt", "1\n"),
    ("tests/value.sh", "test \"$(cat value.txt)\" = 1\n"),
    ("Makefile", "check:\n\tsh scripts/verify.sh\n"),
    ("scripts/verify.sh", "for it in tests/*.sh; do . \"./$it\" || exit 1; done\n"),
    (".ralph/checks.toml", "[[check]]\nname = \"CI\"\nrun = \"make check\"\n"),
];

/// The preflight of this project.
const CHECK: &str = "make check";

/// These files, committed to the base as a person would.
fn commit_all_to_forge(stage: &Stage, branch: &str, files: &[(&str, &str)]) {
    for (file, text) in files {
        let path = stage.folder.join("seed").join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        commit_to_forge(stage, branch, file, text);
    }
}

fn staged() -> (Stage, Sha) {
    let mut stage = Stage::new();
    commit_all_to_forge(&stage, BASE, &PROJECT);
    let base = stage.prepare();
    (stage, base)
}

fn judge(stage: &mut Stage, base: &Sha, head: &Head, plan: &str) -> Outcome {
    without_times(judged(stage, base, head, plan))
}

/// The duration of commands differs from run to run.
fn without_times(mut outcome: Outcome) -> Outcome {
    if let Outcome::CommandsPassed { ran, .. } = &mut outcome {
        ran.clear();
    }
    outcome
}

fn judged(stage: &mut Stage, base: &Sha, head: &Head, plan: &str) -> Outcome {
    let job = Job::Integrity {
        run: RUN,
        base: base.clone(),
        commit: head.commit.clone(),
        setup: Vec::new(),
        setup_timeout: Span::from_secs(120),
        commands: vec![CHECK.to_owned()],
        timeout: Span::from_secs(120),
        checks_timeout: Span::from_secs(120),
        test_globs: Vec::new(),
        plan: None,
    };
    stage.run(&job, plan)
}

fn preflight(stage: &mut Stage, head: &Head) -> Outcome {
    let job = Job::Preflight {
        run: RUN,
        commit: head.commit.clone(),
        setup: Vec::new(),
        setup_timeout: Span::from_secs(120),
        commands: vec![CHECK.to_owned()],
        timeout: Span::from_secs(120),
    };
    without_times(stage.run(&job, ""))
}

#[test]
fn tests_and_checks_that_were_made_to_pass_are_found_out() {
    for (what, script, file) in [
        ("deleted", "rm tests/value.sh; echo true > tests/other.sh", "tests/value.sh"),
        ("skipped", "sed -i '1i exit 0' tests/value.sh", "tests/value.sh"),
        ("ended early", "echo exit 0 > tests/a.sh", "tests/a.sh (left out)"),
        ("renamed", "git mv tests/value.sh tests/value.off; echo : > tests/x.sh", "tests/value.sh"),
        ("diluted", "echo 'test -f value.txt' > tests/value.sh", "tests/value.sh"),
        ("relaxed Makefile", "printf 'check:\\n\\ttrue\\n' > Makefile", "Makefile"),
        ("a Makefile before it", "printf 'check:\\n\\ttrue\\n' > GNUmakefile", "GNUmakefile"),
        ("a script behind it", "echo true > scripts/verify.sh", "scripts/verify.sh"),
        (
            "a link in place of the tests",
            "mkdir soft; echo true > soft/value.sh; rm -r tests; ln -s soft tests",
            "tests/value.sh",
        ),
        (
            "a repository in place of the tests",
            "rm -r tests; git init -q tests; cd tests; echo true > value.sh; git add .; \
             git commit -qm x; cd ..; git add tests; git commit -qm x",
            "tests/value.sh",
        ),
    ] {
        let (mut stage, base) = staged();
        let head = changed(stage.implement(&format!("set -e\necho 2 > value.txt\n{script}")));
        if what != "a repository in place of the tests" {
            let lied = preflight(&mut stage, &head);
            assert!(matches!(lied, Outcome::CommandsPassed { .. }), "{what}: {lied:?}");
        }
        let outcome = judge(&mut stage, &base, &head, "Intent: change `value.txt` as asked.");
        let Outcome::CommandsFailed { command, excerpt, .. } = outcome else {
            panic!("{what}: {outcome:?}")
        };
        assert_eq!(command, CHECK, "{what}");
        assert!(excerpt.contains(file), "{what}: {excerpt}");
    }
}

#[test]
fn a_changed_check_definition_alone_is_run_with_the_bases_and_may_hold() {
    let (mut stage, base) = staged();
    let script = "echo more > more.txt; sed -i s/CI/Other/ .ralph/checks.toml";
    let head = changed(stage.implement(script));
    assert_eq!(judge(&mut stage, &base, &head, ""), passed(), "the base's holds on it");
    let head = changed(stage.implement("echo 2 > value.txt; echo true > tests/value.sh"));
    let outcome = judge(&mut stage, &base, &head, "");
    let Outcome::CommandsFailed { excerpt, .. } = outcome else { panic!("{outcome:?}") };
    assert!(excerpt.contains(".ralph/checks.toml"), "{excerpt}");
}

fn passed() -> Outcome {
    Outcome::CommandsPassed { command: CHECK.to_owned(), ran: Vec::new() }
}

/// The outcome when nothing had to be run.
fn untouched() -> Outcome {
    Outcome::CommandsPassed { command: String::new(), ran: Vec::new() }
}

#[test]
fn the_bases_own_checks_are_run_after_preflight() {
    let mut stage = Stage::new();
    commit_all_to_forge(&stage, BASE, &PROJECT);
    let (lint, checks) = ("sh scripts/lint.sh", "[[check]]\nname = \"CI\"\nrun = \"make check\"\n");
    let checks =
        format!("{checks}[[check]]\nname = \"lint\"\nrun = \"{lint}\"\ntimeout = \"1m\"\n");
    let script = "! grep -q bad *.txt\n";
    let more = [(".ralph/checks.toml", checks.as_str()), ("scripts/lint.sh", script)];
    commit_all_to_forge(&stage, BASE, &more);
    let base = stage.prepare();
    let head = changed(stage.implement("echo bad > x.txt; echo true > scripts/lint.sh"));
    let outcome = judged(&mut stage, &base, &head, "");
    let Outcome::CommandsFailed { command, excerpt, ran } = outcome else { panic!("{outcome:?}") };
    assert_eq!(command, lint);
    assert!(excerpt.contains("scripts/lint.sh"), "{excerpt}");
    let ran: Vec<_> = ran.iter().map(|it| (it.command.as_str(), it.how.as_str())).collect();
    assert_eq!(ran, [(CHECK, "exit status 0"), (lint, "exit status 1")], "each once");
    let head = changed(stage.implement("echo good > x.txt; echo '# more' >> scripts/lint.sh"));
    let outcome = judge(&mut stage, &base, &head, "");
    let Outcome::CommandsPassed { command, .. } = outcome else { panic!("{outcome:?}") };
    assert_eq!(command, format!("{CHECK} && {lint}"));
    let script = "printf 'no toml' > .ralph/checks.toml; git commit -qam x";
    let head = changed(stage.implement(script));
    let plan = "Change `.ralph/checks.toml` and `scripts/lint.sh`; x.txt.";
    assert_eq!(judge(&mut stage, &base, &head, plan), untouched());
}

#[test]
fn what_the_plan_names_may_change_and_what_is_new_is_no_reason_to_refuse() {
    for (what, script, plan, expected) in [
        (
            "an honest edit",
            "echo 2 > value.txt; echo 'grep -q 2 value.txt' > tests/value.sh",
            "The value becomes 2, and `tests/value.sh` with it.",
            untouched(),
        ),
        (
            "a feature that goes",
            "git rm -q value.txt tests/value.sh; mkdir -p tests; echo true > tests/other.sh",
            "Remove value.txt and tests/value.sh.",
            untouched(),
        ),
        ("new tests only", "echo 'test -f value.txt' > tests/new.sh", "", passed()),
        ("new data only", "echo 1 > tests/value.txt", "", untouched()),
        ("no tests at all", "echo x > x.txt", "", untouched()),
        ("an edit that holds", "echo 'true # better' >> tests/value.sh", "", passed()),
        (
            "a new test with a helper that is not the base's",
            "echo ok > tests/helper.txt; echo 'grep -q ok tests/helper.txt' > tests/new.sh; \
             printf '\\ncheck: prepare\\nprepare:\\n\\ttrue\\n' >> Makefile",
            "",
            passed(),
        ),
    ] {
        let (mut stage, base) = staged();
        let head = changed(stage.implement(&format!("set -e\n{script}")));
        assert_eq!(preflight(&mut stage, &head), passed(), "{what}");
        assert_eq!(judge(&mut stage, &base, &head, plan), expected, "{what}");
    }
}

#[test]
fn a_new_test_that_needs_more_than_the_base_has_is_left_out_when_the_base_is_asked() {
    let (mut stage, base) = staged();
    let script = "echo helped=1 > tests/lib; sed -i '1i true' tests/value.sh\n\
                  echo 'grep -q true tests/value.sh' > tests/new.sh";
    let head = changed(stage.implement(script));
    assert_eq!(judge(&mut stage, &base, &head, ""), passed());
}

#[test]
fn a_plan_that_names_a_new_test_keeps_it_only_where_something_needs_it() {
    let ends = "echo 2 > value.txt; echo exit 0 > tests/a.sh";
    let helps = "echo 2 > value.txt; echo two=2 > tests/lib.sh; printf '. ./tests/lib.sh\\n\
                 test \"$(cat value.txt)\" = \"$two\"\\n' > tests/value.sh";
    let needs = "mkdir -p app/spec; echo two=2 > app/spec/words.sh; echo '. ./app/spec/words.sh' > app/run.sh; \
                 sed -i '1i sh app/run.sh || exit 1' tests/value.sh";
    for (what, script, plan, holds) in [
        ("named, and it ends the run", ends, "Add tests/a.sh.", false),
        ("a test that is named needs it", helps, "See tests/lib.sh and tests/value.sh.", true),
        ("a test that is not named needs it", helps, "Add tests/lib.sh.", false),
        ("a source needs it", needs, "Add app/spec/words.sh.", true),
    ] {
        let mut stage = Stage::new();
        commit_all_to_forge(&stage, BASE, &PROJECT);
        commit_all_to_forge(&stage, BASE, &[("tests/other.sh", "true\n")]);
        let base = stage.prepare();
        let head = changed(stage.implement(&format!("set -e\n{script}")));
        assert_eq!(preflight(&mut stage, &head), passed(), "{what}");
        let outcome = judge(&mut stage, &base, &head, plan);
        assert_eq!(matches!(outcome, Outcome::CommandsPassed { .. }), holds, "{what}: {outcome:?}");
    }
}

#[test]
fn what_is_new_in_a_folder_that_the_base_does_not_have_is_a_package_of_its_own() {
    let lists =
        "[[check]]\nname = \"CI\"\nrun = \"! ls deep/go.mod && ls new/go.mod new/Cargo.toml\"\n";
    let mut stage = Stage::new();
    commit_all_to_forge(&stage, BASE, &PROJECT);
    commit_all_to_forge(&stage, BASE, &[("deep/a.go", "x\n"), (".ralph/checks.toml", lists)]);
    let base = stage.prepare();
    let script = "set -e\nmkdir new; echo x | tee deep/go.mod new/go.mod new/Cargo.toml";
    let head = changed(stage.implement(script));
    let outcome = judge(&mut stage, &base, &head, "");
    assert!(matches!(outcome, Outcome::CommandsPassed { .. }), "{outcome:?}");
}

#[test]
fn a_new_test_in_rust_makes_way_for_an_empty_one_and_the_first_tests_stay() {
    let check = |run: &str| format!("[[check]]\nname = \"CI\"\nrun = \"{run}\"\n");
    for (base_has, run) in [
        ("tests/value.sh", "test -f src/tests.rs && ! grep -q fn src/tests.rs"),
        ("value.txt", "grep -q fn src/tests.rs"),
    ] {
        let mut stage = Stage::new();
        commit_all_to_forge(
            &stage,
            BASE,
            &[
                (base_has, "true\n"),
                ("Makefile", "check:\n\ttrue\n"),
                (".ralph/checks.toml", &check(run)),
            ],
        );
        let base = stage.prepare();
        let script =
            "set -e\nmkdir -p src; echo 'fn a() {}' > src/tests.rs; echo '# x' >> Makefile";
        let head = changed(stage.implement(script));
        let outcome = judge(&mut stage, &base, &head, "");
        assert!(matches!(outcome, Outcome::CommandsPassed { .. }), "{run}: {outcome:?}");
    }
}

#[test]
fn the_base_and_its_links_are_laid_over_within_the_checkout_only() {
    let (mut stage, base) = staged();
    let outside = stage.folder.join("outside");
    fs::create_dir(&outside).expect("a folder");
    let script = format!(
        "set -e\necho 2 > value.txt; rm -r tests scripts; ln -s '{}' tests; ln -s '{}' scripts",
        outside.display(),
        outside.display()
    );
    let head = changed(stage.implement(&script));
    let outcome = judge(&mut stage, &base, &head, "");
    assert!(matches!(outcome, Outcome::CommandsFailed { .. }), "{outcome:?}");
    assert_eq!(fs::read_dir(&outside).expect("a folder").count(), 0, "nothing went through it");
    let scratch = stage.home.join("worktrees/acme__widgets/scratch");
    assert_eq!(fs::read_dir(scratch).map_or(0, Iterator::count), 0, "nothing is left over");
    assert_eq!(git(&stage.worktree_path(), &["status", "--porcelain"]), "");
}

#[test]
fn a_dependency_more_is_no_relaxed_check() {
    let mut stage = Stage::new();
    let package = "{\"scripts\":{\"test\":\"true\"},\"dependencies\":{}}";
    commit_all_to_forge(&stage, BASE, &PROJECT);
    commit_all_to_forge(&stage, BASE, &[("package.json", package)]);
    let base = stage.prepare();
    let head = changed(stage.implement("sed -i 's/{}/{\"a\":\"1\"}/' package.json"));
    assert_eq!(judge(&mut stage, &base, &head, ""), untouched());
    let head = changed(stage.implement("sed -i 's/\"true\"/\"false\"/' package.json"));
    assert_eq!(judge(&mut stage, &base, &head, ""), passed(), "run with the base's scripts");
}
