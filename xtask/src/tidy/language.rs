//! English as people write it: idioms that are hard to follow, and docs that begin with a question word instead of the
//! thing they describe. `xtask/language.toml` has a budget per area, and the lines that may stay with the reason.

use super::tree::{Finding, SourceFile, Tree};
use serde_json::Value;

const BUDGETS: &str = "xtask/language.toml";
/// The lists themselves.
const OWN_FILES: &[&str] = &[BUDGETS, "xtask/src/tidy/language.rs"];
/// Files in which every line is read by people: help, sentences on the forge, prompts, the reference of settings.
const ALL_TEXT: &[&str] =
    &["crates/core/src/words", "crates/ralph/src/args", "crates/ralph/src/config/settings/"];
/// Most places that are listed for one area.
const PLACES_MAX: usize = 5;

const IDIOMS: [&str; 12] = [
    "whoever",
    "nobody",
    "somebody",
    "anew",
    "any more",
    "of its own",
    "of ours",
    "is told",
    "told of",
    "tells of",
    "once more",
    "comes of",
];
const QUESTION_WORDS: [&str; 10] =
    ["What", "Who", "Whom", "Whose", "How", "Whether", "Which", "Where", "When", "Why"];

/// The lines of an area, and those of them that should be written otherwise.
#[derive(Debug, Default)]
struct Count<'t> {
    lines: usize,
    found: Vec<(&'t SourceFile, usize)>,
}

impl<'t> Count<'t> {
    fn add(&mut self, file: &'t SourceFile, number: usize, is_found: bool) {
        self.lines += 1;
        if is_found {
            self.found.push((file, number));
        }
    }

    /// The findings if more than `budget` in `per` lines are found.
    fn over(&self, budget: u64, per: usize, area: &str, advice: &str) -> Vec<Finding> {
        let allowed = usize::try_from(budget).unwrap_or(usize::MAX).saturating_mul(self.lines);
        if self.found.len() * per <= allowed {
            return Vec::new();
        }
        let (count, lines) = (self.found.len(), self.lines);
        let says =
            format!("{advice}; {area:?} has {count} in {lines} lines, at most {budget} in {per}");
        let places = self.found.iter().take(PLACES_MAX);
        places.map(|(file, number)| file.finding(*number, says.clone())).collect()
    }
}

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let Some(table) = tree.file(BUDGETS) else { return Vec::new() };
    let rules: Value = match toml::from_str(&table.text) {
        Ok(rules) => rules,
        Err(error) => {
            return vec![table.finding(1, format!("this is not TOML: {}", error.message()))];
        }
    };
    let list = |name: &str| rules.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let (areas, allowed) = (list("areas"), list("allowed"));
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let mut found = Vec::new();
    for entry in &allowed {
        let reason = text(entry, "reason").unwrap_or_default();
        if reason.is_empty() {
            found.push(table.finding(1, "an allowed line needs a `reason`"));
        }
    }
    let is_allowed = |path: &str, line: &str| {
        let fits = |entry: &Value, key: &str, whole: &str| {
            text(entry, key).is_some_and(|part| !part.is_empty() && whole.contains(&part))
        };
        allowed.iter().any(|entry| fits(entry, "path", path) && fits(entry, "text", line))
    };
    let paths: Vec<String> = areas.iter().filter_map(|area| text(area, "path")).collect();
    for (area, path) in areas.iter().zip(&paths) {
        // A file belongs to the first area that its path begins with.
        let is_here = |file: &&SourceFile| {
            let home = paths.iter().find(|path| file.path.starts_with(path.as_str()));
            home == Some(path) && !OWN_FILES.contains(&file.path.as_str())
        };
        let (mut idioms, mut questions) = (Count::default(), Count::default());
        for file in tree.files.iter().filter(is_here) {
            count(file, &is_allowed, (&mut idioms, &mut questions));
        }
        let budget = |key: &str| area.get(key).and_then(Value::as_u64).unwrap_or_default();
        let advice = "say it without an idiom (see IDIOMS in xtask/src/tidy/language.rs)";
        found.extend(idioms.over(budget("idioms_per_1000"), 1000, path, advice));
        let advice = "begin the doc with the thing itself, not with a question word";
        found.extend(questions.over(budget("question_words_per_100"), 100, path, advice));
    }
    found
}

fn count<'t>(
    file: &'t SourceFile,
    is_allowed: &impl Fn(&str, &str) -> bool,
    (idioms, questions): (&mut Count<'t>, &mut Count<'t>),
) {
    let is_rust = file.has_extension("rs");
    let is_text = file.has_extension("md") || file.is_under_any(ALL_TEXT);
    for (number, line) in file.lines() {
        let trimmed = line.trim_start();
        let is_comment = is_rust && trimmed.starts_with("//");
        if is_comment || (is_text && !trimmed.is_empty()) {
            let is_found = IDIOMS.iter().any(|idiom| has(line, idiom));
            idioms.add(file, number, is_found && !is_allowed(&file.path, line));
        }
        let doc = trimmed.strip_prefix("/// ").or_else(|| trimmed.strip_prefix("//! "));
        if let Some(doc) = doc.filter(|_| is_rust) {
            let word = doc.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
            let is_found = QUESTION_WORDS.contains(&word);
            questions.add(file, number, is_found && !is_allowed(&file.path, line));
        }
    }
}

/// Returns whether the words stand in the line as whole words, in any case.
fn has(line: &str, words: &str) -> bool {
    let line = line.to_lowercase();
    line.match_indices(words).any(|(at, _)| {
        let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let before = line.get(..at).and_then(|before| before.chars().next_back());
        let after = line.get(at + words.len()..).and_then(|after| after.chars().next());
        !is_letter(before) && !is_letter(after)
    })
}

#[cfg(test)]
mod tests {
    use super::super::tree::places;
    use super::*;

    fn planted(budgets: &str) -> Tree {
        let code = "//! Whether it is new.\n/// A thing.\n// Nobody asks, canewas does.\nlet nobody = 1;\n";
        Tree::planted(&[
            (BUDGETS, budgets),
            ("crates/a/src/b.rs", code),
            ("docs/c.md", "once more\n"),
        ])
    }

    #[test]
    fn lines_above_the_budget_of_their_area_are_found() {
        let strict = "[[areas]]\npath = \"crates/a\"\n[[areas]]\npath = \"\"\n";
        let found = findings(&planted(strict));
        assert_eq!(
            places(&found),
            ["crates/a/src/b.rs:3", "crates/a/src/b.rs:1", "docs/c.md:1"],
            "{found:?}"
        );
        let mild =
            "[[areas]]\npath = \"crates/a\"\nidioms_per_1000 = 334\nquestion_words_per_100 = 50\n";
        assert_eq!(findings(&planted(mild)), []);
    }

    #[test]
    fn an_allowed_line_needs_a_reason() {
        let rules = |reason| {
            format!(
                "[[areas]]\npath = \"docs\"\n[[allowed]]\npath = \"docs/c.md\"\ntext = \"once more\"\nreason = \"{reason}\"\n"
            )
        };
        assert_eq!(findings(&planted(&rules("a quotation"))), []);
        assert_eq!(places(&findings(&planted(&rules("")))), [format!("{BUDGETS}:1")]);
    }
}
