//! Repositories, full or as part of something else.

use serde::ser::{Error, SerializeMap};
use serde::{Serialize, Serializer};

use super::user::Flags;
use super::{NONE, RenderContext, entries};
use crate::http::moment::Moment;
use crate::model::merging::MergeMethod;
use crate::model::repository::{Feature, Settings, Visibility};
use crate::model::repository_calls::RepositoryView;

/// The set of fields that is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::http) enum Extent {
    /// As on its own.
    Full,
    /// As in lists of one's own and inside pulls.
    Usual,
    /// As in lists of a person's repositories: without what its administrators chose.
    Listed,
    /// As inside check suites and references: what identifies it.
    Minimal,
}

pub(in crate::http) struct RepositoryJson<'a> {
    pub(in crate::http) render: &'a RenderContext<'a>,
    pub(in crate::http) repository: &'a RepositoryView,
    pub(in crate::http) extent: Extent,
}

impl<'s> RenderContext<'s> {
    pub(in crate::http) fn repository<'a>(
        &'a self,
        repository: &'a RepositoryView,
        extent: Extent,
    ) -> RepositoryJson<'a> {
        RepositoryJson { render: self, repository, extent }
    }
}

/// Addresses below that of the repository.
const LINKS: [(&str, &str); 37] = [
    ("archive_url", "/{archive_format}{/ref}"),
    ("assignees_url", "/assignees{/user}"),
    ("blobs_url", "/git/blobs{/sha}"),
    ("branches_url", "/branches{/branch}"),
    ("collaborators_url", "/collaborators{/collaborator}"),
    ("comments_url", "/comments{/number}"),
    ("commits_url", "/commits{/sha}"),
    ("compare_url", "/compare/{base}...{head}"),
    ("contents_url", "/contents/{+path}"),
    ("contributors_url", "/contributors"),
    ("deployments_url", "/deployments"),
    ("downloads_url", "/downloads"),
    ("events_url", "/events"),
    ("forks_url", "/forks"),
    ("git_commits_url", "/git/commits{/sha}"),
    ("git_refs_url", "/git/refs{/sha}"),
    ("git_tags_url", "/git/tags{/sha}"),
    ("hooks_url", "/hooks"),
    ("issue_comment_url", "/issues/comments{/number}"),
    ("issue_events_url", "/issues/events{/number}"),
    ("issues_url", "/issues{/number}"),
    ("keys_url", "/keys{/key_id}"),
    ("labels_url", "/labels{/name}"),
    ("languages_url", "/languages"),
    ("merges_url", "/merges"),
    ("milestones_url", "/milestones{/number}"),
    ("notifications_url", "/notifications{?since,all,participating}"),
    ("pulls_url", "/pulls{/number}"),
    ("releases_url", "/releases{/id}"),
    ("stargazers_url", "/stargazers"),
    ("statuses_url", "/statuses/{sha}"),
    ("subscribers_url", "/subscribers"),
    ("subscription_url", "/subscription"),
    ("tags_url", "/tags"),
    ("teams_url", "/teams"),
    ("trees_url", "/git/trees{/sha}"),
    ("url", ""),
];

impl Serialize for RepositoryJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let uncached = Uncached(self);
        match self.extent {
            Extent::Usual => {
                let rendered = self.render.cache.repository(self.repository, &uncached);
                rendered.map_err(S::Error::custom)?.1.serialize(serializer)
            }
            Extent::Full | Extent::Listed | Extent::Minimal => uncached.serialize(serializer),
        }
    }
}

/// A repository, written link by link.
struct Uncached<'a>(&'a RepositoryJson<'a>);

impl Serialize for Uncached<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let this = self.0;
        let mut map = serializer.serialize_map(None)?;
        this.identity(&mut map)?;
        match this.extent {
            Extent::Minimal => {}
            Extent::Listed => this.facts(&mut map)?,
            Extent::Usual => {
                this.facts(&mut map)?;
                this.choices(&mut map)?;
            }
            Extent::Full => {
                this.facts(&mut map)?;
                this.choices(&mut map)?;
                entries!(map, { "network_count": 0, "subscribers_count": 0 });
            }
        }
        map.end()
    }
}

impl RepositoryJson<'_> {
    fn identity<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let RepositoryView { id, owner, name, settings, .. } = self.repository;
        let base = self.render.base;
        entries!(map, {
            "id": id,
            "node_id": format_args!("R_{id}"),
            "name": name,
            "full_name": format_args!("{owner}/{name}"),
            "owner": self.render.user(owner),
            "private": settings.visibility == Visibility::Private,
            "html_url": format_args!("{base}/{owner}/{name}"),
            "description": settings.description,
            "fork": false,
        });
        let mut link = format!("{base}/repos/{owner}/{name}");
        let root = link.len();
        for (key, below) in LINKS {
            link.truncate(root);
            link.push_str(below);
            map.serialize_entry(key, &link)?;
        }
        Ok(())
    }

    fn facts<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let RepositoryView { owner, name, settings, default_branch, open_threads, .. } =
            self.repository;
        let base = self.render.base;
        let host = base.split_once("://").map_or(base, |(_scheme, host)| host);
        let nothing: Option<&str> = None;
        entries!(map, {
            "git_url": format_args!("git://{host}/{owner}/{name}.git"),
            "ssh_url": format_args!("git@{host}:{owner}/{name}.git"),
            "clone_url": format_args!("{base}/{owner}/{name}.git"),
            "svn_url": format_args!("{base}/{owner}/{name}"),
            "mirror_url": nothing,
            "homepage": settings.homepage,
            "language": nothing,
            "license": nothing,
            "forks": 0,
            "forks_count": 0,
            "stargazers_count": 0,
            "watchers": 0,
            "watchers_count": 0,
            "size": 0,
            "default_branch": default_branch,
            "open_issues": open_threads,
            "open_issues_count": open_threads,
            "is_template": false,
            "topics": NONE,
            "has_issues": settings.has_issues,
            "has_projects": settings.features.contains(&Feature::Projects),
            "has_wiki": settings.features.contains(&Feature::Wiki),
            "has_pages": false,
            "has_downloads": false,
            "has_discussions": false,
            "archived": false,
            "disabled": false,
            "visibility": match settings.visibility {
                Visibility::Public => "public",
                Visibility::Private => "private",
            },
            "pushed_at": Moment(self.repository.pushed_at),
            "created_at": Moment(self.repository.created_at),
            "updated_at": Moment(self.repository.updated_at),
            "permissions": Flags(self.repository.role),
        });
        Ok(())
    }

    fn choices<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        let Settings { merge_methods, delete_branch_on_merge, .. } = &self.repository.settings;
        entries!(map, {
            "allow_merge_commit": merge_methods.contains(&MergeMethod::Merge),
            "allow_squash_merge": merge_methods.contains(&MergeMethod::Squash),
            "allow_rebase_merge": merge_methods.contains(&MergeMethod::Rebase),
            "allow_auto_merge": false,
            "allow_update_branch": true,
            "allow_forking": false,
            "delete_branch_on_merge": delete_branch_on_merge,
            "web_commit_signoff_required": false,
        });
        Ok(())
    }
}
