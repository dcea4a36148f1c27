//! Objects of git other than commits: of what kind one is, and tags with a message.

use super::Git;
use super::fault::GitFault;
use super::sha::Sha;
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    Commit,
    Tag,
    Tree,
    Blob,
}

impl ObjectKind {
    /// Git's word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Tag => "tag",
            Self::Tree => "tree",
            Self::Blob => "blob",
        }
    }

    pub(crate) fn of(name: &str) -> Option<Self> {
        let all = [Self::Commit, Self::Tag, Self::Tree, Self::Blob];
        all.into_iter().find(|kind| kind.name() == name)
    }
}

/// A tag with a message that is to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewTag {
    pub name: String,
    pub message: String,
    pub object: Sha,
    pub kind: ObjectKind,
    pub tagger: String,
    pub email: String,
    /// Unix seconds.
    pub at: u64,
}

/// A tag with a message, as git keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagObject {
    pub sha: Sha,
    pub tag: NewTag,
}

impl NewTag {
    /// The bytes of the object.
    pub(super) fn write(&self) -> Vec<u8> {
        let plain = |text: &str| -> String {
            text.chars().filter(|character| !"<>\n\r\0".contains(*character)).collect()
        };
        let Self { name, message, object, kind, tagger, email, at } = self;
        let (tagger, email) = (plain(tagger), plain(email));
        let mut text = format!("object {object}\ntype {}\ntag {name}\n", kind.name());
        text.push_str(&format!("tagger {tagger} <{email}> {at} +0000\n\n"));
        text.push_str(&message.replace('\0', ""));
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text.into_bytes()
    }

    /// Reads the bytes of an object; none if it is no tag.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(bytes);
        let (head, message) = text.split_once("\n\n").unwrap_or((&text, ""));
        let value =
            |name: &str| head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        // Very old tags do not say who made them.
        let (tagger, email, at) = super::object::person(value("tagger").unwrap_or_default());
        Some(Self {
            name: value("tag")?.to_owned(),
            message: message.to_owned(),
            object: value("object")?.parse().ok()?,
            kind: ObjectKind::of(value("type")?)?,
            tagger: tagger.to_owned(),
            email: email.to_owned(),
            at,
        })
    }
}

impl Git {
    /// Of what kind an object is, if it is here.
    pub(crate) fn kind(&self, sha: Sha) -> Result<Option<ObjectKind>, GitFault> {
        Ok(self.kinds(&[sha])?.pop().flatten())
    }

    /// Of what kind each object is, if it is here.
    pub(crate) fn kinds(&self, shas: &[Sha]) -> Result<Vec<Option<ObjectKind>>, GitFault> {
        match self {
            Self::Memory(graph) => Ok(shas.iter().map(|sha| graph.kind(*sha)).collect()),
            Self::Disk(bare) => bare.kinds(shas),
        }
    }

    /// Returns whether a commit can be made over this tree: it is here, and it is a tree.
    pub(crate) fn contains_tree(&self, sha: Sha) -> Result<bool, GitFault> {
        match self {
            Self::Memory(graph) => Ok(graph.contains_tree(sha)),
            Self::Disk(bare) => Ok(bare.kinds(&[sha])? == [Some(ObjectKind::Tree)]),
        }
    }

    /// A tag with a message.
    pub(crate) fn tag(&self, sha: Sha) -> Result<Option<TagObject>, GitFault> {
        match self {
            Self::Memory(graph) => Ok(graph.tag(sha).cloned()),
            Self::Disk(bare) => bare.tag(sha),
        }
    }

    pub(crate) fn add_tag(&mut self, new: &NewTag) -> Result<TagObject, GitFault> {
        match self {
            Self::Memory(graph) => Ok(Arc::make_mut(graph).add_tag(new)),
            Self::Disk(bare) => bare.add_tag(new),
        }
    }
}
