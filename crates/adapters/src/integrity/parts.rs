//! Files of which only a part says what is checked: the rest of a `package.json` or a `pyproject.toml` is about
//! dependencies, and a change may well need new ones.

mod rules;

use rules::{Hold, Rule};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The file of the head once its parts about checks are those of the base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Held {
    /// It says the same.
    AsItIs,
    /// The head's file with the base's rules in it.
    Mixed(String),
    /// Its parts cannot be separated: the whole file has to be the base's.
    Whole,
}

/// The format of a file.
#[derive(Debug, Clone, Copy)]
enum Form {
    Json(&'static [Rule]),
    Toml(&'static [Rule]),
    /// Sections under headings; those that begin so are about other things than checks.
    Sections(&'static [&'static str]),
}

/// Tells whether only a part of a file of this name defines checks.
pub(super) fn has_parts(path: &str) -> bool {
    form_of(path).is_some()
}

fn form_of(path: &str) -> Option<Form> {
    match path.rsplit('/').next().unwrap_or_default() {
        "package.json" => Some(Form::Json(rules::PACKAGE)),
        "pyproject.toml" => Some(Form::Toml(rules::PYPROJECT)),
        "Cargo.toml" => Some(Form::Toml(rules::CARGO)),
        "setup.cfg" => Some(Form::Sections(rules::SETUP_FREE)),
        _ => None,
    }
}

/// The file of the head with what says what is checked as the base has it.
pub(super) fn held(path: &str, base: &str, head: &str) -> Held {
    if base == head {
        return Held::AsItIs;
    }
    match form_of(path) {
        None => Held::Whole,
        Some(Form::Sections(free)) => held_sections(free, base, head),
        Some(Form::Json(rules)) => {
            let parsed = serde_json::from_str(base).ok().zip(serde_json::from_str(head).ok());
            held_entries(rules, parsed, |mixed| serde_json::to_string_pretty(mixed).ok())
        }
        Some(Form::Toml(rules)) => {
            let parsed = toml::from_str(base).ok().zip(toml::from_str(head).ok());
            held_entries(rules, parsed, toml_text)
        }
    }
}

fn held_entries(
    rules: &[Rule],
    parsed: Option<(Value, Value)>,
    write: impl Fn(&Value) -> Option<String>,
) -> Held {
    let Some((base, head)) = parsed else { return Held::Whole };
    let mut mixed = head.clone();
    for rule in rules {
        let path: Vec<&str> = rule.path.split('.').collect();
        hold(&path, rule.hold, Some(&base), &mut mixed);
    }
    if mixed == head {
        return Held::AsItIs;
    }
    write(&mixed).map_or(Held::Whole, Held::Mixed)
}

/// `None`: it has a value that only TOML has, such as a date.
fn toml_text(value: &Value) -> Option<String> {
    let text = toml::to_string(value).ok()?;
    let again: Value = toml::from_str(&text).ok()?;
    (again == *value && !text.contains("$__toml")).then_some(text)
}

fn hold(path: &[&str], how: Hold, base: Option<&Value>, head: &mut Value) {
    let Some((key, below)) = path.split_first() else { return };
    if let (Value::Array(items), "*") = (&mut *head, *key) {
        let of_base = |name: Option<&Value>| {
            base?.as_array()?.iter().find(|it| name.is_some() && it.get("name") == name)
        };
        for item in items {
            let name = item.get("name").cloned();
            hold(below, how, of_base(name.as_ref()), item);
        }
        return;
    }
    let Value::Object(head) = head else { return };
    let of_base = base.and_then(Value::as_object);
    let keys: BTreeSet<String> = match *key {
        "*" => head.keys().chain(of_base.into_iter().flat_map(Map::keys)).cloned().collect(),
        key => [key.to_owned()].into(),
    };
    for key in keys {
        let of_base = of_base.and_then(|base| base.get(&key));
        if below.is_empty() {
            hold_entry(how, &key, of_base, head);
            continue;
        }
        if of_base.is_some() && !head.contains_key(&key) {
            head.insert(key.clone(), Value::Object(Map::new()));
        }
        let Some(entry) = head.get_mut(&key) else { continue };
        hold(below, how, of_base, entry);
        if of_base.is_none_or(|it| !is_empty(it)) && is_empty(entry) {
            head.remove(&key);
        }
    }
}

fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(Map::is_empty)
}

fn hold_entry(how: Hold, key: &str, base: Option<&Value>, head: &mut Map<String, Value>) {
    let held = match (how, base, head.get(key)) {
        (Hold::AllBut(free), base, now) => all_but(free, base, now),
        (Hold::Entries, Some(Value::Object(base)), Some(Value::Object(now))) => {
            let mut held = now.clone();
            held.extend(base.clone());
            Some(Value::Object(held))
        }
        (Hold::Entries, None, now) => now.cloned(),
        (Hold::Items, Some(Value::Array(base)), Some(Value::Array(now))) => {
            let takes_away = |item: &Value| item.as_str().is_some_and(|it| it.starts_with('!'));
            let stays = |item: &&Value| base.contains(item) || !takes_away(item);
            let lost = base.iter().filter(|item| !now.contains(item));
            Some(Value::Array(now.iter().filter(stays).chain(lost).cloned().collect()))
        }
        (Hold::Items, Some(Value::Object(_)), Some(now @ Value::Object(_))) => Some(now.clone()),
        (Hold::Same | Hold::Entries | Hold::Items, base, _) => base.cloned(),
    };
    match held {
        Some(value) => drop(head.insert(key.to_owned(), value)),
        None => drop(head.remove(key)),
    }
}

fn all_but(free: &[&str], base: Option<&Value>, now: Option<&Value>) -> Option<Value> {
    let entries = |value: Option<&Value>, is_free: bool| -> Vec<(String, Value)> {
        let all = value.and_then(Value::as_object).into_iter().flatten();
        all.filter(|(key, _)| free.contains(&key.as_str()) == is_free)
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect()
    };
    let held: Map<String, Value> =
        entries(now, true).into_iter().chain(entries(base, false)).collect();
    (!held.is_empty() || base.or(now).is_some_and(is_empty)).then_some(Value::Object(held))
}

fn held_sections(free: &[&str], base: &str, head: &str) -> Held {
    let is_judged = |part: &&str| {
        let heading = part.trim_start().trim_start_matches('[').trim_start();
        let is_free = free.iter().any(|name| heading.starts_with(name));
        // This entry makes a project a plugin of its tests.
        !is_free || part.contains("pytest11")
    };
    let judged = |text| -> String { sections(text).into_iter().filter(is_judged).collect() };
    if judged(base) == judged(head) {
        return Held::AsItIs;
    }
    let others = sections(head).into_iter().filter(|part| !is_judged(part));
    let own = sections(base).into_iter().filter(is_judged);
    let lines = others.chain(own).map(|part| match part.ends_with('\n') {
        true => Cow::Borrowed(part),
        false => Cow::Owned(format!("{part}\n")),
    });
    Held::Mixed(lines.collect())
}

/// A file of sections, each from its heading to the next, however far a heading stands from the margin. What stands
/// before the first is one too.
fn sections(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut from, mut at) = (0, 0);
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with('[') && at > from {
            parts.extend(text.get(from..at));
            from = at;
        }
        at += line.len();
    }
    parts.extend(text.get(from..).filter(|part| !part.is_empty()));
    parts
}

#[cfg(test)]
mod tests;
