//! Packages of other people in a folder: fetched once for each list of them, and never half.

use crate::command::Invocation;
use crate::failure::Failure;
use std::fs;
use std::path::Path;

/// Fills a folder with the npm packages of a list, exactly as its lock file says. No script of a package is run.
pub(super) fn ensure_npm(
    lists: &Path,
    folder: &Path,
    what: &str,
    options: &[&str],
) -> Result<(), Failure> {
    let lists = ["package.json", "package-lock.json"].map(|name| (name, lists.join(name)));
    let mut wanted = String::new();
    for (_name, list) in &lists {
        wanted.push_str(&read(list)?);
    }
    ensure_folder(folder, &wanted, &format!("{what} from the npm registry"), |place| {
        for (name, list) in &lists {
            fs::copy(list, place.join(name)).map_err(|source| using("copy", list, source))?;
        }
        let mut install = vec!["ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"];
        install.extend(options);
        Invocation::npm(place, &install).stdout().map(drop)
    })
}

/// Fills a folder unless it was filled for the same list. The list is written last, beside the folder, so
/// that half an installation is never taken for the whole.
pub(super) fn ensure_folder(
    folder: &Path,
    wanted: &str,
    what: &str,
    fill: impl FnOnce(&Path) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let list = folder.with_extension("list");
    if fs::read_to_string(&list).is_ok_and(|filled| filled == wanted) {
        return Ok(());
    }
    println!("fetching {what}");
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|source| using("remove the folder", folder, source))?;
    }
    fs::create_dir_all(folder).map_err(|source| using("make the folder", folder, source))?;
    fill(folder)?;
    fs::write(&list, wanted).map_err(|source| using("write", &list, source))
}

pub(super) fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|source| using("read", path, source))
}

fn using(doing: &'static str, path: &Path, source: std::io::Error) -> Failure {
    Failure::File { doing, path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Fills a folder for each list in turn; how often that was needed.
    fn fillings(lists: &[&str]) -> usize {
        let folder = tempfile::tempdir().unwrap();
        let fillings = Cell::new(0);
        for list in lists {
            let fill = |place: &Path| {
                fillings.set(fillings.get() + 1);
                assert_eq!(fs::read_dir(place).unwrap().count(), 0, "nothing of before is left");
                fs::write(place.join("package"), list)
                    .map_err(|source| using("write", place, source))
            };
            ensure_folder(&folder.path().join("packages"), list, "packages", fill).unwrap();
        }
        fillings.get()
    }

    #[test]
    fn packages_are_fetched_once_for_each_list() {
        assert_eq!(fillings(&["a==1", "a==1", "a==2", "a==2"]), 2);
    }

    #[test]
    fn a_fetch_that_failed_is_tried_again() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("packages");
        let refuse = |_place: &Path| Err(Failure::Untidy { findings: 1 });
        assert!(ensure_folder(&place, "a==1", "packages", refuse).is_err());
        let mut again = false;
        ensure_folder(&place, "a==1", "packages", |_place| {
            again = true;
            Ok(())
        })
        .unwrap();
        assert!(again);
    }
}
