//! `ralph worktrees`: what lies below the managed root, what the store says it is for, and the removal of
//! what is proven to be done with or, its work saved, of what was given up.

mod rescue;
mod survey;

pub(super) use survey::{Survey, Use, Worktree};

use super::CommandContext;
use crate::args::Format;
use crate::environment::Environment;
use crate::error::CliError;
use crate::screen::{Paint, plain};
use crate::table::Table;
use ralph_core::managed_path::ManagedPath;
use rescue::{Kept, Rescuer};
use serde::Serialize;
use std::path::Path;
use std::{fs, io};

/// The options of `prune`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wish {
    pub(super) given_up: bool,
    pub(super) dry_run: bool,
}

#[derive(Serialize)]
struct Pruned<'a> {
    worktree: &'a Worktree,
    removed: bool,
    /// The branch to which the work in it was saved.
    rescued: Option<Kept>,
    error: Option<String>,
}

pub(super) fn list(context: &CommandContext<'_>, format: Format) -> Result<(), CliError> {
    let survey = Survey::take(context)?;
    if format.json {
        return context.answer_json(&survey);
    }
    if survey.worktrees.is_empty() {
        let root = survey.root.display();
        return context.screen.answer(&format!("There is no worktree below {root}.\n"));
    }
    let mut table = Table::headed(&["worktree", "issue", "is", "because"]);
    for worktree in &survey.worktrees {
        let issue = worktree.issue.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string);
        table.row([
            (worktree.path.clone(), Paint::Plain),
            (issue, Paint::Bold),
            (worktree.is.name().to_owned(), paint(worktree.is)),
            (worktree.because.clone(), Paint::Plain),
        ]);
    }
    let root = survey.root.display();
    context.screen.answer(&format!("Below {root}:\n\n{}", context.screen.table(&table)))
}

pub(super) fn prune(
    context: &CommandContext<'_>,
    environment: &Environment,
    wish: Wish,
    format: Format,
) -> Result<(), CliError> {
    // From before the survey on no daemon takes up again what is given up here.
    let mut rescuer = Rescuer::new(&context.home, environment);
    let survey = Survey::take(context)?;
    let mut pruned = Vec::new();
    for worktree in &survey.worktrees {
        let Worktree { issue: Some(issue), managed: Some(path), .. } = worktree else { continue };
        let rescued = match worktree.is {
            Use::Busy | Use::Kept | Use::Foreign => continue,
            Use::GivenUp if !wish.given_up => continue,
            Use::GivenUp | Use::Done if wish.dry_run => Ok(None),
            Use::GivenUp => rescuer.give_up(&survey.root, issue, path),
            Use::Done => Ok(None),
        };
        let removed = match &rescued {
            Err(error) => Err(error.to_string()),
            Ok(_) if wish.dry_run => Ok(()),
            Ok(_) => remove(&survey.root, path).map_err(|error| error.to_string()),
        };
        pruned.push(Pruned {
            worktree,
            removed: !wish.dry_run && removed.is_ok(),
            rescued: rescued.ok().flatten(),
            error: removed.err(),
        });
    }
    if format.json {
        context.answer_json(&pruned)?;
    } else {
        context.screen.answer(&for_people(&survey, &pruned, wish))?;
    }
    let failed = pruned.iter().any(|pruned| pruned.error.is_some());
    if failed { Err(CliError::findings()) } else { Ok(()) }
}

fn for_people(survey: &Survey, pruned: &[Pruned<'_>], wish: Wish) -> String {
    let mut text = String::new();
    for Pruned { worktree, rescued, error, .. } in pruned {
        let Worktree { path, because, .. } = worktree;
        text.push_str(&match (error, wish.dry_run) {
            (Some(error), _) => format!("Could not remove {path}: {}\n", plain(error)),
            (None, true) => format!("Would remove {path}: {because}\n"),
            (None, false) => format!("Removed {path}: {because}\n"),
        });
        if let Some(Kept { reference, repository }) = rescued {
            let repository = repository.display();
            text.push_str(&format!("  what was in it is saved as {reference} of {repository}\n"));
        }
    }
    if pruned.is_empty() {
        text.push_str("No worktree is finished, so nothing is removed.\n");
    }
    let given_up = survey.worktrees.iter().filter(|worktree| worktree.is == Use::GivenUp).count();
    if given_up > 0 && !wish.given_up {
        text.push_str(&format!(
            "{given_up} of stopped issues or earlier runs stay; --given-up saves what is in them and removes \
             them.\n"
        ));
    }
    text
}

/// Removes a worktree and the folders above it that are then empty, up to the root.
fn remove(root: &Path, path: &ManagedPath) -> io::Result<()> {
    let path = Path::new(path.as_str());
    match fs::remove_dir_all(path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let above = path.ancestors().skip(1).take_while(|folder| *folder != root);
    for folder in above.filter(|folder| folder.starts_with(root)) {
        // One that is not empty stays; so does everything above it.
        if fs::remove_dir(folder).is_err() {
            break;
        }
    }
    Ok(())
}

const fn paint(is: Use) -> Paint {
    match is {
        Use::Busy => Paint::Busy,
        Use::Kept => Paint::Waiting,
        Use::Done => Paint::Good,
        Use::GivenUp => Paint::Faint,
        Use::Foreign => Paint::Bad,
    }
}
