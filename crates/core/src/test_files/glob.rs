//! Patterns of paths: `**` for any folders, `*` and `?` within a name; a pattern without a slash matches a file's name
//! in every folder. Brackets and braces are literal, because they are usual in file names.

use globset::{GlobBuilder, GlobSet};

/// Compiled patterns; a path matches if one of them does.
#[derive(Debug, Clone, Default)]
pub struct Patterns(GlobSet);

impl Patterns {
    /// Compiles the patterns. One that is too large to compile matches nothing.
    #[must_use]
    pub fn new(patterns: &[impl AsRef<str>]) -> Self {
        let globs = patterns.iter().filter_map(|pattern| {
            let pattern = pattern.as_ref();
            let folders = if pattern.contains('/') { "" } else { "**/" };
            let literal = |c: char| match c {
                '[' | ']' | '{' | '}' | '\\' => format!("[{c}]"),
                c => c.to_string(),
            };
            let escaped: String = pattern.chars().map(literal).collect();
            let glob = format!("{folders}{escaped}");
            GlobBuilder::new(&glob).literal_separator(true).backslash_escape(false).build().ok()
        });
        Self(GlobSet::new(globs).unwrap_or_default())
    }

    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        self.0.is_match(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_paths_or_names() {
        for (glob, path, is) in [
            ("*.snap", "a/b/c.snap", true),
            ("*.snap", "c.snap.txt", false),
            ("**/tests/**", "tests/a", true),
            ("**/tests/**", "x/y/tests/z/a", true),
            ("**/tests/**", "x/mytests/a", false),
            ("tests/**", "x/tests/a", false),
            ("a/?.rs", "a/b.rs", true),
            ("a/?.rs", "a/bc.rs", false),
            ("a/*/c.rs", "a/b/d/c.rs", false),
            ("*.test.*", "x/button.test.tsx", true),
            ("app/[id].test.ts", "app/[id].test.ts", true),
            ("app/[id].test.ts", "app/i.test.ts", false),
            ("{a,b}.rs", "x/{a,b}.rs", true),
            ("{a,b}.rs", "a.rs", false),
        ] {
            assert_eq!(Patterns::new(&[glob]).matches(path), is, "{glob} {path}");
        }
    }
}
