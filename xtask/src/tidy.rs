//! `cargo xtask tidy`: the rules of this repository that neither the compiler nor clippy knows. One check,
//! one file; each finding names a place and says what to do about it.

mod asking_names;
mod crate_edges;
mod decision_records;
mod dependencies;
mod file_shape;
mod forbidden_code;
mod forge_model;
mod language;
mod links;
mod lost_files;
mod machine_paths;
mod marker_docs;
mod metadata;
mod registry_hosts;
mod sql_text;
mod step_matches;
mod third_party;
mod tree;
mod white_space;
mod wire_names;

use crate::failure::Failure;
use std::path::Path;
use tree::{Finding, Tree};

/// One rule: the name shown with its findings, and the function that looks for breaches of it.
struct Check {
    name: &'static str,
    findings: fn(&Tree) -> Vec<Finding>,
}

/// In the order in which a reader wants to hear of them: structure first, spelling last.
const CHECKS: &[Check] = &[
    Check { name: "crate-edges", findings: crate_edges::findings },
    Check { name: "dependencies", findings: dependencies::findings },
    Check { name: "third-party", findings: third_party::findings },
    Check { name: "forge-model", findings: forge_model::findings },
    Check { name: "sql-text", findings: sql_text::findings },
    Check { name: "step-matches", findings: step_matches::findings },
    Check { name: "wire-names", findings: wire_names::findings },
    Check { name: "lost-files", findings: lost_files::findings },
    Check { name: "file-shape", findings: file_shape::findings },
    Check { name: "forbidden-code", findings: forbidden_code::findings },
    Check { name: "asking-names", findings: asking_names::findings },
    Check { name: "machine-paths", findings: machine_paths::findings },
    Check { name: "registry-hosts", findings: registry_hosts::findings },
    Check { name: "decision-records", findings: decision_records::findings },
    Check { name: "marker-docs", findings: marker_docs::findings },
    Check { name: "links", findings: links::findings },
    Check { name: "language", findings: language::findings },
    Check { name: "white-space", findings: white_space::findings },
];

pub(crate) fn run(root: &Path) -> Result<(), Failure> {
    let tree = Tree::read(root)?;
    let mut count = 0;
    for check in CHECKS {
        for finding in (check.findings)(&tree) {
            count += 1;
            println!("{}:{}: [{}] {}", finding.path, finding.line, check.name, finding.message);
        }
    }
    if count > 0 {
        return Err(Failure::Untidy { findings: count });
    }
    println!("{} checks on {} files found nothing", CHECKS.len(), tree.paths.len());
    Ok(())
}
