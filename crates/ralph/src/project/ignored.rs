//! Folders that setup fills. One that git does not ignore would become part of each change.

use super::{Listing, Unsupported};

pub(super) fn finding(files: &Listing, folder: &str) -> Option<Unsupported> {
    let lines = files.text(".gitignore").lines().map(str::trim);
    let name = |line: &str| {
        let line = line.strip_prefix("**/").unwrap_or(line).trim_matches('/');
        line.strip_suffix("/*").unwrap_or(line).to_owned()
    };
    let fits = |line: &str| {
        let line = name(line);
        line == folder || line == ".*" && folder.starts_with('.') || line == format!("{folder}*")
    };
    if lines.into_iter().any(fits) {
        return None;
    }
    let says = format!(
        "`{folder}`, which setup makes, is not in .gitignore, so it would become part of each change; add it there"
    );
    Some(Unsupported { what: "ignored files", says })
}
