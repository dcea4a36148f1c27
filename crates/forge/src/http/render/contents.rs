//! Files and folders of a commit.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::{RenderContext, entries, object};
use crate::git::diff::{EntryKind, FileContent, FolderContent, FolderEntry};

/// GitHub breaks base64 after this many characters.
const LINE_CHARACTERS: usize = 60;

/// The repository and reference of a file or folder that is shown.
#[derive(Clone, Copy)]
pub(in crate::http) struct Place<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    /// `owner/name`.
    pub(in crate::http) repo: &'a str,
    /// The branch or sha that was asked for.
    pub(in crate::http) reference: &'a str,
}

impl Place<'_> {
    fn entries<M: SerializeMap>(&self, map: &mut M, entry: &FolderEntry) -> Result<(), M::Error> {
        let Self { render, repo, reference } = self;
        let (base, path, sha) = (render.base, &entry.path, entry.sha);
        let (kind, git, page) = match entry.kind {
            EntryKind::File => ("file", "blobs", "blob"),
            EntryKind::Symlink => ("symlink", "blobs", "blob"),
            EntryKind::Folder => ("dir", "trees", "tree"),
            EntryKind::Submodule => ("submodule", "trees", "tree"),
        };
        let is_file = git == "blobs";
        let download = is_file.then(|| format!("{base}/{repo}/raw/{reference}/{path}"));
        let links = Links {
            this: format!("{base}/repos/{repo}/contents/{path}?ref={reference}"),
            git: format!("{base}/repos/{repo}/git/{git}/{sha}"),
            html: format!("{base}/{repo}/{page}/{reference}/{path}"),
        };
        entries!(map, {
            "type": kind,
            "name": path.rsplit('/').next().unwrap_or(path),
            "path": path,
            "sha": sha,
            "url": links.this,
            "git_url": links.git,
            "html_url": links.html,
            "download_url": download,
            "_links": links,
        });
        Ok(())
    }
}

struct Links {
    this: String,
    git: String,
    html: String,
}

impl Serialize for Links {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, { "self": self.this, "git": self.git, "html": self.html })
    }
}

pub(in crate::http) struct FileContents<'a> {
    pub(in crate::http) place: Place<'a>,
    pub(in crate::http) file: &'a FileContent,
}

impl Serialize for FileContents<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let FileContent { entry, bytes } = self.file;
        let mut map = serializer.serialize_map(None)?;
        self.place.entries(&mut map, entry)?;
        map.serialize_entry("size", &entry.size.unwrap_or(0))?;
        match (entry.kind, bytes) {
            (EntryKind::Symlink, bytes) => {
                let target = bytes.as_deref().map(String::from_utf8_lossy);
                map.serialize_entry("target", &target.unwrap_or_default())?;
            }
            (EntryKind::Submodule | EntryKind::Folder, _none) => {
                map.serialize_entry("submodule_git_url", &None::<&str>)?;
            }
            (EntryKind::File, Some(bytes)) => {
                entries!(map, {
                    "encoding": "base64",
                    "content": lines(&STANDARD.encode(bytes)),
                });
            }
            // GitHub's limit; the file itself is had by git.
            (EntryKind::File, None) => {
                entries!(map, { "encoding": "none", "content": "" });
            }
        }
        map.end()
    }
}

fn lines(encoded: &str) -> String {
    let mut broken = String::with_capacity(encoded.len() + encoded.len() / LINE_CHARACTERS + 1);
    for (at, character) in encoded.chars().enumerate() {
        if at > 0 && at % LINE_CHARACTERS == 0 {
            broken.push('\n');
        }
        broken.push(character);
    }
    broken.push('\n');
    broken
}

/// A folder as one object.
pub(in crate::http) struct FolderContents<'a> {
    pub(in crate::http) place: Place<'a>,
    pub(in crate::http) folder: &'a FolderContent,
}

impl Serialize for FolderContents<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { place, folder } = self;
        let mut map = serializer.serialize_map(None)?;
        place.entries(&mut map, &folder.entry)?;
        entries!(map, {
            "size": 0,
            "entries": super::each(&folder.entries, |entry| EntryJson { place: *place, entry }),
        });
        map.end()
    }
}

pub(in crate::http) struct EntryJson<'a> {
    pub(in crate::http) place: Place<'a>,
    pub(in crate::http) entry: &'a FolderEntry,
}

impl Serialize for EntryJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.place.entries(&mut map, self.entry)?;
        map.serialize_entry("size", &self.entry.size.unwrap_or(0))?;
        map.end()
    }
}
