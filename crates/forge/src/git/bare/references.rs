//! The references of a bare repository, read and made equal to what they should be.

use std::collections::BTreeMap;

use super::{Bare, upkeep};
use crate::git::fault::GitFault;
use crate::git::ref_name;
use crate::git::sha::Sha;
use crate::process::Git;

const SHA_DIGITS: usize = 40;

impl Bare {
    /// Every reference with what it points to, by full name.
    pub(crate) fn references(&self) -> Result<BTreeMap<String, Sha>, GitFault> {
        // Their types are asked for because git looks at the objects then, and says if one is missing.
        let arguments = ["for-each-ref", "--format=%(objectname) %(objecttype) %(refname)"];
        let listed = self.answer("list references", arguments)?;
        let pair = |line: &[u8]| {
            let mut words = line.splitn(3, |byte| *byte == b' ');
            let sha = std::str::from_utf8(words.next()?).ok()?.parse().ok()?;
            Some((ref_name::from_bytes(words.nth(1)?), sha))
        };
        Ok(listed.split(|byte| *byte == b'\n').filter_map(pair).collect())
    }

    /// Moves references from one state to another: first those that go, since one of them may be a
    /// folder of one that comes.
    pub(crate) fn move_references(
        &self,
        from: &BTreeMap<String, Sha>,
        to: &BTreeMap<String, Sha>,
    ) -> Result<(), GitFault> {
        let (mut gone, mut come) = (Vec::new(), Vec::new());
        for name in from.keys().filter(|name| !to.contains_key(*name)) {
            gone.extend([b"delete ", &*ref_name::to_bytes(name), b"\0\0"].concat());
        }
        for (name, sha) in to.iter().filter(|(name, sha)| from.get(*name) != Some(sha)) {
            let sha = sha.to_string();
            let words: [&[u8]; 5] =
                [b"update ", &ref_name::to_bytes(name), b"\0", sha.as_bytes(), b"\0\0"];
            come.extend(words.concat());
        }
        for changes in [gone, come].into_iter().filter(|changes| !changes.is_empty()) {
            // In one transaction that only `commit` ends: input that breaks off changes nothing.
            let input = [b"start\0", &*changes, b"commit\0"].concat();
            let git = self.git(["update-ref", "--no-deref", "--stdin", "-z"]).input(input);
            self.succeed("move references", git)?;
        }
        Ok(())
    }

    /// Writes every reference again, whatever is there. Those that git refuses, with its words.
    pub(crate) fn rewrite_references(
        &self,
        wanted: &BTreeMap<String, Sha>,
    ) -> Result<Vec<(String, String)>, GitFault> {
        let forgotten = upkeep::forget_references(self.path());
        forgotten.map_err(|error| self.broken("write references again", error))?;
        if self.move_references(&BTreeMap::new(), wanted).is_ok() {
            return Ok(Vec::new());
        }
        let mut refused = Vec::new();
        for (name, sha) in wanted {
            let one = BTreeMap::from([(name.clone(), *sha)]);
            if let Err(fault) = self.move_references(&BTreeMap::new(), &one) {
                refused.push((name.clone(), fault.to_string()));
            }
        }
        Ok(refused)
    }

    /// Git's word on a name that no reference has yet. It is tried in an empty repository beside, so
    /// that only the name counts.
    pub(crate) fn takes_name(&self, name: &str) -> Result<bool, GitFault> {
        const DOING: &str = "try a name";
        if !ref_name::is_well_formed(name) {
            return Ok(false);
        }
        if self.folder.is_replaying() {
            return Ok(true);
        }
        let trial = self.path().join("name-trial");
        upkeep::make_whole(&trial).map_err(|error| self.broken(DOING, error))?;
        let nothing = "0".repeat(SHA_DIGITS);
        let words: [&[u8]; 5] = [
            b"start\0verify ",
            &ref_name::to_bytes(name),
            b"\0",
            nothing.as_bytes(),
            b"\0prepare\0abort\0",
        ];
        let git = Git::on(&trial, ["update-ref", "--stdin", "-z"]).input(words.concat());
        let ended = self.finish(DOING, git)?;
        if !ended.status.success() {
            upkeep::remove_locks(self.path());
        }
        Ok(ended.status.success())
    }

    /// Says which branch a clone checks out.
    pub(crate) fn set_head(&self, branch: &str) -> Result<(), GitFault> {
        let target = format!("refs/heads/{branch}");
        self.answer("set the default branch", ["symbolic-ref", "HEAD", target.as_str()])?;
        Ok(())
    }

    /// Returns whether everything that these objects lead to is here.
    pub(crate) fn is_complete(&self, shas: &[Sha]) -> Result<bool, GitFault> {
        let input: String = shas.iter().map(|sha| format!("{sha}\n")).collect();
        let arguments = ["rev-list", "--objects", "--quiet", "--stdin", "--not", "--all"];
        let ended = self.finish("check what was pushed", self.git(arguments).input(input))?;
        Ok(ended.status.success())
    }
}
