//! The repository and the service of git that a path means.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Service {
    Upload,
    Receive,
}

impl Service {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Upload => "git-upload-pack",
            Self::Receive => "git-receive-pack",
        }
    }

    fn named(name: &str) -> Option<Self> {
        [Self::Upload, Self::Receive].into_iter().find(|service| service.name() == name)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// List the references of the repository.
    Advertise,
    /// Fetch or push.
    Exchange,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// `owner/name`.
    pub(crate) repo: String,
    pub(crate) service: Service,
    pub(crate) step: Step,
}

impl Address {
    /// None for a path that has nothing to do with git.
    pub(crate) fn of(path: &str, query: Option<&str>) -> Option<Self> {
        let mut parts = path.strip_prefix('/')?.splitn(3, '/');
        let (owner, name, rest) = (parts.next()?, parts.next()?, parts.next()?);
        let repo = format!("{owner}/{}", name.strip_suffix(".git").unwrap_or(name));
        let (service, step) = if rest == "info/refs" {
            let mut pairs = query?.split('&');
            let named = pairs.find_map(|pair| pair.strip_prefix("service="))?;
            (Service::named(named)?, Step::Advertise)
        } else {
            (Service::named(rest)?, Step::Exchange)
        };
        Some(Self { repo, service, step })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_named_with_or_without_its_ending() {
        for name in ["/ada/app.git", "/ada/app"] {
            let address = Address::of(&format!("{name}/git-upload-pack"), None);
            let (service, step) = (Service::Upload, Step::Exchange);
            assert_eq!(address, Some(Address { repo: "ada/app".to_owned(), service, step }));
        }
    }

    #[test]
    fn references_are_advertised_for_a_named_service_only() {
        let step = |query| {
            let found = Address::of("/ada/app.git/info/refs", query);
            found.map(|address| (address.service, address.step))
        };
        let receive = Some((Service::Receive, Step::Advertise));
        assert_eq!(step(Some("service=git-receive-pack")), receive);
        assert_eq!(step(Some("service=git-shell")), None);
        assert_eq!(step(None), None);
    }

    #[test]
    fn other_paths_are_not_gits() {
        for path in ["/", "/user", "/repos/ada/app/git/refs", "/ada/app.git/HEAD", "/ada"] {
            assert_eq!(Address::of(path, None), None, "{path}");
        }
    }
}
