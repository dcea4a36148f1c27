//! Relative links between documents lead somewhere.

use super::tree::{Finding, SourceFile, Tree};

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let documents = tree.files.iter().filter(|file| file.has_extension("md"));
    documents.flat_map(|document| of_document(tree, document)).collect()
}

fn of_document(tree: &Tree, document: &SourceFile) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut is_fenced = false;
    for (number, line) in document.lines() {
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
        } else if !is_fenced {
            let targets = targets(line).into_iter();
            found.extend(targets.filter(|target| !exists(tree, document, target)).map(|target| {
                document.finding(
                    number,
                    format!(
                        "link to {target:?}, which is not in the repository; correct or remove it"
                    ),
                )
            }));
        }
    }
    found
}

/// The targets of the links in one line: `[text](target)` and `[text]: target`, outside code spans.
fn targets(line: &str) -> Vec<String> {
    let prose: String = line.split('`').step_by(2).collect();
    let mut targets: Vec<String> = Vec::new();
    for rest in prose.split("](").skip(1) {
        targets.extend(rest.split([')', ' ']).next().map(str::to_owned));
    }
    if let Some((_, target)) = prose.split_once("]: ").filter(|_| prose.starts_with('[')) {
        targets.extend(target.split_whitespace().next().map(str::to_owned));
    }
    targets
}

fn exists(tree: &Tree, document: &SourceFile, target: &str) -> bool {
    let path = target.split(['#', '?']).next().unwrap_or_default();
    let is_elsewhere = target.contains("://") || target.starts_with("mailto:");
    if is_elsewhere || path.is_empty() {
        return true;
    }
    let folder = document.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let Some(resolved) = resolve(folder, path) else { return false };
    let inside = format!("{resolved}/");
    resolved.is_empty()
        || tree.paths.contains(&resolved)
        || tree.paths.iter().any(|path| path.starts_with(&inside))
}

/// `target` as seen from `folder`, without `.` and `..`; `None` when it leaves the repository.
fn resolve(folder: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::super::tree::places;
    use super::*;

    fn check(text: &str) -> Vec<String> {
        let others = [("docs/usage.md", "# Usage\n"), ("crates/core/src/lib.rs", "//! Core.\n")];
        places(&findings(&Tree::planted(&[("docs/a/page.md", text), others[0], others[1]])))
    }

    #[test]
    fn a_link_that_leads_nowhere_is_found() {
        assert_eq!(check("one\n[x](gone.md)\n"), ["docs/a/page.md:2"]);
        assert_eq!(check("[x](../../../outside.md)\n"), ["docs/a/page.md:1"]);
        assert_eq!(check("[x]: gone.md\n"), ["docs/a/page.md:1"]);
        assert_eq!(check("[good](../usage.md) and [bad](usage.md#part)\n"), ["docs/a/page.md:1"]);
    }

    #[test]
    fn links_to_files_folders_anchors_and_the_web_are_fine() {
        let none: [&str; 0] = [];
        for text in [
            "[x](../usage.md#commands)",
            "[x](../../crates/core)",
            "[x](../../crates/core/)",
            "[x](#below)",
            "[x](https://example.com/gone.md)",
            "`[x](gone.md)`",
            "```\n[x](gone.md)\n```",
        ] {
            assert_eq!(check(text), none, "{text}");
        }
    }
}
