//! The commit under judgement with the base's own tests and check definitions in it. It is put together from git's
//! objects alone and checked out as any other commit is, so that no link in a worktree leads anywhere.

mod parts;

use crate::git::GitError;
use crate::git_workspaces::Mirror;
use crate::private_files;
use parts::{Held, has_parts, held};
use ralph_core::ids::Sha;
use ralph_core::test_files::{
    Kind, Patterns, is_data, is_definition_when_new, is_running_test, kind_of, may_be_script,
    may_need, mentions, named_among, named_in,
};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The mode of an entry that is to go, and the id that goes with it.
const GONE: (&str, &str) = ("0", "0000000000000000000000000000000000000000");
/// The replacement of a new test in Rust: sources name their modules, and a named one has to exist.
const RUST_STAND_IN: &str = "//! A test of the change that is left out here.\n";
const PLAIN_FILE: &str = "100644";
/// The function by which a Go test file controls all the other tests of its package.
const GO_RULER: &str = "func TestMain(";
/// Answer of git to a search that finds nothing.
const NOTHING_FOUND: i32 = 1;

/// The change under judgement, and the rules for it.
#[derive(Debug)]
pub(crate) struct Question<'a> {
    pub(crate) base: &'a Sha,
    pub(crate) commit: &'a Sha,
    pub(crate) commands: &'a [String],
    pub(crate) test_globs: &'a [String],
    pub(crate) plan: &'a str,
}

/// The commit with the base's versions in it, and without what is new and has a say in them.
#[derive(Debug)]
pub(crate) struct Overlay {
    pub(crate) commit: Sha,
    /// The base's version of the file, or none.
    pub(crate) files: Vec<String>,
    /// Nothing but new tests differs, so that the forge's checks will be the base's anyway.
    pub(crate) only_leaves_tests_out: bool,
}

/// A file that differs between base and commit.
#[derive(Debug)]
struct Change {
    old: (String, String),
    new: (String, String),
    is_added: bool,
    path: Vec<u8>,
    name: String,
}

/// `None`: no test and no check definition of the base is touched, but for those that the plan names, and no test is
/// new.
pub(crate) fn overlay(
    mirror: Mirror<'_>,
    index: &Path,
    question: &Question<'_>,
) -> Result<Option<Overlay>, GitError> {
    let drawing = Drawing { mirror, index: index.with_extension("overlay"), question };
    let drawn = drawing.draw();
    drop(std::fs::remove_file(&drawing.index));
    drawn
}

struct Drawing<'a> {
    mirror: Mirror<'a>,
    /// A file of our own, out of everybody's reach.
    index: PathBuf,
    question: &'a Question<'a>,
}

impl Drawing<'_> {
    fn draw(&self) -> Result<Option<Overlay>, GitError> {
        let changes = self.changes()?;
        let paths: Vec<&str> = changes.iter().map(|change| change.name.as_str()).collect();
        let named = named_among(&paths, &named_in(self.question.plan));
        let open: Vec<&Change> =
            changes.iter().filter(|change| !named.contains(change.name.as_str())).collect();
        let rulers = self.rulers(&open)?;
        let scripts = self.scripts(&open)?;
        let globs = Patterns::new(self.question.test_globs);
        let mut entries = Vec::new();
        let mut files = Vec::new();
        for change in open {
            let kind = kind_of(&change.name, &globs);
            let is_rule = kind == Some(Kind::Definition) || rulers.contains(&change.name);
            let counts = match change.is_added {
                true => {
                    (is_rule || is_definition_when_new(&change.name)) && !self.is_apart(change)?
                }
                false => is_rule || kind == Some(Kind::Test) || scripts.contains(&change.name),
            };
            if counts && let Some(entry) = self.entry_of(change)? {
                entries.extend(entry);
                files.push(change.name.clone());
            }
        }
        let only_leaves_tests_out = files.is_empty();
        for change in self.new_tests(&changes, &named)? {
            if !files.contains(&change.name) {
                entries.extend(self.left_out(change)?);
                files.push(format!("{} (left out)", change.name));
            }
        }
        if files.is_empty() {
            return Ok(None);
        }
        let commit = self.commit(&entries)?;
        Ok(Some(Overlay { commit, files, only_leaves_tests_out }))
    }

    /// New tests that something may run: one of them could end the run of the base's. Those that the plan names stay
    /// where something else that stays may need them: a test of the base that the plan names too, or a source.
    /// Leaves everything to the change where the base has only tests that the plan names.
    fn new_tests<'a>(
        &self,
        changes: &'a [Change],
        named: &BTreeSet<&str>,
    ) -> Result<Vec<&'a Change>, GitError> {
        let globs = &Patterns::new(self.question.test_globs);
        let is_new = |change: &&Change| change.is_added && is_running_test(&change.name, globs);
        let mut new: Vec<&Change> = changes.iter().filter(is_new).collect();
        let is_named = |change: &Change| named.contains(change.name.as_str());
        let is_freed = |path: &str| changes.iter().any(|it| it.name == path && is_named(it));
        let has_say = |path: &String| is_running_test(path, globs) && !is_freed(path);
        if new.is_empty() || !self.base_paths()?.iter().any(has_say) {
            return Ok(Vec::new());
        }
        if !new.iter().any(|change| is_named(change)) {
            return Ok(new);
        }
        let is_checked = |change: &Change| kind_of(&change.name, globs).is_some();
        if changes.iter().any(|it| !it.is_added && is_named(it) && is_checked(it)) {
            new.retain(|change| !is_named(change));
        }
        let is_source = |change: &&Change| !is_checked(change) && !is_data(&change.name);
        for source in changes.iter().filter(is_source) {
            let text = self.text(&source.new)?;
            new.retain(|change| !is_named(change) || !may_need(&text, &change.name));
        }
        Ok(new)
    }

    /// The entry of a new test that is left out.
    fn left_out(&self, change: &Change) -> Result<Vec<u8>, GitError> {
        if !change.name.ends_with(".rs") {
            return Ok(entry(GONE, &change.path));
        }
        let id = self.write(RUST_STAND_IN)?;
        Ok(entry((PLAIN_FILE, &id), &change.path))
    }

    /// Tells whether this belongs to a package in a separate folder in which the base has nothing.
    fn is_apart(&self, change: &Change) -> Result<bool, GitError> {
        let is_of_package = has_parts(&change.name) || is_definition_when_new(&change.name);
        let Some((folder, _)) = change.name.rsplit_once('/').filter(|_| is_of_package) else {
            return Ok(false);
        };
        let folder = format!("{folder}/");
        Ok(!self.base_paths()?.iter().any(|path| path.starts_with(&folder)))
    }

    fn changes(&self) -> Result<Vec<Change>, GitError> {
        let Question { base, commit, .. } = self.question;
        let range = format!("{base}...{commit}");
        let words = ["diff", "--no-ext-diff", "--raw", "--no-abbrev", "--no-renames", "-z", &range];
        let mut listed = Vec::new();
        self.mirror.call(&words).stream(&mut |bytes| listed.extend_from_slice(bytes))?;
        let mut fields = listed.split(|byte| *byte == 0).filter(|field| !field.is_empty());
        let mut changes = Vec::new();
        while let (Some(what), Some(path)) = (fields.next(), fields.next()) {
            let what = String::from_utf8_lossy(what);
            let parts: Vec<&str> = what.trim_start_matches(':').split(' ').collect();
            let &[old_mode, new_mode, old, new, status] = parts.as_slice() else { continue };
            changes.push(Change {
                old: (old_mode.to_owned(), old.to_owned()),
                new: (new_mode.to_owned(), new.to_owned()),
                is_added: status.starts_with('A'),
                path: path.to_owned(),
                name: String::from_utf8_lossy(path).into_owned(),
            });
        }
        Ok(changes)
    }

    /// New test files that would have a say in all the others.
    fn rulers(&self, changes: &[&Change]) -> Result<Vec<String>, GitError> {
        let is_new = |name: &str| changes.iter().any(|it| it.is_added && it.name == name);
        if !changes.iter().any(|it| it.is_added && it.name.ends_with("_test.go")) {
            return Ok(Vec::new());
        }
        let commit = self.question.commit.as_str();
        let words =
            ["grep", "-l", "-z", "--fixed-strings", "-e", GO_RULER, commit, "--", "*_test.go"];
        let found = match self.mirror.call(&words).quick() {
            Ok(found) => found,
            Err(error) if error.is_exit(NOTHING_FOUND) => String::new(),
            Err(error) => return Err(error),
        };
        let names = found.split('\0').filter_map(|it| Some(it.split_once(':')?.1.to_owned()));
        Ok(names.filter(|name| is_new(name)).collect())
    }

    /// Changed programs that the commands call, or a check definition of the base, or one of these programs.
    fn scripts(&self, changes: &[&Change]) -> Result<Vec<String>, GitError> {
        let mut texts = self.question.commands.join("\n");
        let edited: Vec<&&Change> = changes.iter().filter(|change| !change.is_added).collect();
        if edited.iter().any(|change| may_be_script(&change.name)) {
            for path in self.definitions()? {
                let name = format!("{}:{path}", self.question.base);
                texts.push('\n');
                texts.push_str(&self.mirror.call(&["cat-file", "blob", &name]).quick()?);
            }
        }
        let mut found: Vec<String> = Vec::new();
        loop {
            let next = edited.iter().find(|change| {
                let is_called = mentions(&texts, &change.name);
                let by_commands =
                    self.question.commands.iter().any(|it| mentions(it, &change.name));
                let counts = by_commands || may_be_script(&change.name);
                is_called && counts && !found.contains(&change.name)
            });
            let Some(script) = next else { return Ok(found) };
            texts.push('\n');
            texts.push_str(&self.text(&script.old)?);
            found.push(script.name.clone());
        }
    }

    /// The check definitions of the base.
    fn definitions(&self) -> Result<Vec<String>, GitError> {
        let mut paths = self.base_paths()?;
        paths.retain(|path| kind_of(path, &Patterns::default()) == Some(Kind::Definition));
        Ok(paths)
    }

    fn base_paths(&self) -> Result<Vec<String>, GitError> {
        let base = self.question.base.as_str();
        let words = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", base];
        let mut listed = Vec::new();
        self.mirror.call(&words).stream(&mut |bytes| listed.extend_from_slice(bytes))?;
        let paths = listed.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        Ok(paths.map(|path| String::from_utf8_lossy(path).into_owned()).collect())
    }

    /// The entry of the base; `None` if what counts of the file is the same. Only a file that is judged by its parts
    /// has to be read for that.
    fn entry_of(&self, change: &Change) -> Result<Option<Vec<u8>>, GitError> {
        if change.is_added {
            return Ok(Some(entry(GONE, &change.path)));
        }
        let is_file = |(mode, _): &(String, String)| mode.starts_with("100");
        let (old, new) = (&change.old, &change.new);
        if has_parts(&change.name) && is_file(old) && is_file(new) {
            let (base, head) = (self.text(old)?, self.text(new)?);
            match held(&change.name, &base, &head) {
                Held::AsItIs if old.0 == new.0 => return Ok(None),
                Held::AsItIs => return Ok(Some(entry((&old.0, &new.1), &change.path))),
                Held::Mixed(text) => {
                    return Ok(Some(entry((&old.0, &self.write(&text)?), &change.path)));
                }
                Held::Whole => {}
            }
        }
        Ok(Some(entry((&old.0, &old.1), &change.path)))
    }

    /// A file of this text among git's objects.
    fn write(&self, text: &str) -> Result<String, GitError> {
        let file = self.index.with_extension("mixed");
        let doing = GitError::file("write a file of the base");
        private_files::write(&file, text.as_bytes()).map_err(doing)?;
        let id = self.mirror.call(&["hash-object", "-w", "--stdin"]).input(&file).quick();
        drop(std::fs::remove_file(&file));
        Ok(id?.trim().to_owned())
    }

    /// The text of a file; nothing for a link to another repository.
    fn text(&self, (mode, id): &(String, String)) -> Result<String, GitError> {
        if !mode.starts_with("100") && !mode.starts_with("120") {
            return Ok(String::new());
        }
        let mut text = Vec::new();
        let call = self.mirror.call(&["cat-file", "blob", id]);
        call.stream(&mut |bytes| text.extend_from_slice(bytes))?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// The commit with its entries replaced by these. A file replaces a folder, and a folder a file.
    fn commit(&self, entries: &[u8]) -> Result<Sha, GitError> {
        let commit = self.question.commit;
        let list = self.index.with_extension("entries");
        private_files::write(&list, entries).map_err(GitError::file("list files of the base"))?;
        let call = |words: &[&str]| self.mirror.call(words).worktree(self.mirror.path, &self.index);
        drop(std::fs::remove_file(&self.index));
        call(&["read-tree", commit.as_str()]).quick()?;
        let words = ["update-index", "--replace", "-z", "--index-info"];
        let updated = call(&words).input(&list).quick();
        drop(std::fs::remove_file(&list));
        updated?;
        let tree = call(&["write-tree"]).quick()?;
        self.mirror.commit(tree.trim(), &[commit], "The base's tests and checks on this change")
    }
}

fn entry((mode, id): (&str, &str), path: &[u8]) -> Vec<u8> {
    [format!("{mode} {id}\t").as_bytes(), path, b"\0"].concat()
}
