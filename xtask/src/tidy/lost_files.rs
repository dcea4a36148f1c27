//! Every Rust file belongs to a program or to a module: the compiler says nothing about one that is left out, and
//! tests in it are never run.

use super::tree::{Finding, SourceFile, Tree};

/// Programs and libraries, by the ends of their paths.
const ROOTS: &[&str] = &["main.rs", "lib.rs", "build.rs"];
/// Folders whose files are programs each.
const FOLDERS_OF_ROOTS: &[&str] = &["tests", "benches", "examples", "bin", "fuzz_targets"];

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let is_lost = |file: &&SourceFile| {
        let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
        !is_root(folder, name) && !is_module(tree, folder, name) && !is_named(tree, name)
    };
    let message = "no `mod` leads to this file, so it is never compiled; declare it, or delete it";
    tree.rust_files().filter(is_lost).map(|file| file.finding(1, message)).collect()
}

fn is_root(folder: &str, name: &str) -> bool {
    let holder = folder.rsplit('/').next().unwrap_or_default();
    ROOTS.contains(&name) || FOLDERS_OF_ROOTS.contains(&holder)
}

/// Returns whether the file that stands for the folder, the program in it, or a file beside it that is named by its path
/// declares the module.
fn is_module(tree: &Tree, folder: &str, name: &str) -> bool {
    let declaration = format!("mod {};", name.trim_end_matches(".rs"));
    let beside = ROOTS.iter().chain(&["mod.rs"]).map(|root| format!("{folder}/{root}"));
    let holders = beside.chain([format!("{folder}.rs")]);
    let named = tree.rust_files().filter(|file| {
        let (around, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
        around == folder && is_named(tree, name)
    });
    let mut holders = holders.filter_map(|path| tree.file(&path)).chain(named);
    holders.any(|holder| holder.code_lines().any(|(_, line)| line.ends_with(&declaration)))
}

/// Returns whether a module or a program declares that it is in a file of this name.
fn is_named(tree: &Tree, name: &str) -> bool {
    let is_in = |file: &SourceFile| file.has_extension("rs") || file.path.ends_with("Cargo.toml");
    let mut files = tree.files.iter().filter(|file| is_in(file));
    files.any(|file| file.code_lines().any(|(_, line)| file_named_by(line) == Some(name)))
}

fn file_named_by(line: &str) -> Option<&str> {
    let (_, path) = line.split_once("path = \"")?;
    let (path, _) = path.split_once('"')?;
    path.rsplit('/').next()
}

#[cfg(test)]
mod tests {
    use super::super::tree::places;
    use super::*;

    #[test]
    fn a_file_that_nothing_leads_to_is_found() {
        let found = findings(&Tree::planted(&[
            ("crates/a/Cargo.toml", "[[bin]]\npath = \"tests/all/serve.rs\"\n"),
            ("crates/a/src/lib.rs", "pub(crate) mod kept;\n#[path = \"../far.rs\"]\nmod far;\n"),
            ("crates/a/src/kept.rs", "mod inner;\n"),
            ("crates/a/src/kept/inner.rs", ""),
            ("crates/a/src/kept/other.rs", ""),
            ("crates/a/far.rs", "mod beside;\n"),
            ("crates/a/beside.rs", ""),
            ("crates/a/tests/one.rs", ""),
            ("crates/a/tests/all/main.rs", "mod named;\n// mod lost;\n"),
            ("crates/a/tests/all/named.rs", ""),
            ("crates/a/tests/all/lost.rs", ""),
            ("crates/a/tests/all/serve.rs", ""),
        ]));
        let places = places(&found);
        assert_eq!(places, ["crates/a/src/kept/other.rs:1", "crates/a/tests/all/lost.rs:1"]);
    }
}
