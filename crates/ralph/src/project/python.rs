//! Python projects: how they are installed (uv, Poetry, PDM, Pipenv, pip), and how they are tested.

use super::{Commands, Listing, Suggested};
use serde_json::Value;

/// Requirements for tests and development, beside `requirements.txt`.
const MORE_REQUIREMENTS: [&str; 4] = [
    "requirements-dev.txt",
    "requirements-test.txt",
    "dev-requirements.txt",
    "test-requirements.txt",
];
/// Extras of a package that hold what tests need.
const EXTRAS: [&str; 4] = ["dev", "test", "tests", "testing"];
const VENV: &str = ".venv";

/// The way to install a project, and what goes before each of its commands.
struct Installer {
    setup: Vec<Suggested>,
    before: &'static str,
    makes: Option<&'static str>,
}

pub(super) fn commands(files: &Listing) -> Commands {
    let known =
        ["pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "requirements.txt", "Pipfile"];
    let Some(first) = files.has_any(&known) else { return Commands::default() };
    let project = files.toml("pyproject.toml");
    let settings = ["setup.cfg", "setup.py", "requirements.txt"];
    let is_tested = test(files, &project).is_some();
    if !is_tested
        && !settings.iter().any(|file| files.has(file))
        && project.get("project").is_none()
    {
        // A file that only holds the settings of a tool.
        return Commands::default();
    }
    if files.has("tox.ini") && installer_by_lock(files, &project).is_none() {
        return with_tox(files);
    }
    let installer =
        installer_by_lock(files, &project).unwrap_or_else(|| pip(files, &project, first));
    let run = |line: &str| format!("{}{line}", installer.before);
    let test = test(files, &project).map(|(line, from)| Suggested::new(run(line), from));
    let lint =
        lint(files, &project).into_iter().map(|(line, from)| Suggested::new(run(line), from));
    Commands {
        lint: lint.collect(),
        test: test.into_iter().collect(),
        setup: installer.setup,
        makes: installer.makes,
    }
}

fn installer_by_lock(files: &Listing, project: &Value) -> Option<Installer> {
    let one = |line: &str, from: &str, before| Installer {
        setup: vec![Suggested::new(line, from)],
        before,
        makes: None,
    };
    let is_poetry =
        project.pointer("/tool/poetry/name").or(project.pointer("/tool/poetry/dependencies"));
    if files.has("uv.lock") {
        let installer = one("uv sync --locked --all-extras", "uv.lock", "uv run ");
        return Some(Installer { makes: Some(VENV), ..installer });
    }
    if files.has("poetry.lock") || is_poetry.is_some() {
        return Some(one("poetry install --no-interaction", "pyproject.toml", "poetry run "));
    }
    if files.has("pdm.lock") {
        return Some(Installer { makes: Some(VENV), ..one("pdm install", "pdm.lock", "pdm run ") });
    }
    files.has("Pipfile").then(|| one("pipenv install --dev", "Pipfile", "pipenv run "))
}

/// A virtual environment in the worktree, so that nothing is installed for the whole machine.
fn pip(files: &Listing, project: &Value, first: &str) -> Installer {
    let mut setup = vec![Suggested::new(format!("python3 -m venv {VENV}"), first)];
    let mut wanted: Vec<String> = Vec::new();
    let lists = ["requirements.txt"].into_iter().chain(MORE_REQUIREMENTS);
    wanted.extend(lists.filter(|list| files.has(list)).map(|list| format!("-r {list}")));
    let is_package =
        files.has("setup.py") || files.has("setup.cfg") || project.get("project").is_some();
    if is_package {
        let extras = project.pointer("/project/optional-dependencies");
        let extra = EXTRAS.iter().find(|extra| extras.is_some_and(|all| all.get(extra).is_some()));
        wanted.push(extra.map_or_else(|| "-e .".to_owned(), |extra| format!("-e '.[{extra}]'")));
    }
    let text = all_text(files);
    let is_needed = test(files, project).is_some_and(|(line, _)| line == "pytest");
    if is_needed && !text.contains("pytest") {
        wanted.push("pytest".to_owned());
    }
    if !wanted.is_empty() {
        setup.push(Suggested::new(format!("{VENV}/bin/pip install {}", wanted.join(" ")), first));
    }
    Installer { setup, before: ".venv/bin/", makes: Some(VENV) }
}

/// Tox installs what it needs by itself; `py` is the Python that it runs on.
fn with_tox(files: &Listing) -> Commands {
    let tox = |line: &str| Suggested::new(line, "tox.ini");
    let has_lint = files.text("tox.ini").contains("[testenv:lint]");
    Commands {
        setup: vec![tox("python3 -m venv .venv"), tox(".venv/bin/pip install tox")],
        lint: has_lint.then(|| tox(".venv/bin/tox run -e lint")).into_iter().collect(),
        test: vec![tox(".venv/bin/tox run -e py")],
        makes: Some(VENV),
    }
}

fn test<'a>(files: &'a Listing, project: &Value) -> Option<(&'static str, &'a str)> {
    if let Some(file) = files.has_any(&["pytest.ini", "conftest.py", "tests/conftest.py"]) {
        return Some(("pytest", file));
    }
    if project.pointer("/tool/pytest").is_some() {
        return Some(("pytest", "pyproject.toml"));
    }
    if files.text("setup.cfg").contains("[tool:pytest]") {
        return Some(("pytest", "setup.cfg"));
    }
    let is_test = |path: &&str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        let ends = name.strip_suffix(".py").unwrap_or_default();
        ends.starts_with("test_") || ends.ends_with("_test")
    };
    let found = files.paths().find(is_test)?;
    if all_text(files).contains("pytest") {
        return Some(("pytest", found));
    }
    match files.has_any(&["manage.py"]) {
        Some(file) => Some(("python manage.py test", file)),
        None => Some(("python -m unittest discover", found)),
    }
}

/// Linters that are set up and among what is installed.
fn lint(files: &Listing, project: &Value) -> Vec<(&'static str, &'static str)> {
    let text = all_text(files);
    let mut found = Vec::new();
    let ruff = files.has_any(&["ruff.toml", ".ruff.toml"]);
    let ruff = ruff.or_else(|| project.pointer("/tool/ruff").map(|_| "pyproject.toml"));
    if let Some(from) =
        ruff.filter(|_| text.matches("ruff").count() > text.matches("tool.ruff").count())
    {
        found.push(("ruff check .", from));
    }
    let flake = ["setup.cfg", "tox.ini"].into_iter();
    let flake = flake.chain([".flake8"]).find(|file| files.text(file).contains("[flake8]"));
    if let Some(from) = flake.filter(|_| text.contains("flake8")) {
        found.push(("flake8", from));
    }
    found
}

/// Everything that names packages.
fn all_text(files: &Listing) -> String {
    let names = ["pyproject.toml", "setup.py", "Pipfile", "requirements.txt"];
    names.into_iter().chain(MORE_REQUIREMENTS).map(|name| files.text(name)).collect()
}
