//! The sandbox profile: named owners and the beginning of a name. Outside of it nothing is written.

use ralph_core::ids::{Login, RepoName};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    owners: Vec<Login>,
    /// In lower case, as names are.
    name_prefix: String,
}

impl Fence {
    /// A repository is inside if it belongs to one of the owners and its name begins so.
    #[must_use]
    pub fn new(owners: Vec<Login>, name_prefix: &str) -> Self {
        Self { owners, name_prefix: name_prefix.to_ascii_lowercase() }
    }

    #[must_use]
    pub fn admits(&self, repo: &RepoName) -> bool {
        let name = repo.as_str().split_once('/').map_or("", |(_, name)| name);
        let is_owners = self.owners.iter().any(|owner| owner.as_str() == repo.owner());
        is_owners && name.starts_with(&self.name_prefix)
    }

    /// The repositories inside, to follow "outside of the sandbox, which is".
    #[must_use]
    pub fn extent(&self) -> String {
        let owners: Vec<_> = self.owners.iter().map(Login::as_str).collect();
        let owners = if owners.is_empty() { "no account".to_owned() } else { owners.join(", ") };
        match self.name_prefix.as_str() {
            "" => format!("the repositories of {owners}"),
            prefix => format!("the repositories of {owners} whose names begin with `{prefix}`"),
        }
    }

    /// The reason why nothing is written to a repository; `None` where it may be.
    #[must_use]
    pub fn refusal(&self, repo: Option<&RepoName>) -> Option<String> {
        let whose = match repo {
            Some(repo) if self.admits(repo) => return None,
            Some(repo) => repo.to_string(),
            None => "it belongs to no repository and".to_owned(),
        };
        Some(format!("was not sent: {whose} is outside of the sandbox, which is {}", self.extent()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inside_is_what_a_named_owner_has_under_the_prefix() {
        let fence = Fence::new(vec![Login::new("Acme"), Login::new("zed")], "Try-");
        for (repo, is_inside) in [
            ("acme/try-it", true),
            ("ACME/TRY-IT", true),
            ("zed/try-", true),
            ("acme/it-try-", false),
            ("acme/trying", false),
            ("acme2/try-it", false),
            ("other/try-it", false),
        ] {
            let repo = RepoName::parse(repo).unwrap();
            assert_eq!(fence.admits(&repo), is_inside, "{repo}");
            assert_eq!(fence.refusal(Some(&repo)).is_none(), is_inside, "{repo}");
        }
        assert!(fence.refusal(None).is_some());
        assert!(!Fence::new(Vec::new(), "").admits(&RepoName::parse("acme/try-it").unwrap()));
    }
}
