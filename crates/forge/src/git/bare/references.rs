//! The references of a bare repository, read and made equal to what they should be.

use std::collections::BTreeMap;

use super::Bare;
use crate::git::fault::GitFault;
use crate::git::sha::Sha;

impl Bare {
    /// Every reference with what it points to, by full name.
    pub(crate) fn references(&self) -> Result<BTreeMap<String, Sha>, GitFault> {
        let arguments = ["for-each-ref", "--format=%(objectname) %(refname)"];
        let listed = self.answer("list references", arguments)?;
        let listed = String::from_utf8_lossy(&listed);
        let pair = |line: &str| {
            let (sha, name) = line.split_once(' ')?;
            Some((name.to_owned(), sha.parse().ok()?))
        };
        Ok(listed.lines().filter_map(pair).collect())
    }

    /// Moves references from one state to another in one step.
    pub(crate) fn move_references(
        &self,
        from: &BTreeMap<String, Sha>,
        to: &BTreeMap<String, Sha>,
    ) -> Result<(), GitFault> {
        let mut input = String::new();
        for name in from.keys().filter(|name| !to.contains_key(*name)) {
            input.push_str(&format!("delete {name}\0\0"));
        }
        for (name, sha) in to.iter().filter(|(name, sha)| from.get(*name) != Some(sha)) {
            input.push_str(&format!("update {name}\0{sha}\0\0"));
        }
        if input.is_empty() {
            return Ok(());
        }
        let git = self.git(["update-ref", "--no-deref", "--stdin", "-z"]).input(input);
        self.succeed("move references", git).map(|_output| ())
    }

    /// Says which branch a clone checks out.
    pub(crate) fn set_head(&self, branch: &str) -> Result<(), GitFault> {
        let target = format!("refs/heads/{branch}");
        self.answer("set the default branch", ["symbolic-ref", "HEAD", target.as_str()])?;
        Ok(())
    }

    /// Whether everything that these objects lead to is here.
    pub(crate) fn is_complete(&self, shas: &[Sha]) -> Result<bool, GitFault> {
        let input: String = shas.iter().map(|sha| format!("{sha}\n")).collect();
        let arguments = ["rev-list", "--objects", "--quiet", "--stdin", "--not", "--all"];
        let ended = self.finish("check what was pushed", self.git(arguments).input(input))?;
        Ok(ended.status.success())
    }
}
