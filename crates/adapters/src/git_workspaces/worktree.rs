//! The files of a worktree. Ralph works on them from the mirror's side, with an index the agent cannot reach,
//! so that nothing in the worktree's own git folder has a say.

use super::git_folder::{At, GitFolder};
use super::mirror::Mirror;
use crate::folder::Folder;
use crate::git::{Call, GitError};
use crate::home::{Home, RunFolder};
use crate::private_files;
use ralph_core::ids::{Branch, Sha};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// The depth to which repositories inside a worktree are searched.
const NESTING_MAX: usize = 4;

/// A worktree on disk and what Ralph keeps about it elsewhere.
#[derive(Debug)]
pub(crate) struct Worktree<'a> {
    pub(crate) home: &'a Home,
    pub(crate) mirror: Mirror<'a>,
    /// With every link on the way resolved.
    pub(crate) path: PathBuf,
    pub(crate) index: PathBuf,
    pub(crate) folder: RunFolder,
    /// Larger files are not taken.
    pub(crate) file_bytes_max: u64,
}

impl<'a> Worktree<'a> {
    fn call(&self, words: &[&str]) -> Call<'a> {
        self.mirror.call(words).worktree(&self.path, &self.index)
    }

    /// Tells whether there is a folder with anything beside a git folder in it. An emptied worktree is a lost one.
    pub(crate) fn exists(&self) -> bool {
        let is_folder = self.path.symlink_metadata().is_ok_and(|it| it.is_dir());
        let mut entries = self.path.read_dir().into_iter().flatten().flatten();
        is_folder && entries.any(|entry| entry.file_name() != ".git")
    }

    fn opened(&self) -> Result<Folder, GitError> {
        Folder::open_trusted(&self.path).map_err(GitError::file("open the worktree"))
    }

    /// Fills an empty folder with a commit.
    pub(super) fn fill(&self, commit: &Sha) -> Result<(), GitError> {
        self.forget_index();
        self.call(&["read-tree", "--reset", "-u", commit.as_str()]).guarded().map(drop)
    }

    /// Moves the files from one commit to another and leaves changes alone; `false` if they are in the way.
    pub(super) fn run(&self, from: &Sha, to: &Sha) -> Result<bool, GitError> {
        self.settle_on(from)?;
        match self.call(&["read-tree", "-m", "-u", from.as_str(), to.as_str()]).guarded() {
            Ok(_) => Ok(true),
            Err(error) if error.is_exit(128) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Replaces the files of a commit by those of a tree, and removes anything in the way.
    pub(super) fn replace(&self, commit: &Sha, tree: &str) -> Result<(), GitError> {
        if self.run(commit, &Sha::new(tree))? {
            return Ok(());
        }
        self.call(&["read-tree", "--reset", "-u", tree]).guarded().map(drop)
    }

    /// Makes the index say that the worktree is on `commit`, and look at the files again. A worktree with
    /// changes is fine.
    fn settle_on(&self, commit: &Sha) -> Result<(), GitError> {
        self.unlock_index();
        let merged = self.call(&["read-tree", "-m", commit.as_str()]).quick();
        if merged.is_err() {
            // Lost or broken: then it is made from nothing.
            self.forget_index();
            self.call(&["read-tree", commit.as_str()]).quick()?;
        }
        // Says no when files differ from the commit, which is the rule and not a failure.
        match self.call(&["update-index", "-q", "--refresh"]).guarded() {
            Ok(_) => Ok(()),
            Err(error) if error.is_exit(1) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn forget_index(&self) {
        self.unlock_index();
        drop(std::fs::remove_file(&self.index));
    }

    /// A lock here is what a killed git left: a run has one piece of work at a time.
    fn unlock_index(&self) {
        drop(std::fs::remove_file(self.index.with_extension("lock")));
    }

    /// Puts the worktree's own git folder in order: on the branch, at the commit, without locks, and with
    /// Ralph's configuration. A git folder that cannot be repaired is replaced.
    pub(super) fn put_in_order(&self, at: At<'_>) -> Result<(), GitError> {
        let commit = match at {
            At::Branch(_, commit) | At::Commit(commit) => commit,
        };
        self.settle_on(commit)?;
        self.point(at)
    }

    /// As `put_in_order`, in the middle of a merge of `base` whose tree is `merged`: a commit finishes it.
    pub(super) fn put_in_merge(
        &self,
        (branch, ours): (&Branch, &Sha),
        (base, merged): (&Sha, &str),
    ) -> Result<(), GitError> {
        self.settle_on(&Sha::new(merged))?;
        self.point(At::Branch(branch, ours))?;
        let folder = GitFolder::open(&self.opened()?);
        let noted = folder.map_or(Ok(()), |folder| folder.note_merge(base));
        noted.map_err(GitError::file("note the merge in the worktree's git folder"))
    }

    /// Tells whether the worktree's branch is on this very commit.
    pub(super) fn is_at(&self, branch: &Branch, commit: &Sha) -> Result<bool, GitError> {
        let folder = GitFolder::open(&self.opened()?);
        Ok(folder.is_some_and(|folder| folder.is_at(branch, commit)))
    }

    /// As `put_in_order`, for files and index that were just filled from that commit.
    pub(super) fn point(&self, at: At<'_>) -> Result<(), GitError> {
        let doing = "put the worktree's git folder in order";
        let index = std::fs::read(&self.index).map_err(GitError::file(doing))?;
        let worktree = self.opened()?;
        let write = |folder: GitFolder| {
            folder.wash(self.mirror.path).and_then(|()| folder.point(at, &index))
        };
        if GitFolder::open(&worktree).is_some_and(|folder| write(folder).is_ok()) {
            return Ok(());
        }
        GitFolder::make(&worktree).and_then(write).map_err(GitError::file(doing))
    }

    /// Brings the worktree's branch into the mirror, under `reference`. `None`: nothing that was not known, or
    /// nothing that can be read.
    pub(super) fn import(
        &self,
        branch: &Branch,
        known: &Sha,
        reference: &str,
    ) -> Result<Option<Sha>, GitError> {
        // Most turns begin on what is known, and git takes its time to say that there is nothing new.
        if self.is_at(branch, known)? {
            return Ok(None);
        }
        let name = format!("refs/heads/{branch}");
        let Some(bundle) = self.bundle(&[&name, &format!("^{known}")])? else { return Ok(None) };
        let refspec = format!("+{name}:{reference}");
        let taken = self.take(&bundle, &[&refspec]);
        drop(std::fs::remove_file(&bundle));
        taken?;
        self.mirror.find(reference)
    }

    /// Packs up commits of the worktree's git folder, with no more rights than the agent had. `None` if
    /// there are none, or the folder has ceased to be a git folder.
    pub(super) fn bundle(&self, what: &[&str]) -> Result<Option<PathBuf>, GitError> {
        let doing = "read the worktree's git folder";
        let Some(folder) = GitFolder::open(&self.opened()?) else { return Ok(None) };
        if folder.wash(self.mirror.path).is_err() {
            return Ok(None);
        }
        let out = self.folder.incoming();
        private_files::make_folder(&out).map_err(GitError::file(doing))?;
        let bundle = out.join("bundle");
        let readable = vec![self.mirror.path.to_owned(), self.path.clone()];
        let access = self.home.access(vec![out], readable);
        let words = ["bundle", "create", "--quiet"];
        let file = bundle.to_string_lossy();
        let words = [words.as_slice(), &[file.as_ref()], what].concat();
        let git_dir = self.path.join(".git");
        match self.mirror.git.call(self.mirror.switch, &git_dir, &words).confined(access) {
            Ok(_) => Ok(Some(bundle)),
            Err(GitError::Failed { ending: ralph_contain::Ending::Exited(_), .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Takes a bundle into the mirror, every object of it checked.
    pub(super) fn take(&self, bundle: &Path, refspecs: &[&str]) -> Result<(), GitError> {
        let bundle = bundle.to_string_lossy();
        let words = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--refmap="];
        let call = self.mirror.call(&[words.as_slice(), &[bundle.as_ref()], refspecs].concat());
        call.setting("fetch.fsckObjects", "true").guarded().map(drop)
    }

    /// The tree of the files as they are, ignored ones left out, as if committed on `parent`. A file above
    /// `limit` is an error.
    pub(super) fn tree_now(&self, parent: &Sha, limit: u64) -> Result<String, GitError> {
        self.settle_on(parent)?;
        let list = self.changed_files()?;
        self.tree_with(&list, limit)
    }

    /// The tree of the files as they are now.
    pub(super) fn whole_tree(&self) -> Result<String, GitError> {
        self.forget_index();
        self.call(&["read-tree", "--empty"]).quick()?;
        let list = self.changed_files()?;
        self.tree_with(&list, u64::MAX)
    }

    /// As `tree_now`; `None` if no file differs from `parent`.
    pub(super) fn changed_tree(&self, parent: &Sha) -> Result<Option<String>, GitError> {
        self.settle_on(parent)?;
        let list = self.changed_files()?;
        if list.is_empty() { Ok(None) } else { self.tree_with(&list, u64::MAX).map(Some) }
    }

    fn tree_with(&self, list: &[u8], limit: u64) -> Result<String, GitError> {
        for name in names_in(list) {
            self.check_size(name, limit)?;
        }
        // `git add` would run git inside of submodules, with what is configured there.
        let (replaced, rest): (Vec<_>, Vec<_>) = names_in(list)
            .partition(|name| self.is_plain_folder(name) || self.is_behind_link(name));
        self.update_index(&["--force-remove"], &replaced)?;
        self.update_index(&["--add", "--remove", "--replace"], &rest)?;
        Ok(self.call(&["write-tree"]).quick()?.trim().to_owned())
    }

    fn update_index(&self, how: &[&str], names: &[&[u8]]) -> Result<(), GitError> {
        if names.is_empty() {
            return Ok(());
        }
        let file = self.index.with_extension("changed");
        let mut list = Vec::new();
        names.iter().for_each(|name| add(&mut list, &[name]));
        private_files::write(&file, &list).map_err(GitError::file("list the changed files"))?;
        let words = [&["update-index"], how, &["-z", "--stdin"]].concat();
        let updated = self.call(&words).input(&file).guarded();
        drop(std::fs::remove_file(&file));
        updated.map(drop)
    }

    /// Tells whether a folder above the file was replaced by a link, which puts the file outside of the worktree.
    fn is_behind_link(&self, name: &[u8]) -> bool {
        let above = Path::new(OsStr::from_bytes(name)).ancestors().skip(1);
        above
            .filter(|folder| !folder.as_os_str().is_empty())
            .any(|folder| self.path.join(folder).symlink_metadata().is_ok_and(|it| it.is_symlink()))
    }

    /// Tells whether a file was replaced by a folder of files.
    fn is_plain_folder(&self, name: &[u8]) -> bool {
        let path = self.path.join(OsStr::from_bytes(name));
        let is_folder = path.symlink_metadata().is_ok_and(|it| it.is_dir());
        is_folder && path.join(".git").symlink_metadata().is_err()
    }

    /// Changed, removed and new files, each followed by a NUL.
    fn changed_files(&self) -> Result<Vec<u8>, GitError> {
        let words = ["ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard"];
        let mut listed = Vec::new();
        self.call(&words).stream(&mut |bytes| listed.extend_from_slice(bytes))?;
        let mut list = Vec::with_capacity(listed.len());
        for name in names_in(&listed) {
            match name.strip_suffix(b"/") {
                None => add(&mut list, &[name]),
                Some(nested) => self.add_nested(nested, 1, &mut list)?,
            }
        }
        Ok(list)
    }

    /// A repository that the agent made inside its worktree: its files count, its history does not.
    fn add_nested(&self, nested: &[u8], depth: usize, list: &mut Vec<u8>) -> Result<(), GitError> {
        let path = self.path.join(OsStr::from_bytes(nested));
        if depth > NESTING_MAX {
            let text = format!("{}: repositories are nested too deep", path.display());
            return Err(GitError::Unusable(text));
        }
        let empty = self.index.with_extension("nested");
        drop(std::fs::remove_file(&empty));
        let words = ["ls-files", "-z", "--others", "--exclude-standard"];
        let call = self.mirror.call(&words).worktree(&path, &empty);
        let mut listed = Vec::new();
        call.stream(&mut |bytes| listed.extend_from_slice(bytes))?;
        for name in names_in(&listed) {
            match name.strip_suffix(b"/") {
                None => add(list, &[nested, b"/", name]),
                Some(inner) => self.add_nested(&[nested, b"/", inner].concat(), depth + 1, list)?,
            }
        }
        Ok(())
    }

    fn check_size(&self, name: &[u8], limit: u64) -> Result<(), GitError> {
        let name = Path::new(OsStr::from_bytes(name));
        let bytes = self.path.join(name).symlink_metadata().map_or(0, |it| it.len());
        if bytes <= limit {
            return Ok(());
        }
        Err(GitError::TooLarge { path: name.display().to_string(), bytes, limit })
    }
}

fn names_in(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    list.split(|byte| *byte == 0).filter(|name| !name.is_empty())
}

fn add(list: &mut Vec<u8>, parts: &[&[u8]]) {
    parts.iter().for_each(|part| list.extend_from_slice(part));
    list.push(0);
}
