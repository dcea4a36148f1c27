//! The forge and the repository that the address of a git remote names.

use ralph_core::ids::RepoName;

/// Hosts that do not speak GitHub's API.
const OTHERS: [&str; 6] = [
    "gitlab.com",
    "bitbucket.org",
    "codeberg.org",
    "dev.azure.com",
    "ssh.dev.azure.com",
    "git.sr.ht",
];
pub(super) const GITHUB_API: &str = "https://api.github.com";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Remote {
    /// As git calls it.
    pub(super) name: String,
    /// The address of the forge's API.
    pub(super) api: String,
    pub(super) repo: RepoName,
}

/// The reason why a remote leads to no forge of Ralph's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Foreign(pub(super) String);

pub(super) fn parse(name: &str, address: &str) -> Result<Remote, Foreign> {
    let (scheme, rest) = match address.split_once("://") {
        Some((scheme, rest)) => (scheme, rest.to_owned()),
        // `git@host:owner/name`; a path of this machine has no colon before its first slash.
        None => match address.split_once(':') {
            Some((host, path)) if !host.contains('/') => {
                ("ssh", format!("{host}/{}", path.trim_start_matches('/')))
            }
            Some(_) | None => return Err(Foreign(format!("{name} is a folder of this machine"))),
        },
    };
    let (authority, path) = rest.split_once('/').unwrap_or((&rest, ""));
    // What stands before the @ may be a token, which is shown nowhere.
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host).to_ascii_lowercase();
    let path = path.trim_matches('/');
    let repo = RepoName::parse(path.strip_suffix(".git").unwrap_or(path));
    let api = api(scheme, &host).map_err(|why| Foreign(format!("{name} is at {host}, {why}")))?;
    let repo = repo.ok_or_else(|| Foreign(format!("{name} at {host} names no owner/name")))?;
    Ok(Remote { name: name.to_owned(), api, repo })
}

fn api(scheme: &str, host: &str) -> Result<String, &'static str> {
    let bare = host.split_once(':').map_or(host, |(bare, _)| bare);
    // `github.com-work` is a common name for a second key in the settings of SSH.
    if bare == "github.com" || bare == "ssh.github.com" || bare.starts_with("github.com-") {
        return Ok(GITHUB_API.to_owned());
    }
    if OTHERS.contains(&bare) {
        return Err("which is not GitHub");
    }
    if bare.ends_with(".ghe.com") {
        return Err("and GitHub with data residency is not supported");
    }
    match scheme {
        "http" => Ok(format!("http://{host}")),
        "https" => Ok(format!("https://{host}/api/v3")),
        "ssh" | "git+ssh" | "ssh+git" | "git" => Ok(format!("https://{bare}/api/v3")),
        _ => Err("which git reaches in a way that leads to no forge"),
    }
}

/// An embedded forge is the only one that is not encrypted.
pub(super) fn is_embedded(api: &str) -> bool {
    api.starts_with("http://")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_usual_address_names_its_forge_and_repository() {
        for (address, api, repo) in [
            ("https://github.com/acme/widgets", GITHUB_API, "acme/widgets"),
            ("https://github.com/Acme/Widgets.git/", GITHUB_API, "acme/widgets"),
            ("https://mia:ghp_secret@github.com/acme/widgets.git", GITHUB_API, "acme/widgets"),
            ("git@github.com:acme/widgets.git", GITHUB_API, "acme/widgets"),
            ("git@github.com-work:acme/widgets.git", GITHUB_API, "acme/widgets"),
            ("ssh://git@ssh.github.com:443/acme/widgets.git", GITHUB_API, "acme/widgets"),
            ("git://github.com/acme/site.github.io", GITHUB_API, "acme/site.github.io"),
            (
                "git@git.acme.example:acme/widgets.git",
                "https://git.acme.example/api/v3",
                "acme/widgets",
            ),
            ("ssh://git@git.acme.example:2222/a/b", "https://git.acme.example/api/v3", "a/b"),
            (
                "https://git.acme.example:8443/a/b.git",
                "https://git.acme.example:8443/api/v3",
                "a/b",
            ),
            ("http://127.0.0.1:3000/you/app.git", "http://127.0.0.1:3000", "you/app"),
            ("http://you:token@localhost:3000/you/app.git", "http://localhost:3000", "you/app"),
        ] {
            let found = parse("origin", address).unwrap();
            assert_eq!((found.api.as_str(), found.repo.as_str()), (api, repo), "{address}");
        }
    }

    #[test]
    fn other_places_are_named_without_what_must_not_be_shown() {
        for (address, says) in [
            ("/srv/git/widgets.git", "origin is a folder of this machine"),
            ("../widgets", "origin is a folder of this machine"),
            ("git@gitlab.com:acme/widgets.git", "origin is at gitlab.com, which is not GitHub"),
            (
                "https://me:secret@bitbucket.org/a/b",
                "origin is at bitbucket.org, which is not GitHub",
            ),
            ("https://x:secret@github.com/a", "origin at github.com names no owner/name"),
            (
                "https://acme.ghe.com/a/b",
                "origin is at acme.ghe.com, and GitHub with data residency is not supported",
            ),
            ("file:///srv/a/b", "origin is at , which git reaches in a way that leads to no forge"),
        ] {
            assert_eq!(parse("origin", address), Err(Foreign(says.to_owned())), "{address}");
        }
    }
}
