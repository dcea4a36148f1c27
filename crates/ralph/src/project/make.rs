//! Targets of a Makefile: the project's own word on how it is checked, which counts more than any guess.

use super::{Listing, Suggested};

const NAMES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// The targets by purpose. `check` means everything.
#[derive(Debug, Default)]
pub(super) struct Targets {
    pub(super) check: Vec<Suggested>,
    pub(super) lint: Vec<Suggested>,
    pub(super) test: Vec<Suggested>,
}

pub(super) fn commands(files: &Listing) -> Targets {
    let Some(path) = files.has_any(&NAMES) else { return Targets::default() };
    let targets: Vec<_> = files.text(path).lines().flat_map(targets_of).collect();
    let named = |name: &str| {
        let found = targets.contains(&name);
        found.then(|| Suggested::new(format!("make {name}"), path)).into_iter().collect()
    };
    Targets { check: named("check"), lint: named("lint"), test: named("test") }
}

/// The targets that a line defines: `lint test: deps`, and not `NAME := value` or a recipe.
fn targets_of(line: &str) -> Vec<&str> {
    let is_recipe = line.starts_with(['\t', ' ', '#', '.']);
    match line.split_once(':') {
        Some((targets, rest)) if !is_recipe && !rest.trim_start_matches(':').starts_with('=') => {
            let is_plain = !targets.contains(['=', '$', '%']);
            if is_plain { targets.split_whitespace().collect() } else { Vec::new() }
        }
        Some(_) | None => Vec::new(),
    }
}
