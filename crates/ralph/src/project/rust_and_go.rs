//! `Cargo.toml` and `go.mod`: tests come with the tools, and lints only where the project uses them already.

use super::{Commands, Listing, Suggested, workflow};

const CARGO: &str = "Cargo.toml";

pub(super) fn cargo(files: &Listing) -> Commands {
    if !files.has(CARGO) {
        return Commands::default();
    }
    let manifest = files.toml(CARGO);
    let all = if manifest.get("workspace").is_some() { " --workspace" } else { "" };
    let locked = if files.has("Cargo.lock") { " --locked" } else { "" };
    // A project that was never linted would fail at its first commit: the commands of its CI count.
    let lint =
        ["cargo fmt", "cargo clippy"].iter().filter_map(|start| workflow::line(files, start));
    Commands {
        lint: lint.collect(),
        test: vec![Suggested::new(format!("cargo test{all}{locked}"), CARGO)],
        ..Commands::default()
    }
}

pub(super) fn go(files: &Listing) -> Commands {
    if !files.has("go.mod") {
        return Commands::default();
    }
    let settings = [".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"];
    let lint = match files.has_any(&settings) {
        Some(file) => Suggested::new("golangci-lint run", file),
        None => Suggested::new("go vet ./...", "go.mod"),
    };
    let test = Suggested::new("go test ./...", "go.mod");
    Commands { lint: vec![lint], test: vec![test], ..Commands::default() }
}
