//! Sample projects as listings, and the commands that are suggested for each.

use super::*;

const BOT: &str = "bot/integration";

fn listing(files: &[(&str, &str)]) -> Listing {
    Listing::new(
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect(),
    )
}

/// Setup and preflight, one command a line.
fn suggested(files: &[(&str, &str)]) -> String {
    let project = detect(&listing(files), BOT);
    let lines = |name: &str, all: &[Suggested]| -> String {
        all.iter().map(|it| format!("{name} {} <- {}\n", it.line, it.from)).collect()
    };
    lines("setup", &project.setup) + &lines("check", &project.preflight)
}

fn unsupported(files: &[(&str, &str)]) -> Vec<&'static str> {
    detect(&listing(files), BOT).unsupported.iter().map(|it| it.what).collect()
}

const VITE: &str = r#"{"scripts": {"lint": "eslint .", "typecheck": "tsc", "test": "vitest"}, "devDependencies": {"vitest": "1"}}"#;
const IGNORES: (&str, &str) = (".gitignore", "/node_modules/\n.venv\nvendor\n");

#[test]
fn scripts_are_run_by_the_package_manager_of_the_lock_file() {
    for (lock, install, run) in [
        ("package-lock.json", "npm ci", "npm"),
        ("pnpm-lock.yaml", "pnpm install --frozen-lockfile", "pnpm"),
        ("yarn.lock", "yarn install --frozen-lockfile", "yarn"),
        ("bun.lock", "bun install --frozen-lockfile", "bun"),
        ("bun.lockb", "bun install --frozen-lockfile", "bun"),
    ] {
        let found = suggested(&[("package.json", VITE), (lock, "")]);
        let test = if run == "npm" { "npm test".to_owned() } else { format!("{run} run test") };
        let expected = format!(
            "setup {install} <- {lock}\ncheck {run} run lint <- package.json\n\
             check {run} run typecheck <- package.json\ncheck {test} <- package.json\n"
        );
        assert_eq!(found, expected, "{lock}");
    }
}

type Files = &'static [(&'static str, &'static str)];

const CLIPPY: &str = "jobs:\n  lint:\n    steps:\n      - run: cargo clippy --all-targets -- -D warnings\n      - run: cargo fmt ${{ x }}\n";

/// Files, and the commands that are suggested for them.
static SAMPLES: &[(Files, &str)] = &[
    (&[], ""),
    (&[("README.md", "")], ""),
    (
        &[(
            "package.json",
            r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#,
        )],
        "",
    ),
    (&[("package.json", "not JSON")], ""),
    (
        &[(
            "package.json",
            r#"{"scripts": {"test": "react-scripts test"}, "dependencies": {"react": "1"}}"#,
        )],
        "setup npm install <- package.json\ncheck CI=true npm test <- package.json\n",
    ),
    (
        &[
            ("package.json", r#"{"packageManager": "yarn@4.1.0", "scripts": {"test": "jest"}}"#),
            ("yarn.lock", ""),
        ],
        "setup yarn install --immutable <- yarn.lock\ncheck yarn run test <- package.json\n",
    ),
    (&[("Cargo.toml", "[package]\n")], "check cargo test <- Cargo.toml\n"),
    (
        &[
            ("Cargo.toml", "[workspace]\n"),
            ("Cargo.lock", ""),
            (".github/workflows/ci.yml", CLIPPY),
        ],
        "check cargo clippy --all-targets -- -D warnings <- .github/workflows/ci.yml\n\
             check cargo test --workspace --locked <- Cargo.toml\n",
    ),
    (&[("go.mod", "module x\n")], "check go vet ./... <- go.mod\ncheck go test ./... <- go.mod\n"),
    (
        &[("go.mod", ""), (".golangci.yml", "")],
        "check golangci-lint run <- .golangci.yml\ncheck go test ./... <- go.mod\n",
    ),
    (
        &[
            (
                "pyproject.toml",
                "[project]\nname = \"x\"\n[dependency-groups]\ndev = [\"pytest\", \"ruff\"]\n[tool.ruff]\n[tool.pytest.ini_options]\n",
            ),
            ("uv.lock", ""),
        ],
        "setup uv sync --locked --all-extras <- uv.lock\ncheck uv run ruff check . <- pyproject.toml\n\
             check uv run pytest <- pyproject.toml\n",
    ),
    (
        &[
            ("pyproject.toml", "[tool.poetry]\nname = \"x\"\n"),
            ("tests/test_x.py", ""),
            ("tests/conftest.py", ""),
        ],
        "setup poetry install --no-interaction <- pyproject.toml\ncheck poetry run pytest <- tests/conftest.py\n",
    ),
    (
        &[
            ("requirements.txt", "flask\n"),
            ("requirements-dev.txt", "pytest\nflake8\n"),
            (".flake8", "[flake8]\n"),
            ("tests/test_a.py", ""),
        ],
        "setup python3 -m venv .venv <- requirements.txt\n\
             setup .venv/bin/pip install -r requirements.txt -r requirements-dev.txt <- requirements.txt\n\
             check .venv/bin/flake8 <- .flake8\ncheck .venv/bin/pytest <- tests/test_a.py\n",
    ),
    (
        &[("setup.py", "from setuptools import setup\n"), ("test_x.py", "")],
        "setup python3 -m venv .venv <- setup.py\nsetup .venv/bin/pip install -e . <- setup.py\n\
             check .venv/bin/python -m unittest discover <- test_x.py\n",
    ),
    (
        &[(
            "pyproject.toml",
            "[project]\nname = \"x\"\n[project.optional-dependencies]\ntest = [\"pytest\"]\n[tool.pytest]\n",
        )],
        "setup python3 -m venv .venv <- pyproject.toml\nsetup .venv/bin/pip install -e '.[test]' <- pyproject.toml\n\
             check .venv/bin/pytest <- pyproject.toml\n",
    ),
    (
        &[("tox.ini", "[tox]\n[testenv:lint]\n"), ("setup.py", "")],
        "setup python3 -m venv .venv <- tox.ini\nsetup .venv/bin/pip install tox <- tox.ini\n\
             check .venv/bin/tox run -e lint <- tox.ini\ncheck .venv/bin/tox run -e py <- tox.ini\n",
    ),
    (
        &[("pyproject.toml", "[tool.black]\n"), ("go.mod", "")],
        "check go vet ./... <- go.mod\ncheck go test ./... <- go.mod\n",
    ),
    (
        &[("Gemfile", ""), (".rspec", ""), (".rubocop.yml", "")],
        "setup bundle install <- Gemfile\ncheck bundle exec rubocop <- .rubocop.yml\ncheck bundle exec rspec <- spec\n",
    ),
    (
        &[("Gemfile", ""), ("Rakefile", ""), ("bin/rails", ""), ("test/models/user_test.rb", "")],
        "setup bundle install <- Gemfile\ncheck bin/rails test <- bin/rails\n",
    ),
    (&[("Rakefile", "Rake::TestTask.new\n")], "check rake test <- Rakefile\n"),
    (
        &[("composer.json", r#"{"scripts": {"test": "phpunit"}}"#), ("phpstan.neon", "")],
        "setup composer install --no-interaction <- composer.json\n\
             check vendor/bin/phpstan analyse <- phpstan.neon\ncheck composer run-script test <- composer.json\n",
    ),
    (
        &[("composer.json", "{}"), ("phpunit.xml.dist", "")],
        "setup composer install --no-interaction <- composer.json\ncheck vendor/bin/phpunit <- phpunit.xml.dist\n",
    ),
    (&[("pom.xml", ""), ("mvnw", "")], "check ./mvnw --batch-mode verify <- pom.xml\n"),
    (&[("build.gradle.kts", "")], "check gradle --no-daemon check <- build.gradle.kts\n"),
    (
        &[
            ("Makefile", "VAR := x\n.PHONY: check\nlint test: deps\n\techo check:\n"),
            ("package.json", VITE),
        ],
        "setup npm install <- package.json\ncheck make lint <- Makefile\ncheck make test <- Makefile\n",
    ),
    (
        &[
            ("Makefile", "test:\n\ncheck: test\n"),
            ("Cargo.toml", "[package]\n"),
            ("package.json", VITE),
            ("package-lock.json", ""),
        ],
        "setup npm ci <- package-lock.json\ncheck make check <- Makefile\n",
    ),
];

#[test]
fn each_kind_of_project_has_its_commands() {
    for (files, expected) in SAMPLES {
        assert_eq!(suggested(files), *expected, "{files:?}");
    }
}

#[test]
fn parts_that_are_not_supported_are_named() {
    let samples: [(Files, &[&str]); 12] = [
        (&[("Cargo.toml", "[workspace]\n"), ("crates/a/Cargo.toml", "")], &[]),
        (&[(".gitmodules", "[submodule \"x\"]\n")], &["submodules"]),
        (&[(".gitattributes", "*.png filter=lfs diff=lfs\n")], &["git-lfs"]),
        (&[(".github/dco.yml", "")], &["sign-off"]),
        (&[("web/package.json", ""), ("api/go.mod", "")], &["monorepo"]),
        (
            &[
                ("package.json", r#"{"workspaces": ["packages/*"]}"#),
                ("packages/a/package.json", ""),
            ],
            &["monorepo"],
        ),
        (&[("package.json", "{}"), ("examples/a/package.json", "")], &[]),
        (&[("examples/a/package.json", "")], &[]),
        (&[("package.json", VITE)], &["ignored files"]),
        (&[("package.json", VITE), IGNORES], &[]),
        (&[("setup.py", ""), IGNORES], &[]),
        (&[("setup.py", "")], &["ignored files"]),
    ];
    for (files, expected) in samples {
        assert_eq!(unsupported(files), expected, "{files:?}");
    }
}

#[test]
fn checks_are_named_as_github_reports_them() {
    let jobs = "jobs:\n  build:\n    runs-on: x\n    steps:\n      - name: Not this\n        run: |\n          name: neither\n  test:\n    name: 'Unit tests' # really\n";
    for (on, expected) in [
        ("on: push\n", vec!["build", "Unit tests"]),
        ("on: [push, pull_request]\n", vec!["build", "Unit tests"]),
        ("\"on\":\n  pull_request:\n", vec!["build", "Unit tests"]),
        ("on:\n  pull_request:\n    branches: ['**']\n", vec!["build", "Unit tests"]),
        (
            "on:\n  pull_request:\n    branches:\n    - main\n    - bot/*\n",
            vec!["build", "Unit tests"],
        ),
        (
            "on:\n  pull_request:\n    types: [opened]\n  push:\n    branches: [main]\n",
            vec!["build", "Unit tests"],
        ),
        ("on:\n  pull_request:\n    branches: [main]\n", vec![]),
        ("on:\n  pull_request:\n    paths: ['src/**']\n", vec![]),
        ("on:\n  push:\n    branches: [main]\n", vec![]),
        ("on:\n  schedule:\n    - cron: '0 0 * * *'\n", vec![]),
        ("", vec![]),
    ] {
        let files = listing(&[(".github/workflows/ci.yml", &format!("{on}{jobs}"))]);
        assert_eq!(ci_checks(&files, BOT, false), expected, "{on}");
    }
}

#[test]
fn a_matrix_reports_once_for_each_value_unless_that_cannot_be_known() {
    let names = |job: &str| {
        let text = format!("on: push\njobs:\n  test:\n{job}");
        ci_checks(&listing(&[(".github/workflows/ci.yaml", &text)]), BOT, false)
    };
    let matrix = "    strategy:\n      matrix:\n        os: [linux, mac]\n        node:\n          - 18\n          - \"20\"\n";
    assert_eq!(
        names(matrix),
        ["test (linux, 18)", "test (linux, 20)", "test (mac, 18)", "test (mac, 20)"]
    );
    let named = |name: &str| {
        names(&format!("    name: {name}\n    strategy:\n      matrix:\n        v: [1, 2]\n"))
    };
    assert_eq!(named("on ${{ matrix.v }}"), ["on 1", "on 2"]);
    assert_eq!(named("tests"), ["tests (1)", "tests (2)"]);
    assert_eq!(named("${{ inputs.x }}"), [""; 0]);
    assert_eq!(names("    if: github.ref == 'x'\n"), [""; 0]);
    assert_eq!(names("    uses: ./.github/workflows/x.yml\n"), [""; 0]);
    assert_eq!(
        names("    strategy:\n      matrix:\n        include:\n          - os: x\n"),
        [""; 0]
    );
    assert_eq!(names("    strategy:\n      matrix:\n        v: ${{ fromJson(x) }}\n"), [""; 0]);
}

#[test]
fn a_workflow_that_would_not_run_for_ralph_is_named() {
    let text = "on:\n  pull_request:\n    branches: [main, dev]\njobs:\n  test:\n    runs-on: x\n";
    let project = detect(&listing(&[(".github/workflows/ci.yml", text)]), BOT);
    let says: Vec<_> = project.unsupported.iter().map(|it| it.says.as_str()).collect();
    assert_eq!(
        says,
        [
            ".github/workflows/ci.yml runs for pull requests to main, dev only, so it says nothing about Ralph's; add \
          bot/integration to its `branches`"
        ]
    );
}

#[test]
fn an_embedded_forge_has_its_own_checks() {
    let files = listing(&[
        (".github/workflows/ci.yml", "on: push\njobs:\n  test:\n    runs-on: x\n"),
        (".ralph/checks.toml", "[[check]]\nname = \"CI\"\nrun = \"make\"\n"),
    ]);
    assert_eq!(ci_checks(&files, BOT, true), ["CI"]);
    assert_eq!(ci_checks(&files, BOT, false), ["test"]);
    assert_eq!(ci_checks(&listing(&[(".ralph/checks.toml", "[[")]), BOT, true), [""; 0]);
}
