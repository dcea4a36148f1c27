//! Objects on disk of whatever kind.

use super::Bare;
use crate::git::fault::GitFault;
use crate::git::object_kind::{NewTag, ObjectKind, TagObject};
use crate::git::sha::Sha;

impl Bare {
    /// Of what kind each object is, if it is here.
    pub(crate) fn kinds(&self, shas: &[Sha]) -> Result<Vec<Option<ObjectKind>>, GitFault> {
        let input: String = shas.iter().map(|sha| format!("{sha}\n")).collect();
        let git = self.git(["cat-file", "--batch-check=%(objecttype)"]).input(input);
        let answer = self.succeed("look at objects", git)?;
        let answer = String::from_utf8_lossy(&answer);
        Ok(answer.lines().map(ObjectKind::of).collect())
    }

    pub(crate) fn tag(&self, sha: Sha) -> Result<Option<TagObject>, GitFault> {
        if self.kinds(&[sha])? != [Some(ObjectKind::Tag)] {
            return Ok(None);
        }
        let bytes = self.answer("read a tag", ["cat-file", "tag", sha.to_string().as_str()])?;
        Ok(NewTag::read(&bytes).map(|tag| TagObject { sha, tag }))
    }

    /// Writes a tag. The same tag gets the same name whenever it is made.
    pub(crate) fn add_tag(&self, new: &NewTag) -> Result<TagObject, GitFault> {
        const DOING: &str = "write a tag";
        let git = self.git(["hash-object", "-t", "tag", "-w", "--stdin"]).input(new.write());
        let sha = self.one_sha(DOING, &self.succeed(DOING, git)?)?;
        Ok(TagObject { sha, tag: new.clone() })
    }
}
