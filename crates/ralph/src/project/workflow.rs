//! GitHub's workflows: the checks that they report for Ralph's pull requests, and those that would stay silent there.

mod outline;

use super::{Listing, Suggested, Unsupported};
use outline::Node;

const FOLDER: &str = ".github/workflows/";
/// Names that one matrix of a workflow may lead to; a larger one is not a list of required checks.
const NAMES_MAX: usize = 16;

/// The pull requests that a workflow runs for.
#[derive(Debug, PartialEq, Eq)]
enum Runs {
    /// Each one to the bot branch.
    Always,
    /// None of them, for this reason.
    Never(String),
    /// It has nothing to do with pull requests.
    Elsewhere,
}

pub(super) fn is_one(path: &str) -> bool {
    let name = path.strip_prefix(FOLDER).unwrap_or("/");
    !name.contains('/') && (name.ends_with(".yml") || name.ends_with(".yaml"))
}

/// The names of the checks that report for each pull request to the bot branch.
pub(super) fn checks(files: &Listing, bot: &str) -> Vec<String> {
    let mut names = Vec::new();
    for path in files.paths().filter(|path| is_one(path)) {
        let workflow = Node::parse(files.text(path));
        if runs(&workflow, bot) == Runs::Always {
            let jobs = workflow.child("jobs").into_iter().flat_map(Node::children);
            names.extend(jobs.flat_map(check_names));
        }
    }
    names.dedup();
    names
}

/// The workflows for pull requests that would not run for Ralph's.
pub(super) fn silent(files: &Listing, bot: &str) -> Vec<Unsupported> {
    let one = |path: &str| match runs(&Node::parse(files.text(path)), bot) {
        Runs::Never(why) => Some(Unsupported { what: "ci", says: format!("{path} {why}") }),
        Runs::Always | Runs::Elsewhere => None,
    };
    files.paths().filter(|path| is_one(path)).filter_map(one).collect()
}

/// The command of a workflow that begins like this, as it stands there, if a shell elsewhere understands it.
pub(super) fn line(files: &Listing, start: &str) -> Option<Suggested> {
    for path in files.paths().filter(|path| is_one(path)) {
        for line in files.text(path).lines() {
            let line = line.trim().trim_start_matches("- ");
            let line = line.strip_prefix("run:").map_or(line, str::trim);
            let is_whole = !line.contains("${{") && !line.ends_with(['\\', '&', '|']);
            if line.starts_with(start) && is_whole {
                return Some(Suggested::new(line, path));
            }
        }
    }
    None
}

fn runs(workflow: &Node, bot: &str) -> Runs {
    let Some(on) = workflow.child("on") else { return Runs::Elsewhere };
    let events = on.items();
    let has = |name: &str| events.iter().any(|event| event == name) || on.child(name).is_some();
    // Without a filter it runs for each push to any branch, Ralph's included.
    let is_filtered = |event: &Node| {
        event.children().any(|it| it.key.starts_with("branches") || it.key.starts_with("tags"))
    };
    let on_push = has("push") && !on.child("push").is_some_and(is_filtered);
    let on_pull = on.child("pull_request");
    if on_push && on.child("push").is_none_or(|push| push.paths().is_none()) {
        return Runs::Always;
    }
    if !has("pull_request") {
        return Runs::Elsewhere;
    }
    let Some(filter) = on_pull else { return Runs::Always };
    if let Some(branches) = filter.child("branches").map(Node::items)
        && !branches.iter().any(|pattern| fits(pattern, bot))
    {
        let branches = branches.join(", ");
        return Runs::Never(format!(
            "runs for pull requests to {branches} only, so it says nothing about Ralph's; add {bot} to its `branches`"
        ));
    }
    if filter.paths().is_some() {
        let says = "runs only when certain files change, so its checks cannot be required";
        return Runs::Never(says.to_owned());
    }
    Runs::Always
}

/// A filter for branches, as far as such filters are written: a name, `*`, `**`, `bot/*`, `bot/**`.
fn fits(pattern: &str, branch: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == branch,
        Some((start, stars)) => {
            let rest = branch.strip_prefix(start);
            rest.is_some_and(|rest| stars == "*" || stars.is_empty() && !rest.contains('/'))
        }
    }
}

/// The names under which a job reports; none when they cannot be known, or when it does not always run.
fn check_names(job: &Node) -> Vec<String> {
    if job.child("if").is_some() || job.child("uses").is_some() {
        return Vec::new();
    }
    let name = job.child("name").map(|name| name.value.clone());
    let matrix = job.child("strategy").and_then(|strategy| strategy.child("matrix"));
    let Some(matrix) = matrix else {
        let name = name.unwrap_or_else(|| job.key.clone());
        return if name.contains("${{") { Vec::new() } else { vec![name] };
    };
    let rows: Vec<_> = matrix.children().map(|row| (row.key.as_str(), row.items())).collect();
    let is_plain = rows.iter().all(|(key, values)| {
        !matches!(*key, "include" | "exclude")
            && !values.is_empty()
            && !values.iter().any(|it| it.contains(['$', '{', ':']))
    });
    if rows.is_empty() || !is_plain {
        return Vec::new();
    }
    let mut all: Vec<Vec<(&str, &str)>> = vec![Vec::new()];
    for (key, values) in &rows {
        let with = |one: &Vec<(_, _)>, value| [one.clone(), vec![(*key, value)]].concat();
        all = all
            .iter()
            .flat_map(|one| values.iter().map(move |value| with(one, value.as_str())))
            .collect();
        if all.len() > NAMES_MAX {
            return Vec::new();
        }
    }
    all.iter().filter_map(|values| one_of_matrix(&job.key, name.as_deref(), values)).collect()
}

fn one_of_matrix(id: &str, name: Option<&str>, values: &[(&str, &str)]) -> Option<String> {
    let template = name.filter(|name| name.contains("${{"));
    let Some(template) = template else {
        let shown: Vec<_> = values.iter().map(|(_, value)| *value).collect();
        return Some(format!("{} ({})", name.unwrap_or(id), shown.join(", ")));
    };
    let mut text = template.replace("${{ ", "${{").replace(" }}", "}}");
    for (key, value) in values {
        text = text.replace(&format!("${{{{matrix.{key}}}}}"), value);
    }
    (!text.contains("${{")).then_some(text)
}
