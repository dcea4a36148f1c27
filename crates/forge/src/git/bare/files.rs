//! The content of commits on disk: texts, paths and differences.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::Bare;
use crate::git::diff::{
    ChangeForm, Detail, EntryKind, FileChange, FileContent, FileStatus, FolderEntry,
};
use crate::git::fault::GitFault;
use crate::git::sha::Sha;

/// Longer texts are not read; GitHub's contents endpoint ends at the same size.
const TEXT_BYTES_MAX: usize = 1024 * 1024;

/// Longer patches are left out, as GitHub does with large ones.
const PATCH_BYTES_MAX: usize = 64 * 1024;

/// The tree without files; git knows it without being told.
const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

impl Bare {
    pub(crate) fn text(&self, commit: Sha, path: &str) -> Result<Option<Arc<str>>, GitFault> {
        let Some(found) = self.file(commit, path, TEXT_BYTES_MAX)? else { return Ok(None) };
        let too_long = || {
            GitFault::broken("read a text", format!("{path} is no text of {TEXT_BYTES_MAX} bytes"))
        };
        let bytes = found.bytes.ok_or_else(too_long)?;
        Ok(Some(String::from_utf8_lossy(&bytes).into()))
    }

    pub(crate) fn paths(&self, commit: Sha) -> Result<Vec<Arc<str>>, GitFault> {
        self.commit(commit)?;
        let commit = commit.to_string();
        let arguments = ["ls-tree", "-r", "-z", "--name-only", commit.as_str()];
        let listed = self.answer("list files", arguments)?;
        Ok(String::from_utf8_lossy(&listed).split_terminator('\0').map(Arc::from).collect())
    }

    pub(crate) fn folder(&self, commit: Sha, path: &str) -> Result<Vec<FolderEntry>, GitFault> {
        let commit = self.commit(commit)?.sha.to_string();
        let folder = if path.is_empty() { String::new() } else { format!("{path}/") };
        let options = ["--literal-pathspecs", "ls-tree", "-z", "-l", commit.as_str(), "--"];
        let wanted = Some(folder.as_str()).filter(|folder| !folder.is_empty());
        let listed = self.answer("list a folder", options.into_iter().chain(wanted))?;
        let listed = String::from_utf8_lossy(&listed);
        let mut entries: Vec<FolderEntry> =
            listed.split_terminator('\0').filter_map(entry).collect();
        entries.iter().try_for_each(|entry| self.need_content(entry))?;
        entries.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(entries)
    }

    /// The name of a folder's content; of what is no folder, that of the whole commit.
    pub(crate) fn folder_sha(&self, commit: Sha, path: &str) -> Result<Sha, GitFault> {
        let commit = self.commit(commit)?;
        if path.is_empty() {
            return Ok(commit.tree);
        }
        let sha = commit.sha.to_string();
        let about = ["--literal-pathspecs", "ls-tree", "-z", "-l", sha.as_str(), "--", path];
        let listed = self.answer("look for a folder", about)?;
        let listed = String::from_utf8_lossy(&listed);
        let found = listed.split_terminator('\0').find_map(entry);
        Ok(found.map_or(commit.tree, |entry| entry.sha))
    }

    pub(crate) fn file(
        &self,
        commit: Sha,
        path: &str,
        bytes_max: usize,
    ) -> Result<Option<FileContent>, GitFault> {
        const DOING: &str = "read a file";
        let commit = self.commit(commit)?.sha.to_string();
        if path.is_empty() {
            return Ok(None);
        }
        let about = ["--literal-pathspecs", "ls-tree", "-z", "-l", commit.as_str(), "--", path];
        let listed = self.answer(DOING, about)?;
        let listed = String::from_utf8_lossy(&listed);
        let Some(entry) = listed.split_terminator('\0').find_map(entry) else { return Ok(None) };
        if entry.kind == EntryKind::Folder {
            return Ok(None);
        }
        self.need_content(&entry)?;
        let is_shown = entry.size.is_some_and(|size| size <= bytes_max);
        let blob = entry.sha.to_string();
        let bytes = if is_shown {
            Some(self.answer(DOING, ["cat-file", "blob", blob.as_str()])?)
        } else {
            None
        };
        Ok(Some(FileContent { entry, bytes }))
    }

    /// A file whose size git cannot tell is lost. Nothing else would say so: without its content it
    /// looks like one that is too large to be shown.
    fn need_content(&self, entry: &FolderEntry) -> Result<(), GitFault> {
        let is_lost = match entry.kind {
            EntryKind::File | EntryKind::Symlink => entry.size.is_none(),
            EntryKind::Folder | EntryKind::Submodule => false,
        };
        if !is_lost {
            return Ok(());
        }
        let FolderEntry { path, sha, .. } = entry;
        Err(self.broken("read a file", format!("the content {sha} of {path} is missing")))
    }

    /// The one commit whose sha begins so, or that a tag of this sha leads to.
    pub(crate) fn find_commit(&self, beginning: &str) -> Result<Option<Sha>, GitFault> {
        let wanted = format!("{beginning}^{{commit}}");
        let git = self.git(["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted]);
        let ended = self.finish("look for a commit", git)?;
        Ok(String::from_utf8_lossy(&ended.output).trim().parse().ok())
    }

    pub(crate) fn show_changes(
        &self,
        from: Option<Sha>,
        to: Sha,
        form: ChangeForm,
    ) -> Result<Vec<u8>, GitFault> {
        const DOING: &str = "show changes";
        let (start, end) = ends(from, to);
        match (form, from) {
            (ChangeForm::Diff, _) => {
                let options = ["diff", "--no-color", "--no-ext-diff", "--full-index"];
                self.answer(DOING, options.into_iter().chain([start.as_str(), end.as_str()]))
            }
            (ChangeForm::Patch, Some(from)) => {
                let range = format!("{from}..{to}");
                self.answer(DOING, ["format-patch", "--stdout", "--no-signature", range.as_str()])
            }
            (ChangeForm::Patch, None) => self.answer(
                DOING,
                ["format-patch", "--stdout", "--no-signature", "--root", end.as_str()],
            ),
        }
    }

    pub(crate) fn changes(
        &self,
        from: Option<Sha>,
        to: Sha,
        detail: Detail,
    ) -> Result<Vec<FileChange>, GitFault> {
        let counted = self.changes.or_ask((from, to), || self.count_changes(from, to))?;
        let mut changes = (*counted).clone();
        match detail {
            Detail::Counts => {}
            Detail::Patches => self.add_patches(&mut changes, from, to)?,
        }
        Ok(changes)
    }

    fn count_changes(&self, from: Option<Sha>, to: Sha) -> Result<Arc<Vec<FileChange>>, GitFault> {
        self.commit(to)?;
        let (from, to) = ends(from, to);
        let options = ["diff-tree", "-r", "-z", "--no-renames", "--raw", "--numstat"];
        let arguments = options.into_iter().chain([from.as_str(), to.as_str()]);
        let listed = self.answer("compare files", arguments)?;
        Ok(Arc::new(parse_changes(&String::from_utf8_lossy(&listed))))
    }

    fn add_patches(
        &self,
        changes: &mut [FileChange],
        from: Option<Sha>,
        to: Sha,
    ) -> Result<(), GitFault> {
        let (from, to) = ends(from, to);
        let options = ["diff-tree", "-r", "-p", "--no-renames", "--no-color", "--no-ext-diff"];
        let arguments = options.into_iter().chain([from.as_str(), to.as_str()]);
        let shown = self.answer("show differences", arguments)?;
        let shown = String::from_utf8_lossy(&shown);
        let patches: Vec<Option<&str>> = patches(&shown).collect();
        // A file that became a link shows as two patches, so patches cannot be matched to files.
        if patches.len() == changes.len() {
            for (change, patch) in changes.iter_mut().zip(patches) {
                let short = patch.filter(|patch| patch.len() <= PATCH_BYTES_MAX);
                change.patch = short.map(Arc::from);
            }
        }
        Ok(())
    }

    /// The tree of `parent` with some files written (`Some`) or removed (`None`).
    pub(super) fn changed_tree(
        &self,
        parent: Option<Sha>,
        changes: &BTreeMap<String, Option<String>>,
    ) -> Result<Sha, GitFault> {
        const DOING: &str = "write a tree";
        let index = Index::new(self.path().join("forge-index"));
        let with_index = |arguments: &[&str]| self.git(arguments).env("GIT_INDEX_FILE", &index.0);
        let from = parent.map_or_else(|| EMPTY_TREE.to_owned(), |sha| sha.to_string());
        self.succeed(DOING, with_index(&["read-tree", &from]))?;
        let mut lines = String::new();
        for (path, text) in changes {
            match text {
                Some(text) => {
                    let hash = self.git(["hash-object", "-w", "--stdin"]).input(text.as_str());
                    let blob = self.one_sha(DOING, &self.succeed(DOING, hash)?)?;
                    lines.push_str(&format!("100644 {blob}\t{path}\0"));
                }
                None => lines.push_str(&format!("0 {}\t{path}\0", "0".repeat(40))),
            }
        }
        let update = with_index(&["update-index", "-z", "--index-info"]).input(lines);
        self.succeed(DOING, update)?;
        self.one_sha(DOING, &self.succeed(DOING, with_index(&["write-tree"]))?)
    }
}

/// Reads a line of `ls-tree -l`: mode, type, sha, size, and the path after a tab.
fn entry(line: &str) -> Option<FolderEntry> {
    let (about, path) = line.split_once('\t')?;
    let mut words = about.split_whitespace();
    let kind = match (words.next()?, words.next()?) {
        ("120000", _blob) => EntryKind::Symlink,
        (_mode, "tree") => EntryKind::Folder,
        (_mode, "commit") => EntryKind::Submodule,
        (_mode, _blob) => EntryKind::File,
    };
    let sha = words.next()?.parse().ok()?;
    let size = words.next()?.parse().ok();
    Some(FolderEntry { path: path.to_owned(), kind, sha, size })
}

/// A scratch index, deleted with this value.
struct Index(PathBuf);

impl Index {
    fn new(path: PathBuf) -> Self {
        let index = Self(path);
        index.remove();
        index
    }

    fn remove(&self) {
        // Absent is what is wanted; anything else shows when git cannot write it.
        drop(std::fs::remove_file(&self.0));
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        self.remove();
    }
}

fn ends(from: Option<Sha>, to: Sha) -> (String, String) {
    (from.map_or_else(|| EMPTY_TREE.to_owned(), |sha| sha.to_string()), to.to_string())
}

/// Reads `--raw` records (`:modes shas status`, then the path), followed by `--numstat` records.
fn parse_changes(listed: &str) -> Vec<FileChange> {
    let mut changes = Vec::new();
    let mut counts = BTreeMap::new();
    let mut fields = listed.split_terminator('\0');
    while let Some(field) = fields.next() {
        if let Some(raw) = field.strip_prefix(':') {
            let path = fields.next().unwrap_or_default();
            changes.extend(raw_change(raw, path));
        } else {
            let mut columns = field.splitn(3, '\t');
            let mut number = || columns.next().and_then(|count| count.parse().ok()).unwrap_or(0);
            let count = (number(), number());
            counts.insert(columns.next().unwrap_or_default(), count);
        }
    }
    for change in &mut changes {
        let count = counts.get(&*change.path).copied().unwrap_or_default();
        (change.additions, change.deletions) = count;
    }
    changes
}

fn raw_change(raw: &str, path: &str) -> Option<FileChange> {
    let mut words = raw.split(' ').skip(2);
    let [old, new] = [words.next()?, words.next()?].map(|sha| sha.parse::<Sha>().ok());
    let (status, blob) = match words.next()? {
        "A" => (FileStatus::Added, new?),
        "D" => (FileStatus::Removed, old?),
        _modified => (FileStatus::Modified, new?),
    };
    let (additions, deletions, patch) = (0, 0, None);
    Some(FileChange { path: Arc::from(path), status, blob, additions, deletions, patch })
}

/// One patch per file, from its first `@@` on, without the end of its last line.
fn patches(shown: &str) -> impl Iterator<Item = Option<&str>> {
    let shown = shown.strip_suffix('\n').unwrap_or(shown);
    // Lines of content begin with a sign or a space, so this can only be the head of a patch.
    let parts = shown.strip_prefix("diff --git ").into_iter();
    let parts = parts.flat_map(|shown| shown.split("\ndiff --git "));
    parts.map(|part| {
        let start = part.find("\n@@ ")?;
        part.get(start + 1..)
    })
}
