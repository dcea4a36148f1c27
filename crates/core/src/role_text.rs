//! Texts that a repository or the operator adds to the prompt of a role. They are small templates: names, `if` and `for`
//! over names, and nothing that could grow without bounds.

use minijinja::{Environment, UndefinedBehavior, Value};
use regex::Regex;
use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::sync::LazyLock;

/// The longest template: a page or two of instructions, and far less than what else stands in a prompt.
pub const ROLE_TEXT_BYTES_MAX: usize = 16 * 1024;
/// The longest text that a template may become.
const RENDERED_BYTES_MAX: usize = 2 * ROLE_TEXT_BYTES_MAX;
/// Instructions of the template engine for one template; each name and each round of a loop takes a few.
const FUEL: u64 = 10_000;

/// The names that a template may use.
pub const NAMES: [&str; 11] = [
    "role",
    "repo",
    "issue",
    "branch",
    "base",
    "head",
    "time_limit",
    "setup",
    "preflight",
    "test_globs",
    "checks",
];

/// A template for the prompt of one role.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RoleText {
    pub template: String,
    /// It takes the place of Ralph's own task instead of following it.
    pub replaces: bool,
}

/// The reason why a template is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RoleTextError {
    TooLong {
        bytes: usize,
    },
    FrontMatter(String),
    /// A tag that is neither a name nor `if` or `for` over one.
    Tag(String),
    Name(String),
    /// It becomes too long.
    Grows,
    /// The engine's own words.
    Template(String),
}

impl fmt::Display for RoleTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { bytes } => {
                write!(f, "it has {bytes} bytes, and {ROLE_TEXT_BYTES_MAX} are read at most")
            }
            Self::FrontMatter(line) => write!(
                f,
                "its front matter has `{line}`, and only `replace: true` or `replace: false` is known"
            ),
            Self::Tag(tag) => write!(
                f,
                "`{tag}` is not allowed; a template may have names, `if` and `for` over names"
            ),
            Self::Name(name) => {
                write!(f, "`{name}` is unknown; the names are {}", NAMES.join(", "))
            }
            Self::Grows => write!(f, "it becomes longer than {RENDERED_BYTES_MAX} bytes"),
            Self::Template(why) => write!(f, "it cannot be rendered: {why}"),
        }
    }
}

impl std::error::Error for RoleTextError {}

impl RoleText {
    /// Reads a file with or without front matter.
    pub fn parse(text: &str) -> Result<Self, RoleTextError> {
        let Some(rest) = text.strip_prefix("---\n") else {
            return Self { template: text.to_owned(), replaces: false }.checked();
        };
        let (head, template) = rest.split_once("\n---\n").unwrap_or((rest, ""));
        let mut replaces = false;
        for line in head.lines().filter(|line| !line.trim().is_empty()) {
            replaces = match line.split_once(':').map(|(key, value)| (key.trim(), value.trim())) {
                Some(("replace", "true")) => true,
                Some(("replace", "false")) => false,
                Some(_) | None => return Err(RoleTextError::FrontMatter(line.to_owned())),
            };
        }
        Self { template: template.to_owned(), replaces }.checked()
    }

    /// The same text, if it is within the limits and uses only what is allowed.
    pub fn checked(self) -> Result<Self, RoleTextError> {
        let bytes = self.template.len();
        if bytes > ROLE_TEXT_BYTES_MAX {
            return Err(RoleTextError::TooLong { bytes });
        }
        let mut known: BTreeSet<&str> = NAMES.into();
        for tag in TAGS.iter().flat_map(|tags| tags.captures_iter(&self.template)) {
            let (expression, statement) = (tag.name("expression"), tag.name("statement"));
            let (shape, inside) = match (expression, statement) {
                (Some(inside), _) => (&EXPRESSION, inside),
                (None, Some(inside)) => (&STATEMENT, inside),
                (None, None) => continue,
            };
            let Some(parts) = shape.as_ref().and_then(|it| it.captures(inside.as_str())) else {
                return Err(RoleTextError::Tag(tag.get_match().as_str().to_owned()));
            };
            let part = |name| parts.name(name).map(|part| part.as_str());
            let is_unknown = |name: &&str| !known.contains(name);
            if let Some(unknown) = part("name").or_else(|| part("list")).filter(is_unknown) {
                return Err(RoleTextError::Name(unknown.to_owned()));
            }
            known.extend(part("each"));
        }
        self.compiled().map(drop)?;
        Ok(self)
    }

    /// The text with these values for its names.
    pub(crate) fn render(&self, values: &Value) -> Result<String, RoleTextError> {
        let engine = self.compiled()?;
        let template = engine.get_template(TEMPLATE).map_err(|error| unusable(&error))?;
        let mut text = Bounded::default();
        let rendered = template.render_captured_to(values.clone(), &mut text).map(drop);
        if text.is_full {
            return Err(RoleTextError::Grows);
        }
        rendered.map_err(|error| unusable(&error))?;
        Ok(String::from_utf8_lossy(&text.kept).trim().to_owned())
    }

    fn compiled(&self) -> Result<Environment<'_>, RoleTextError> {
        let mut engine = Environment::empty();
        engine.set_undefined_behavior(UndefinedBehavior::Strict);
        engine.set_fuel(Some(FUEL));
        engine.add_template(TEMPLATE, &self.template).map_err(|error| unusable(&error))?;
        Ok(engine)
    }
}

const TEMPLATE: &str = "it";

fn unusable(error: &minijinja::Error) -> RoleTextError {
    RoleTextError::Template(error.to_string())
}

/// Keeps what fits and refuses the rest.
#[derive(Default)]
struct Bounded {
    kept: Vec<u8>,
    is_full: bool,
}

impl io::Write for &mut Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.is_full |= self.kept.len() + bytes.len() > RENDERED_BYTES_MAX;
        if self.is_full {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.kept.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Everything between braces. A comment has neither an expression nor a statement.
static TAGS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?s)\{#.*?#\}|\{\{-?(?<expression>.*?)-?\}\}|\{%-?(?<statement>.*?)-?%\}").ok()
});

static EXPRESSION: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^\s*(?<name>[a-z_]+)\s*$").ok());

static STATEMENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^\s*(?:(?:if|elif)\s+(?:not\s+)?(?<name>[a-z_]+)|for\s+(?<each>[a-z_]+)\s+in\s+(?<list>[a-z_]+)|else|endif|endfor)\s*$",
    )
    .ok()
});

#[cfg(test)]
mod tests {
    use super::*;
    use minijinja::context;

    fn rendered(text: &str) -> Result<String, RoleTextError> {
        let commands = vec!["make check".to_owned(); 40];
        RoleText::parse(text)?.render(&context! {
            role => "plan", repo => "acme/app", issue => 7, branch => "b", base => "c", head => (),
            time_limit => "30m", setup => Vec::<String>::new(), preflight => commands,
            test_globs => Vec::<String>::new(), checks => Vec::<String>::new(),
        })
    }

    #[test]
    fn names_conditions_and_loops_are_rendered() {
        assert!(TAGS.is_some() && EXPRESSION.is_some() && STATEMENT.is_some());
        let text =
            "{# why #}{{ role }} of {{- repo }}#{{ issue }}{% if not head %}, new{% endif %}";
        assert_eq!(rendered(text).unwrap(), "plan ofacme/app#7, new");
        let text = "{% for one in preflight %}{{ one }};{% else %}none{% endfor %}";
        assert_eq!(rendered(text).unwrap(), "make check;".repeat(40));
        let read = RoleText::parse("---\nreplace: true\n---\nDo it.\n").unwrap();
        assert_eq!(read, RoleText { template: "Do it.\n".to_owned(), replaces: true });
    }

    #[test]
    fn everything_else_is_refused_with_what_is_wrong() {
        let loops =
            format!("{0}x{1}", "{% for a in preflight %}".repeat(5), "{% endfor %}".repeat(5));
        let long =
            format!("{0}{2}{1}", "{% for a in preflight %}", "{% endfor %}", "y".repeat(3_000));
        for (text, expected) in [
            ("{{ nobody }}".to_owned(), "`nobody` is unknown"),
            ("{% for a in nothing %}{% endfor %}".to_owned(), "`nothing` is unknown"),
            ("{% set a = role ~ role %}".to_owned(), "`{% set a = role ~ role %}` is not allowed"),
            ("{{ role * 9 }}".to_owned(), "is not allowed"),
            ("{% include 'x' %}".to_owned(), "is not allowed"),
            ("{{ preflight[0] }}".to_owned(), "is not allowed"),
            ("{% if role %}".to_owned(), "it cannot be rendered"),
            ("{{ role".to_owned(), "it cannot be rendered"),
            (loops, "it cannot be rendered"),
            (long, "it becomes longer than 32768 bytes"),
            ("a".repeat(ROLE_TEXT_BYTES_MAX + 1), "it has 16385 bytes"),
            ("---\nreplace: maybe\n---\n".to_owned(), "its front matter has `replace: maybe`"),
        ] {
            let why = rendered(&text).unwrap_err().to_string();
            assert!(why.contains(expected), "{text}: {why}");
        }
    }
}
