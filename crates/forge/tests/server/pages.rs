//! A forge with thousands of issues: they are listed page by page, and neither a page nor a 304 costs more than with few.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::chance::tries;
use crate::client::Api;
use crate::crashes::Remote;
use crate::volume::{kilobytes, most_resident_kilobytes};

/// Issues that a repository is compared with: one page of them.
const FEW: usize = 100;
/// Issues that are listed unless a measurement asks for more: three pages, the last one not full.
const USUAL: usize = 230;
/// Answers of each kind of which the middle one is taken.
const ANSWERS: usize = 201;

fn open_issues(api: &Api, repo: &str, count: usize) {
    api.ask("POST", "/user/repos", Some(&json!({"name": repo})));
    for number in 1..=count {
        let new = json!({"title": format!("Issue {number}"), "body": "x".repeat(200)});
        api.ask("POST", &format!("/repos/owner/{repo}/issues"), Some(&new));
    }
}

/// Follows `Link` from the first page to the last; the numbers on each page.
fn pages(remote: &Remote, repo: &str) -> Vec<Vec<u64>> {
    let mut next = Some(format!("{}/repos/owner/{repo}/issues?per_page=100", remote.url));
    let mut pages = Vec::new();
    while let Some(address) = next {
        let (links, body) = remote.read(&address, None);
        let page: Value = serde_json::from_slice(&body).unwrap();
        let numbers = page.as_array().unwrap().iter();
        pages.push(numbers.map(|issue| issue["number"].as_u64().unwrap()).collect());
        let link = links.split(", ").find_map(|link| link.strip_suffix("; rel=\"next\""));
        next = link.map(|link| link.trim_matches(['<', '>']).to_owned());
    }
    pages
}

/// The middle time of a 304 on the first page of each repository, asked in turn.
#[expect(clippy::disallowed_methods, reason = "the time of an answer is what is measured")]
fn times_of_304(remote: &Remote, repos: [&str; 2]) -> [Duration; 2] {
    let addresses =
        repos.map(|repo| format!("{}/repos/owner/{repo}/issues?per_page=100", remote.url));
    let etags = addresses.each_ref().map(|address| remote.etag(address));
    let mut times = [Vec::new(), Vec::new()];
    for _answer in 0..ANSWERS {
        for ((address, etag), times) in addresses.iter().zip(&etags).zip(&mut times) {
            let start = Instant::now();
            let (_links, body) = remote.read(address, Some(etag));
            times.push(start.elapsed());
            assert!(body.is_empty(), "{address} is known");
        }
    }
    times.map(|mut times| {
        times.sort();
        times[ANSWERS / 2]
    })
}

/// Asserts what is listed, and prints what it costs for the measurement.
#[test]
fn thousands_of_issues_are_listed_page_by_page() {
    let many = tries("RALPH_FORGE_ISSUES", USUAL);
    let folder = tempfile::tempdir().unwrap();
    let remote = Remote::start(&folder.path().join("data"));
    let pid = remote.child.id();
    open_issues(&remote.api(), "few", FEW);
    open_issues(&remote.api(), "many", many);
    let idle = kilobytes(pid, "VmRSS:");
    // Forgets the peak so far, which the writing made.
    std::fs::write(format!("/proc/{pid}/clear_refs"), "5").unwrap();
    let pages = pages(&remote, "many");
    let most = most_resident_kilobytes(pid);
    let (last, full) = pages.split_last().unwrap();
    assert!(full.iter().all(|page| page.len() == 100), "{full:?}");
    assert_eq!(last.len(), (many - 1) % 100 + 1);
    let listed: Vec<u64> = pages.concat();
    assert!(listed.is_sorted_by(|one, other| one > other), "newest first");
    let once: BTreeSet<u64> = listed.iter().copied().collect();
    assert_eq!((listed.len(), once.len()), (many, many));
    let [few, all] = times_of_304(&remote, ["few", "many"]);
    let memory = f64::from(u32::try_from(most).unwrap()) / f64::from(u32::try_from(idle).unwrap());
    let time = all.as_secs_f64() / few.as_secs_f64();
    println!("memory while paging over idle: {memory:.2} at {many}");
    println!("a 304 over one of {FEW} issues: {time:.2} at {many}");
    println!("({idle} kilobytes idle, {most} at most; {few:?} and {all:?} for a 304)");
}
