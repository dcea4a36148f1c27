//! Other people's clients of GitHub do a working day's calls against a running forge. What they do
//! is one list, in `areas.rs`; how each does it is in its script, in its own words.

#![cfg(test)]

#[path = "../server/client.rs"]
mod client;
#[path = "../server/receiver.rs"]
mod receiver;
#[expect(dead_code, reason = "the tests of the server use more of it")]
#[path = "../server/test_server.rs"]
mod test_server;

#[path = "../claims/signing.rs"]
mod signing;

mod areas;
mod program;
mod whole_days;

/// The same working day for each client.
macro_rules! clients {
    ($($name:ident is $client:ident),*) => {$(
        mod $name {
            use crate::areas;
            use crate::program::Client;

            clients! { $client:
                it_reads_a_repository repository,
                it_keeps_labels labels,
                it_keeps_issues issues,
                it_keeps_comments comments,
                it_relates_issues relations,
                it_opens_and_merges_pulls pulls,
                it_reports_checks checks,
                it_keeps_hooks hooks,
                it_asks_only_for_what_changed conditional,
                it_is_told_of_limits limits,
                it_is_told_why_not refusals,
            }
        }
    )*};
    ($client:ident: $($test:ident $area:ident,)*) => {$(
        #[test]
        fn $test() {
            areas::$area(Client::$client);
        }
    )*};
}

clients! { gh is Gh, octokit is Octokit, pygithub is PyGithub }

/// `gh auth status` asks for more than the routes of a working day.
#[test]
fn gh_is_signed_in() {
    let (server, _work) = test_server::TestServer::new();
    program::Client::Gh.does(&server, "signed_in", &[], &["signed in"]);
}

/// A whole day in one go, from an empty forge on.
mod whole_day {
    use crate::program::Client;
    use crate::whole_days;

    #[test]
    fn of_github3() {
        whole_days::of_api(Client::Github3);
    }

    #[test]
    fn of_octokit() {
        whole_days::of_api(Client::Octokit);
    }

    #[test]
    fn of_pygithub() {
        whole_days::of_api(Client::PyGithub);
    }

    #[test]
    fn of_git() {
        whole_days::of_git();
    }
}
