//! A hundred repositories with a thousand issues each: what the first look at them costs, and what watching them
//! costs while nothing happens. Polled, without webhooks, which is the dearer way.

use crate::process::{Running, output, resident_mb};
use crate::{Outcome, Size, clock, say, wait};
use ralph_cli::demo::owner::Owner;
use ralph_cli::home::Home;
use ralph_engine::store::Reader;
use ralph_forge::{Options, RouteCount};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::Duration;

const REPOSITORIES: u32 = 100;
const REPOSITORIES_WHEN_QUICK: u32 = 3;
const ISSUES: u32 = 1_000;
const ISSUES_WHEN_QUICK: u32 = 120;
/// One issue in so many is queued; without a preflight command none is started.
const QUEUED_EVERY: u32 = 250;
const POLL: Duration = Duration::from_secs(20);
const IDLE_POLLS: u32 = 3;
/// The time without a charged request after which the first look counts as over: longer than one poll.
const QUIET: Duration = Duration::from_secs(25);
/// A first look that takes longer has got stuck.
const PATIENCE: Duration = Duration::from_secs(1_200);
const OWNER: &str = "you";
/// Filling the forge does not count; the requests that Ralph is charged for are compared with GitHub's limit.
const REQUESTS_PER_HOUR: u32 = 10_000_000;

pub(crate) fn measure(size: Size) -> Outcome<Value> {
    let folder = tempfile::Builder::new().prefix("ralph-figures-").tempdir()?;
    let data = folder.path().join("forge");
    let repos = size.pick(REPOSITORIES, REPOSITORIES_WHEN_QUICK);
    let names: Vec<String> =
        (1..=repos).map(|number| format!("{OWNER}/project-{number}")).collect();
    bring(folder.path(), &data, &names)?;
    let forge = ralph_forge::Running::start(Options {
        data: Some(data),
        owner: OWNER.to_owned(),
        requests_per_hour_max: REQUESTS_PER_HOUR,
        ..Options::default()
    })?;
    let mut owner = Owner::new(&forge.url, OWNER, &forge.owner.token)?;
    open_issues(&mut owner, &names, size.pick(ISSUES, ISSUES_WHEN_QUICK))?;
    let home = Home::at(folder.path().join("home"));
    fs::create_dir_all(home.path())?;
    fs::write(home.config(), configuration(&forge.url, &names))?;

    say("a daemon looks at all of it for the first time");
    let began = clock::now();
    let variables = [("RALPH_FIGURES_TOKEN", forge.bot.token.as_str())];
    let log = folder.path().join("daemon.log");
    let mut daemon = Running::ralph(home.path(), &["run"], &variables, &log)?;
    let mut last = (0, clock::now());
    wait::until("the first look is over", PATIENCE, || {
        if daemon.has_ended()? {
            return Err(format!("the daemon ended: {}", fs::read_to_string(&log)?).into());
        }
        clock::pass(Duration::from_millis(250));
        let charged = counts(&mut owner, &forge.bot.login)?.0;
        if charged != last.0 {
            last = (charged, clock::now());
        }
        Ok((charged > 0 && last.1.elapsed() > QUIET).then_some(()))
    })?;
    let took = last.1.duration_since(began);
    let known = Reader::open(&home.store())?.status()?;
    if !known.outbox.is_empty() {
        return Err("the daemon rests, and effects wait".into());
    }
    let (sync_calls, _) = counts(&mut owner, &forge.bot.login)?;
    show(&owner.client.requests_of(&forge.bot.login)?);

    say(&format!("nothing happens, for {IDLE_POLLS} polls"));
    let before = counts(&mut owner, &forge.bot.login)?;
    clock::pass(POLL * IDLE_POLLS);
    let after = counts(&mut owner, &forge.bot.login)?;
    let memory = resident_mb(daemon.id())?;
    daemon.kill()?;
    forge.stop();
    Ok(json!({
        "repositories": repos, "sync_calls": sync_calls, "sync_s": took.as_secs_f64(), "daemon_mb": memory,
        "idle": after.0 - before.0, "idle_polled": after.1 - before.1,
    }))
}

/// The same small project, taken in under every name.
fn bring(folder: &Path, data: &Path, names: &[String]) -> Outcome<()> {
    let source = folder.join("project");
    fs::create_dir_all(&source)?;
    fs::write(source.join("README.md"), "A project.\n")?;
    let path = source.to_str().ok_or("no text")?;
    let identity = ["-c", "user.name=you", "-c", "user.email=you@example.com"];
    output("git", &["-C", path, "init", "--quiet", "--initial-branch=main"], "")?;
    output("git", &["-C", path, "add", "."], "")?;
    let commit = ["commit", "--quiet", "--message", "Begin"];
    output("git", &[["-C", path].as_slice(), &identity, &commit].concat(), "")?;
    say(&format!("taking in {} repositories", names.len()));
    // A folder of a forge comes to be by its first start.
    ralph_forge::Running::start(Options {
        data: Some(data.to_owned()),
        owner: OWNER.to_owned(),
        ..Options::default()
    })?
    .stop();
    for name in names {
        ralph_forge::import(data, path, name, ralph_forge::Visibility::Private)?;
    }
    Ok(())
}

fn open_issues(owner: &mut Owner, names: &[String], each: u32) -> Outcome<()> {
    say(&format!("opening {each} issues in each"));
    // In turn, so that the changes of one repository are spread over the time that all of it takes.
    for number in 1..=each {
        for name in names {
            let labels: &[String] =
                if number % QUEUED_EVERY == 0 { &["ralph:status:queued".to_owned()] } else { &[] };
            let (title, body) = (format!("Issue {number}"), "Something is to be done.\n".repeat(8));
            owner.client.open_issue(name, &title, &body, labels)?;
        }
    }
    Ok(())
}

fn configuration(url: &str, names: &[String]) -> String {
    let poll = POLL.as_secs();
    let mut text = format!(
        "max_workers = 4\npoll_interval = \"{poll}s\"\n\n[forge]\nurl = {url:?}\n\
         token_env = \"RALPH_FIGURES_TOKEN\"\nread_lag = \"0s\"\n\n\
         [agent]\nkind = \"command\"\ncommand = [\"true\"]\n"
    );
    for name in names {
        text += &format!("\n[[repos]]\nname = {name:?}\nrequired_checks = []\n");
    }
    text
}

/// Charged and uncharged calls so far.
fn counts(owner: &mut Owner, login: &str) -> Outcome<(u64, u64)> {
    let rows = owner.client.requests_of(login)?;
    let sum = |of: fn(&RouteCount) -> u64| rows.iter().map(of).sum();
    Ok((sum(|row| row.count.charged), sum(|row| row.count.uncharged)))
}

fn show(rows: &[RouteCount]) {
    for RouteCount { method, route, count } in rows {
        say(&format!("  {:6} ({:6})  {method} {route}", count.charged, count.uncharged));
    }
}
