//! The entries of a file that define checks, and how firmly the base holds them.

/// The way in which the base holds an entry.
#[derive(Debug, Clone, Copy)]
pub(super) enum Hold {
    /// It is what the base has.
    Same,
    /// So is everything in it but these.
    AllBut(&'static [&'static str]),
    /// The contents of the base stay as they are; additions are free.
    Entries,
    /// The items of the base stay listed; additions are free, unless they take something away.
    Items,
}

/// An entry by the keys that lead to it; `*` is every one, and in a list those of the same `name` belong together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    pub(super) path: &'static str,
    pub(super) hold: Hold,
}

const fn same(path: &'static str) -> Rule {
    Rule { path, hold: Hold::Same }
}

const fn items(path: &'static str) -> Rule {
    Rule { path, hold: Hold::Items }
}

pub(super) const PACKAGE: &[Rule] = &[
    same("scripts"),
    same("jest"),
    same("mocha"),
    same("ava"),
    same("tap"),
    same("vitest"),
    same("nyc"),
    same("c8"),
    same("eslintConfig"),
    same("eslintIgnore"),
    same("stylelint"),
    same("xo"),
    same("standard"),
    same("nx"),
    same("wireit"),
    items("workspaces"),
    items("workspaces.packages"),
];

/// Tools of Python that keep dependencies and packaging in their entry.
const PACKAGERS: &[&str] = &[
    "poetry",
    "uv",
    "pdm",
    "hatch",
    "rye",
    "pixi",
    "setuptools",
    "setuptools_scm",
    "flit",
    "maturin",
    "scikit-build",
    "towncrier",
    "cibuildwheel",
];

pub(super) const PYPROJECT: &[Rule] = &[
    Rule { path: "tool", hold: Hold::AllBut(PACKAGERS) },
    same("tool.pdm.scripts"),
    same("tool.rye.scripts"),
    same("tool.pixi.tasks"),
    same("tool.hatch.envs.*.scripts"),
    // These make a project a plugin of its tests.
    same("project.entry-points.pytest11"),
    same("tool.poetry.plugins.pytest11"),
];

pub(super) const CARGO: &[Rule] = &[
    same("lints"),
    same("workspace.lints"),
    same("test"),
    same("lib.test"),
    same("lib.doctest"),
    same("lib.harness"),
    same("bin.*.test"),
    same("bin.*.harness"),
    same("package.autolib"),
    same("package.autobins"),
    same("package.autotests"),
    same("package.autoexamples"),
    same("package.autobenches"),
    same("package.workspace"),
    items("workspace.members"),
    same("workspace.exclude"),
    same("workspace.default-members"),
    // It can switch the checks of the language off, and what ends a test.
    same("profile"),
    Rule { path: "features", hold: Hold::Entries },
    same("features.default"),
];

/// Sections of a `setup.cfg` that are about packaging; every other one is some tool's.
pub(super) const SETUP_FREE: &[&str] = &[
    "metadata",
    "options",
    "build",
    "bdist",
    "sdist",
    "egg_info",
    "install",
    "upload",
    "easy_install",
];
