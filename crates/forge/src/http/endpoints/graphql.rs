//! GraphQL: the one question that `gh auth status` asks. Everything else is refused with words.

use serde::{Deserialize, Serialize, Serializer};

use crate::http::answer::Answer;
use crate::http::nothing::Nothing;
use crate::http::problem::Problem;
use crate::http::render::object;
use crate::http::request_context::RequestContext;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct QuestionBody {
    query: String,
    #[serde(default, rename = "variables")]
    _variables: Option<Nothing>,
    /// There is one operation, whatever it is called.
    #[serde(default, rename = "operationName")]
    _operation_name: Option<String>,
}

pub(in crate::http) fn answer(context: &mut RequestContext<'_>) -> Result<Answer, Problem> {
    let QuestionBody { query, .. } = context.ask.json()?;
    if !is_who_am_i(&query) {
        let words = "GraphQL is not done here, except for `query { viewer { login } }`.";
        return Err(Problem::unprocessable(words));
    }
    Answer::ok(&Data(context.ask.who))
}

/// `{viewer{login}}`, with or without `query` and a name before it.
fn is_who_am_i(query: &str) -> bool {
    let spaced = query.replace('{', " { ").replace('}', " } ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let asked = match words.as_slice() {
        ["query", "{", ..] => words.get(1..),
        ["query", _name, ..] => words.get(2..),
        _bare => Some(words.as_slice()),
    };
    asked == Some(&["{", "viewer", "{", "login", "}", "}"])
}

struct Data<'a>(&'a str);

impl Serialize for Data<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, { "data": Viewer(self.0) })
    }
}

struct Viewer<'a>(&'a str);

impl Serialize for Viewer<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, { "viewer": Login(self.0) })
    }
}

struct Login<'a>(&'a str);

impl Serialize for Login<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        object!(serializer, { "login": self.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::is_who_am_i;

    #[test]
    fn one_question_is_known() {
        for known in [
            "query UserCurrent{viewer{login}}",
            "{viewer{login}}",
            "query { viewer { login } }",
            "query UserCurrent {\n  viewer {\n    login\n  }\n}\n",
        ] {
            assert!(is_who_am_i(known), "{known}");
        }
        for other in ["", "{viewer{name}}", "{viewer{login,name}}", "mutation{viewer{login}}"] {
            assert!(!is_who_am_i(other), "{other}");
        }
    }
}
