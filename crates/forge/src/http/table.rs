//! Every route, with its template as in GitHub's description. Where two fit, the first one is taken.

use super::endpoints::{
    apps, branches, checks, comments, deliveries, git, graphql, history, hooks, issues, labels,
    pulls, relations, repositories, reviews, search, statuses, tags, users,
};
use super::route::Route;
use super::route::Verb::{Delete, Get, Patch, Post, Put};

macro_rules! routes {
    ($($verb:ident $template:literal $handler:path;)*) => {
        pub(super) static ROUTES: &[Route] = &[$(Route::new($verb, $template, $handler)),*];
    };
}

routes! {
    Get "/" users::root;
    Get "/user" users::current;
    Get "/user/repos" repositories::list_own;
    Post "/user/repos" repositories::create;
    Get "/users/{username}" users::show;
    Get "/users/{username}/repos" repositories::list_of;
    Get "/rate_limit" users::rate_limit;
    Post "/graphql" graphql::answer;
    Get "/search/issues" search::issues;
    Get "/app" apps::show;
    Get "/app/installations" apps::installations;
    Post "/app/installations/{installation_id}/access_tokens" apps::create_token;

    Get "/repos/{owner}/{repo}" repositories::show;
    Patch "/repos/{owner}/{repo}" repositories::edit;
    Get "/repos/{owner}/{repo}/installation" apps::of_repository;
    Get "/repos/{owner}/{repo}/collaborators" repositories::collaborators;
    Get "/repos/{owner}/{repo}/collaborators/{username}" repositories::is_collaborator;
    Put "/repos/{owner}/{repo}/collaborators/{username}" repositories::grant;
    Delete "/repos/{owner}/{repo}/collaborators/{username}" repositories::revoke;
    Get "/repos/{owner}/{repo}/collaborators/{username}/permission" repositories::permission;

    Get "/repos/{owner}/{repo}/labels" labels::list;
    Post "/repos/{owner}/{repo}/labels" labels::create;
    Get "/repos/{owner}/{repo}/labels/{name}" labels::show;
    Patch "/repos/{owner}/{repo}/labels/{name}" labels::edit;
    Delete "/repos/{owner}/{repo}/labels/{name}" labels::delete;

    Get "/repos/{owner}/{repo}/issues" issues::list;
    Post "/repos/{owner}/{repo}/issues" issues::create;
    Get "/repos/{owner}/{repo}/issues/comments" comments::list_all;
    Get "/repos/{owner}/{repo}/issues/comments/{comment_id}" comments::show;
    Patch "/repos/{owner}/{repo}/issues/comments/{comment_id}" comments::edit;
    Delete "/repos/{owner}/{repo}/issues/comments/{comment_id}" comments::delete;
    Get "/repos/{owner}/{repo}/issues/{issue_number}" issues::show;
    Patch "/repos/{owner}/{repo}/issues/{issue_number}" issues::edit;
    Get "/repos/{owner}/{repo}/issues/{issue_number}/labels" labels::list_on_issue;
    Post "/repos/{owner}/{repo}/issues/{issue_number}/labels" labels::add_to_issue;
    Put "/repos/{owner}/{repo}/issues/{issue_number}/labels" labels::set_on_issue;
    Delete "/repos/{owner}/{repo}/issues/{issue_number}/labels" labels::clear_on_issue;
    Delete "/repos/{owner}/{repo}/issues/{issue_number}/labels/{name}" labels::remove_from_issue;
    Get "/repos/{owner}/{repo}/issues/{issue_number}/comments" comments::list;
    Post "/repos/{owner}/{repo}/issues/{issue_number}/comments" comments::create;
    Get "/repos/{owner}/{repo}/issues/{issue_number}/events" issues::events;
    Get "/repos/{owner}/{repo}/issues/{issue_number}/timeline" issues::timeline;
    Get "/repos/{owner}/{repo}/issues/{issue_number}/sub_issues" relations::sub_issues;
    Post "/repos/{owner}/{repo}/issues/{issue_number}/sub_issues" relations::add_sub_issue;
    Delete "/repos/{owner}/{repo}/issues/{issue_number}/sub_issue" relations::remove_sub_issue;
    Get "/repos/{owner}/{repo}/issues/{issue_number}/parent" relations::parent;
    Get "/repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by" relations::blocked_by;
    Post "/repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by" relations::add_blocked_by;
    Delete "/repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by/{issue_id}" relations::remove_blocked_by;
    Get "/repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocking" relations::blocking;

    Get "/repos/{owner}/{repo}/pulls" pulls::list;
    Post "/repos/{owner}/{repo}/pulls" pulls::create;
    Get "/repos/{owner}/{repo}/pulls/{pull_number}" pulls::show;
    Patch "/repos/{owner}/{repo}/pulls/{pull_number}" pulls::edit;
    Get "/repos/{owner}/{repo}/pulls/{pull_number}/files" pulls::files;
    Get "/repos/{owner}/{repo}/pulls/{pull_number}/commits" pulls::commits;
    Get "/repos/{owner}/{repo}/pulls/{pull_number}/merge" pulls::is_merged;
    Put "/repos/{owner}/{repo}/pulls/{pull_number}/merge" pulls::merge;
    Put "/repos/{owner}/{repo}/pulls/{pull_number}/update-branch" pulls::update_branch;
    Get "/repos/{owner}/{repo}/pulls/{pull_number}/reviews" reviews::list;
    Post "/repos/{owner}/{repo}/pulls/{pull_number}/reviews" reviews::create;
    Get "/repos/{owner}/{repo}/pulls/{pull_number}/comments" reviews::comments;

    Post "/repos/{owner}/{repo}/check-runs" checks::create;
    Get "/repos/{owner}/{repo}/check-runs/{check_run_id}" checks::show;
    Patch "/repos/{owner}/{repo}/check-runs/{check_run_id}" checks::edit;
    Get "/repos/{owner}/{repo}/check-runs/{check_run_id}/annotations" checks::annotations;
    Post "/repos/{owner}/{repo}/check-runs/{check_run_id}/rerequest" checks::rerequest;
    Get "/repos/{owner}/{repo}/check-suites/{check_suite_id}" checks::show_suite;
    Get "/repos/{owner}/{repo}/check-suites/{check_suite_id}/check-runs" checks::list_for_suite;
    Post "/repos/{owner}/{repo}/check-suites/{check_suite_id}/rerequest" checks::rerequest_suite;
    Get "/repos/{owner}/{repo}/actions/jobs/{job_id}/logs" checks::job_logs;
    Post "/repos/{owner}/{repo}/actions/jobs/{job_id}/rerun" checks::rerun_job;
    Post "/repos/{owner}/{repo}/statuses/{sha}" statuses::create;
    Get "/repos/{owner}/{repo}/statuses/{ref}" statuses::list;

    Get "/repos/{owner}/{repo}/commits" history::list;
    Get "/repos/{owner}/{repo}/commits/{ref}/check-runs" checks::list_for_ref;
    Get "/repos/{owner}/{repo}/commits/{ref}/check-suites" checks::list_suites;
    Get "/repos/{owner}/{repo}/commits/{ref}/status" statuses::combined;
    Get "/repos/{owner}/{repo}/commits/{ref}/statuses" statuses::list;
    Get "/repos/{owner}/{repo}/commits/{commit_sha}/pulls" history::pulls;
    Get "/repos/{owner}/{repo}/commits/{ref}" history::show;
    Get "/repos/{owner}/{repo}/compare/{basehead}" history::compare;
    Get "/repos/{owner}/{repo}/contents/{path}" history::contents;

    Get "/repos/{owner}/{repo}/branches" branches::list;
    Get "/repos/{owner}/{repo}/branches/{branch}/protection" branches::protection;
    Put "/repos/{owner}/{repo}/branches/{branch}/protection" branches::set_protection;
    Delete "/repos/{owner}/{repo}/branches/{branch}/protection" branches::delete_protection;
    Get "/repos/{owner}/{repo}/branches/{branch}/protection/required_status_checks" branches::required_checks;
    Post "/repos/{owner}/{repo}/branches/{branch}/protection/required_status_checks/contexts" branches::add_contexts;
    Get "/repos/{owner}/{repo}/branches/{branch}" branches::show;
    Get "/repos/{owner}/{repo}/rules/branches/{branch}" branches::rules;

    Get "/repos/{owner}/{repo}/git/ref/{ref}" git::show_ref;
    Get "/repos/{owner}/{repo}/git/matching-refs/{ref}" git::matching_refs;
    Get "/repos/{owner}/{repo}/git/refs/{ref}" git::show_refs;
    Post "/repos/{owner}/{repo}/git/refs" git::create_ref;
    Patch "/repos/{owner}/{repo}/git/refs/{ref}" git::update_ref;
    Delete "/repos/{owner}/{repo}/git/refs/{ref}" git::delete_ref;
    Get "/repos/{owner}/{repo}/git/commits/{commit_sha}" git::show_commit;
    Post "/repos/{owner}/{repo}/git/commits" git::create_commit;
    Post "/repos/{owner}/{repo}/git/tags" tags::create;
    Get "/repos/{owner}/{repo}/git/tags/{tag_sha}" tags::show;
    Get "/repos/{owner}/{repo}/tags" tags::list;

    Get "/repos/{owner}/{repo}/hooks" hooks::list;
    Post "/repos/{owner}/{repo}/hooks" hooks::create;
    Get "/repos/{owner}/{repo}/hooks/{hook_id}" hooks::show;
    Patch "/repos/{owner}/{repo}/hooks/{hook_id}" hooks::edit;
    Delete "/repos/{owner}/{repo}/hooks/{hook_id}" hooks::delete;
    Post "/repos/{owner}/{repo}/hooks/{hook_id}/pings" hooks::ping;
    Get "/repos/{owner}/{repo}/hooks/{hook_id}/deliveries" deliveries::list;
    Get "/repos/{owner}/{repo}/hooks/{hook_id}/deliveries/{delivery_id}" deliveries::show;
    Post "/repos/{owner}/{repo}/hooks/{hook_id}/deliveries/{delivery_id}/attempts" deliveries::redeliver;
}
