//! Patterns of paths: `**` for any folders, `*` and `?` within a name. A pattern without a slash is one of a name,
//! in whatever folder.

pub(super) fn matches(glob: &str, path: &str) -> bool {
    if !glob.contains('/') {
        let name = path.rsplit('/').next().unwrap_or_default();
        return name_matches(glob.as_bytes(), name.as_bytes());
    }
    let parts = |text: &'_ str| text.split('/').map(str::to_owned).collect::<Vec<_>>();
    parts_match(&parts(glob), &parts(path))
}

fn parts_match(glob: &[String], path: &[String]) -> bool {
    match glob.split_first() {
        None => path.is_empty(),
        Some((first, rest)) if first == "**" => (0..=path.len())
            .any(|skipped| path.get(skipped..).is_some_and(|path| parts_match(rest, path))),
        Some((first, rest)) => path.split_first().is_some_and(|(name, below)| {
            name_matches(first.as_bytes(), name.as_bytes()) && parts_match(rest, below)
        }),
    }
}

fn name_matches(glob: &[u8], name: &[u8]) -> bool {
    match glob.split_first() {
        None => name.is_empty(),
        Some((b'*', rest)) => (0..=name.len())
            .any(|skipped| name.get(skipped..).is_some_and(|name| name_matches(rest, name))),
        Some((letter, rest)) => name.split_first().is_some_and(|(it, name)| {
            (letter == it || *letter == b'?') && name_matches(rest, name)
        }),
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
            ("*.test.*", "x/button.test.tsx", true),
        ] {
            assert_eq!(matches(glob, path), is, "{glob} {path}");
        }
    }
}
