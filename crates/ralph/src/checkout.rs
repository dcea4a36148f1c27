//! A checkout on this machine as detection needs it: its remotes, and its files as git knows them.

use crate::process::{Said, ask_at};
use crate::project::Listing;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// The largest beginning of a file that is looked at; manifests written by people are much smaller.
const FILE_BYTES_MAX: u64 = 1 << 20;

#[derive(Debug)]
pub(crate) struct Checkout {
    /// Names and addresses, as git would use them.
    pub(crate) remotes: Vec<(String, String)>,
    pub(crate) files: Listing,
}

/// The way to git: the search path of programs, and the user's folder with their settings of git.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GitSetting<'a> {
    pub(crate) path: Option<&'a OsStr>,
    pub(crate) home: Option<&'a Path>,
}

/// `None`: the folder is in no checkout.
pub(crate) fn read(folder: &Path, git: GitSetting<'_>) -> io::Result<Option<Checkout>> {
    let said = git.ask(folder, &["rev-parse", "--show-toplevel"])?;
    let top = PathBuf::from(said.stdout.trim_end_matches('\n'));
    if !said.is_success || top.as_os_str().is_empty() {
        return Ok(None);
    }
    let listed = git.ask(&top, &["ls-files", "-z"])?;
    let mut files = BTreeMap::new();
    for path in listed.stdout.split('\0').filter(|path| !path.is_empty()) {
        let is_read = Listing::is_read(path);
        let text = if is_read { beginning(&top.join(path)) } else { String::new() };
        files.insert(path.to_owned(), text);
    }
    let remotes = git.ask(&top, &["remote", "-v"])?;
    Ok(Some(Checkout { remotes: fetched(&remotes.stdout), files: Listing::new(files) }))
}

/// The files of the newest commit of one of Ralph's own clones; `None` when there is no such clone.
pub(crate) fn of_clone(clone: &Path, git: GitSetting<'_>) -> io::Result<Option<Listing>> {
    if !clone.is_dir() {
        return Ok(None);
    }
    let listed = git.ask(clone, &["ls-tree", "-r", "-z", "--name-only", "HEAD"])?;
    let mut files = BTreeMap::new();
    for path in listed.stdout.split('\0').filter(|path| !path.is_empty()) {
        let text = if Listing::is_read(path) {
            git.ask(clone, &["cat-file", "blob", &format!("HEAD:{path}")])?.stdout
        } else {
            String::new()
        };
        files.insert(path.to_owned(), text);
    }
    Ok(listed.is_success.then(|| Listing::new(files)))
}

impl GitSetting<'_> {
    fn ask(self, folder: &Path, arguments: &[&str]) -> io::Result<Said> {
        let folder = folder.to_str().ok_or_else(|| io::Error::other("its path is not UTF-8"))?;
        let all = [&["-C", folder, "-c", "core.fsmonitor=false"], arguments].concat();
        ask_at("git", &all, self.path, self.home)
    }
}

/// `origin<tab>address (fetch)`, once for each remote.
fn fetched(said: &str) -> Vec<(String, String)> {
    let one = |line: &str| {
        let (name, rest) = line.split_once('\t')?;
        Some((name.to_owned(), rest.strip_suffix(" (fetch)")?.to_owned()))
    };
    said.lines().filter_map(one).collect()
}

/// Empty for a link, a folder or a file that cannot be read.
fn beginning(path: &Path) -> String {
    let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
    let mut bytes = Vec::new();
    let file = if is_file { File::open(path).ok() } else { None };
    let read = file.map(|file| file.take(FILE_BYTES_MAX).read_to_end(&mut bytes));
    if matches!(read, Some(Ok(_))) {
        String::from_utf8_lossy(&bytes).into_owned()
    } else {
        String::new()
    }
}
