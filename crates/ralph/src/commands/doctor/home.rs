//! The home folder: it exists, it belongs to this user, and no other user can look into it.

use super::{Check, Examination};
use crate::config::Config;
use std::fs::{self, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

const ABOUT: &str = "home";
/// Every right of the owner's group and of everybody else.
const OTHERS: u32 = 0o077;
/// The right to change something, of the group and of everybody else.
const OTHERS_WRITE: u32 = 0o022;

pub(super) fn checks(examination: &Examination<'_>) -> Vec<Check> {
    let home = examination.context.home.path();
    let found = match fs::metadata(home) {
        Ok(found) if found.is_dir() => found,
        Ok(_) => {
            let says = format!("{} is not a folder", home.display());
            return vec![Check::finding(ABOUT, says, "name a folder with --home or RALPH_HOME")];
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let says = format!("there is no {}", home.display());
            let next = "make it with `mkdir -m 700`, and write config.toml in it";
            return vec![Check::finding(ABOUT, says, next)];
        }
        Err(error) => {
            let says = format!("{} cannot be reached: {error}", home.display());
            return vec![Check::finding(ABOUT, says, "look at the rights of the folders above it")];
        }
    };
    let mut checks = vec![owner(home, &found)];
    let mut open = open_to_others(home, &found);
    let configs = [examination.context.home.config(), examination.config_file.clone()];
    open.extend(open_elsewhere(home, &examination.config_file));
    open.retain(|(path, mode)| {
        !configs.contains(path) || mode & OTHERS_WRITE != 0 || may_hold_a_secret(path)
    });
    if open.is_empty() {
        checks.push(Check::ok(ABOUT, "no other user can read what is in it"));
    }
    checks.extend(open.into_iter().map(|(path, mode)| private(examination, &path, mode)));
    checks
}

fn owner(home: &Path, found: &Metadata) -> Check {
    let us = rustix::process::geteuid().as_raw();
    if found.uid() == us {
        return Check::ok(ABOUT, format!("{} is a folder of ours", home.display()));
    }
    let says = format!("{} belongs to user {}, and we are {us}", home.display(), found.uid());
    Check::finding(ABOUT, says, "run Ralph as that user, or name another folder with RALPH_HOME")
}

/// The folder itself and its entries; they protect everything below.
fn open_to_others(home: &Path, found: &Metadata) -> Vec<(PathBuf, u32)> {
    let within = fs::read_dir(home).into_iter().flatten().flatten();
    let within = within.filter_map(|entry| {
        let found = fs::symlink_metadata(entry.path()).ok()?;
        (!found.is_symlink()).then(|| (entry.path(), found.mode()))
    });
    let mut all: Vec<_> = [(home.to_owned(), found.mode())].into_iter().chain(within).collect();
    all.sort();
    all.retain(|(_, mode)| mode & OTHERS != 0);
    all
}

/// Settings that lie outside of the home, if others have a right to them.
fn open_elsewhere(home: &Path, config: &Path) -> Option<(PathBuf, u32)> {
    let mode = fs::metadata(config).ok()?.mode();
    let is_within = config.parent() == Some(home);
    (!is_within && mode & OTHERS != 0).then(|| (config.to_owned(), mode))
}

/// Settings alone are for everybody to read; a token among them is not. A file that cannot be understood may hold one.
fn may_hold_a_secret(config: &Path) -> bool {
    Config::load(config).map_or(true, |config| config.forge.holds_a_secret())
}

fn private(examination: &Examination<'_>, path: &Path, mode: u32) -> Check {
    let shown = path.display();
    let rights = mode & 0o777;
    let owners = rights & !OTHERS;
    if !examination.wish.repair {
        let says = format!("{shown} has mode {rights:04o}, so others can get at it");
        let next = format!("`ralph doctor --repair`, or `chmod {owners:04o} {shown}`");
        return Check::finding(ABOUT, says, next);
    }
    match fs::set_permissions(path, Permissions::from_mode(owners)) {
        Ok(()) => {
            let says = format!("{shown} had mode {rights:04o} and has {owners:04o} now");
            Check::repaired(ABOUT, says)
        }
        Err(error) => {
            let says =
                format!("{shown} has mode {rights:04o}, which could not be changed: {error}");
            Check::finding(ABOUT, says, format!("`chmod {owners:04o} {shown}` as its owner"))
        }
    }
}
