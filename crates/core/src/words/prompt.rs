//! The prompts of agents, rendered from one template per role. Text from the issue is quoted as data; an agent's earlier
//! answers are marked as its words.

use super::review::parts_of;
use super::{judged, parent, quoted, quoted_up_to, stall};
use crate::excerpt::Excerpt;
use crate::gate::Gate;
use crate::guidance::{INSTRUCTION_FILES, prompt_file};
use crate::ids::{IssueKey, Login, Sha};
use crate::job::{Asked, Role, Shown, Turn};
use crate::messages::MESSAGE_BYTES_MAX;
use crate::policy::RepoPolicy;
use crate::role_text::{RoleText, RoleTextError};
use minijinja::syntax::SyntaxConfig;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value, context};
use std::fmt;
use std::sync::LazyLock;

/// Longest text of one kind in a prompt. A plan as it is kept fits, and so does the longest issue of GitHub:
/// what was reviewed is what is implemented.
const PROMPT_TEXT_BYTES_MAX: usize = 64 * 1024;

/// The longest part of an instruction file in a prompt: long files are for reference, and are in the checkout.
const INSTRUCTION_BYTES_MAX: usize = 32 * 1024;

/// The texts behind a turn's digests, and the rules by which its work is judged.
#[derive(Debug, Clone, Copy, Default)]
pub struct Texts<'a> {
    /// The issue; `None` shows no repository.
    pub key: Option<&'a IssueKey>,
    pub body: &'a str,
    pub plan: Option<&'a str>,
    /// The answer that a repair is about.
    pub earlier: Option<&'a str>,
    /// The answers and their authors, oldest first.
    pub notes: &'a [(Login, String)],
    /// People's messages to the agent and their authors, oldest first.
    pub messages: &'a [(Login, String)],
    /// The findings of reviews.
    pub findings: &'a [(Gate, String)],
    /// The base's own files for agents, by path.
    pub guidance: &'a [(String, String)],
    /// The operator's settings of the repository; `None` stands for the defaults.
    pub rules: Option<&'a RepoPolicy>,
    /// The checks that branch protection requires, as far as they are known.
    pub protected: &'a [String],
}

/// A prompt, and what had to be left out of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prompt {
    pub text: String,
    /// Lines for the attempt's log: texts of the repository or the operator that could not be used, and why.
    pub remarks: Vec<String>,
}

/// The prompt of a turn could not be made: its template names something unknown, or is wrong.
#[derive(Debug)]
pub struct PromptError(minijinja::Error);

impl fmt::Display for PromptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the prompt cannot be rendered: {}", self.0)
    }
}

impl std::error::Error for PromptError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

/// Templates that roles share.
const SHARED: [(&str, &str); 2] = [
    ("frame.md", include_str!("../../prompts/frame.md")),
    ("judged.md", include_str!("../../prompts/judged.md")),
];

/// One template per role, and what they share.
static TEMPLATES: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut templates = Environment::new();
    templates.set_undefined_behavior(UndefinedBehavior::Strict);
    templates.set_auto_escape_callback(|_| AutoEscape::None);
    // A line with nothing but a tag leaves no line.
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
    syntax.into_iter().for_each(|syntax| templates.set_syntax(syntax));
    let roles = Role::ALL.into_iter().map(|role| (role.name(), role.spec().prompt));
    for (name, template) in roles.chain(SHARED) {
        // One that is wrong is missing, which rendering says. A test renders all of them.
        drop(templates.add_template(name, template));
    }
    templates
});

/// The prompt of one turn. A repair asks for the verdict alone, with everything in view that it is about.
pub fn prompt(turn: &Turn, texts: &Texts<'_>) -> Result<Prompt, PromptError> {
    let whole = |text: &str| quoted_up_to(text, PROMPT_TEXT_BYTES_MAX);
    let notes = texts.notes.iter().map(|(author, text)| {
        context! { author => author.as_str(), text => quoted(text) }
    });
    let messages = texts.messages.iter().map(|(author, text)| {
        context! { author => author.as_str(), text => quoted_up_to(text, MESSAGE_BYTES_MAX) }
    });
    let plan = texts.plan.map(|plan| plan_parts(turn.manner.shows, plan)).unwrap_or_default();
    let plan =
        plan.iter().map(|(heading, text)| context! { heading => *heading, text => whole(text) });
    let findings = texts.findings.iter().map(|(gate, text)| {
        context! { gate => gate.to_string(), text => whole(text) }
    });
    let earlier = texts.earlier.filter(|earlier| !earlier.trim().is_empty());
    let children = turn.parent.as_ref().map(parent::children);
    let own = own_texts(turn, texts);
    let additions = own.additions.iter().map(|(source, text)| context! { source, text });
    let values = context! {
        time_limit => turn.timeout.to_string(),
        writes => turn.manner.asks == Asked::Change,
        own_task => own.task,
        additions => additions.collect::<Vec<_>>(),
        instructions => instructions(texts.guidance),
        instructions_max => INSTRUCTION_BYTES_MAX,
        is_repair => turn.is_repair,
        is_review => turn.role.is_review(),
        title => quoted(&turn.title),
        body => whole(texts.body),
        notes => notes.collect::<Vec<_>>(),
        messages => messages.collect::<Vec<_>>(),
        children => children.as_deref().map(str::trim_end),
        plan => plan.collect::<Vec<_>>(),
        feedback => turn.feedback.as_deref().map(whole),
        findings => findings.collect::<Vec<_>>(),
        stalled => turn.stalled.as_ref().map(stall::nudge),
        earlier => earlier.map(whole),
        branch => turn.branch.as_str(),
        base => turn.base.short(),
        head => turn.head.as_ref().map(Sha::short),
        ..judged::values(texts),
    };
    let template = TEMPLATES.get_template(turn.role.name());
    let text = template.and_then(|template| template.render(values)).map_err(PromptError)?;
    Ok(Prompt { text: tidied(&text), remarks: own.remarks })
}

/// The instruction files, those with the same text once.
fn instructions(guidance: &[(String, String)]) -> Vec<Value> {
    let mut shown: Vec<(String, &str)> = Vec::new();
    let known = |path: &&str| guidance.iter().find(|(one, _)| one == path);
    for (path, text) in INSTRUCTION_FILES.iter().filter_map(known) {
        match shown.iter_mut().find(|(_, other)| *other == text.as_str()) {
            Some((paths, _)) => *paths = format!("{paths}, {path}"),
            None if text.trim().is_empty() => {}
            None => shown.push((path.clone(), text)),
        }
    }
    let file = |(path, text): &(String, &str)| {
        context! { path, text => quoted_up_to(text, INSTRUCTION_BYTES_MAX) }
    };
    shown.iter().map(file).collect()
}

/// Texts of the repository and of the operator for the role of a turn.
#[derive(Default)]
struct OwnTexts {
    task: Option<String>,
    /// Each with its source.
    additions: Vec<(String, String)>,
    remarks: Vec<String>,
}

/// Reads and renders the texts for a role. One that cannot be used is left out, and said.
fn own_texts(turn: &Turn, texts: &Texts<'_>) -> OwnTexts {
    let values = judged::names(turn, texts);
    let file = prompt_file(turn.role);
    let in_base = texts.guidance.iter().find(|(path, _)| *path == file);
    let in_base = in_base.map(|(_, text)| (of_base(&file), RoleText::parse(text)));
    let of_operator = texts.rules.and_then(|rules| rules.prompts.get(&turn.role));
    let of_operator = of_operator.map(|text| (of_configuration(turn.role), text.clone().checked()));
    let mut own = OwnTexts::default();
    // The operator's word is the last.
    for (source, text) in of_operator.into_iter().chain(in_base) {
        let rendered = text.and_then(|text| Ok((text.replaces, text.render(&values)?)));
        match rendered {
            Ok((true, text)) if own.task.is_none() => own.task = Some(bounded(&text)),
            Ok((true, _)) => own.remarks.push(replaced_already(&source)),
            Ok((false, text)) => own.additions.push((source, bounded(&text))),
            Err(why) => own.remarks.push(unused(&source, &why)),
        }
    }
    own
}

fn bounded(text: &str) -> String {
    Excerpt::of(text, PROMPT_TEXT_BYTES_MAX).into()
}

fn of_base(file: &str) -> String {
    format!("`{file}` of the base commit")
}

fn of_configuration(role: Role) -> String {
    format!("`[prompts.{}]` of the configuration", role.name())
}

fn unused(source: &str, why: &RoleTextError) -> String {
    format!("ralph: {source} is not used, and Ralph's own text stands in its place: {why}")
}

fn replaced_already(source: &str) -> String {
    format!("ralph: {source} is not used: the configuration replaces the task of this role already")
}

/// Sections that are empty leave no gap: at most one empty line stays between two lines outside of quotes.
fn tidied(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let (mut is_gap, mut fence) = (true, None);
    for line in text.lines() {
        let ticks = line.chars().take_while(|letter| *letter == '`').count();
        match fence {
            None if ticks >= 3 => fence = Some(ticks),
            Some(open) if ticks == open && line.len() == open => fence = None,
            None | Some(_) => {}
        }
        if fence.is_some() || !line.trim().is_empty() || !is_gap {
            kept.push_str(line);
            kept.push('\n');
        }
        is_gap = line.trim().is_empty();
    }
    kept.truncate(kept.trim_end().len());
    kept
}

/// The template of a role in one piece, as it is shipped.
#[must_use]
pub fn prompt_template(role: Role) -> String {
    let own = role.spec().prompt;
    let mut whole = SHARED.first().map_or_else(String::new, |(_, frame)| (*frame).to_owned());
    for name in BLOCKS {
        let begin = format!("{{% block {name} %}}");
        let block = own.split_once(&begin).and_then(|(_, rest)| rest.split_once(BLOCK_END));
        let block = block.map_or("", |(block, _)| block).trim_matches('\n');
        whole = whole.replace(&format!("{begin}{BLOCK_END}"), block);
    }
    for (name, text) in SHARED {
        whole = whole.replace(&format!("{{% include \"{name}\" %}}"), text.trim_end());
    }
    whole
}

const BLOCKS: [&str; 4] = ["who", "task", "judged", "ending"];
const BLOCK_END: &str = "{% endblock %}";

/// The plan with a heading for each part: a reviewer of the change gets its intent, risk and reuse apart from the rest.
fn plan_parts(shows: Shown, plan: &str) -> Vec<(&'static str, String)> {
    let parts = match shows {
        Shown::Difference => parts_of(plan),
        Shown::Nothing | Shown::Claims => None,
    };
    let Some(parts) = parts else { return vec![("The plan", plan.to_owned())] };
    let names = ["Intent", "Risk", "Reuse", "The rest of the plan"];
    names.into_iter().zip(parts).filter(|(_, part)| !part.trim().is_empty()).collect()
}

/// True if a text begins as a prompt of Ralph's does: whom it speaks to, and its first rule.
#[must_use]
pub(crate) fn is_prompt(text: &str) -> bool {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    let is_to = |role: &Role| {
        let who = role.spec().prompt.split_once(WHO).and_then(|(_, who)| who.split_once(BLOCK_END));
        let rest = who.and_then(|(who, _)| first.strip_prefix("You are ")?.strip_prefix(who));
        rest.is_some_and(|rest| rest.starts_with(" in Ralph, "))
    };
    let mut rules = lines.skip_while(|line| line.is_empty());
    Role::ALL.iter().any(is_to) && rules.next().is_some_and(|rule| rule.starts_with(FIRST_RULE))
}

const WHO: &str = "{% block who %}";
/// The beginning of the first rule in `prompts/frame.md`.
const FIRST_RULE: &str = "- This session is not interactive";
