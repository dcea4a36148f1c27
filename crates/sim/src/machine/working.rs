//! Simulated processes: they take time, and at their end they have planned, judged, changed files or failed. Their
//! words go through the same parsers as a real agent's.

use crate::bugs::Bug;
use crate::faults::Fault;
use crate::faults::breaking::{SAYS, SAYS_LIMITED, SAYS_ON_ONE};
use crate::faults::cheating::{Refused, SECRET, STRICT, TESTS, lying_plan, lying_review, refusal};
use crate::world::{BOT_BRANCH, SimWorld, sha};
use ralph_core::answer;
use ralph_core::digest::Digest;
use ralph_core::fact::{Answer, ConflictAt, Outcome};
use ralph_core::gate::{Gate, Judged};
use ralph_core::ids::IssueKey;
use ralph_core::job::{Asked, Job, Turn};
use ralph_core::messages::MessageId;
use ralph_core::turn_end::{EndClass, Usage};
use ralph_core::verdict::VerdictKind;
use ralph_forge::{Content, Sha, Trial};
use std::collections::BTreeMap;

/// A process of Ralph's.
#[derive(Debug, Clone)]
pub(crate) struct Process {
    pub(crate) issue: IssueKey,
    pub(crate) job: Job,
    pub(crate) is_alive: bool,
    /// Its program takes messages while it works.
    pub(crate) takes_messages: bool,
    /// The messages that it was given.
    pub(crate) heard: Vec<MessageId>,
}

/// A worktree on disk.
#[derive(Debug, Clone)]
pub(crate) struct Worktree {
    pub(crate) head: Sha,
    /// Files that a turn left behind without committing them.
    pub(crate) uncommitted: BTreeMap<String, String>,
}

/// The end of a process: its outcome, and texts to keep.
pub(crate) type Ending = (Outcome, Vec<(Digest, String)>);

fn failed(reason: &str) -> Ending {
    (Outcome::Failed { reason: reason.to_owned() }, Vec::new())
}

impl SimWorld {
    /// The duration of this job; `None`: it never ends by itself.
    pub(crate) fn duration_of(&mut self, job: &Job) -> Option<u64> {
        if let Job::Turn(turn) = job
            && (self.program_fails(true)
                || self.account_limit(turn, true).is_some()
                || self.ends_at_once(turn))
        {
            return Some(self.prng.between(50, 1_500));
        }
        let Self { faults, prng, .. } = self;
        let (from, to) = match job {
            Job::Workspace { .. } => (500, 20_000),
            Job::Setup { .. } => (1_000, 60_000),
            Job::Preflight { .. } | Job::Integrity { .. } => (2_000, 100_000),
            Job::Turn(turn) if turn.manner.asks == Asked::Change => (15_000, 240_000),
            Job::Turn(_) => (5_000, 60_000),
        };
        let hangs = matches!(job, Job::Turn(_)) && faults.strikes(Fault::AgentHangs, prng);
        (!hangs).then(|| prng.between(from, to))
    }

    /// The outcome of the process at its end.
    pub(crate) fn ending_of(&mut self, issue: &IssueKey, job: &Job) -> Ending {
        if let Some(lost) = self.mirror_lost(issue, job) {
            return lost;
        }
        match job {
            Job::Workspace { path, branch, .. } => self
                .prepare(issue, path, branch.as_str())
                .unwrap_or_else(|| failed("no base branch")),
            Job::Setup { commands, .. } => (self.commands(commands, false), Vec::new()),
            Job::Preflight { commit, commands, .. } => {
                let is_strict = self.forge.is_strict(&issue.repo, commit);
                let outcome =
                    self.commands(commands, is_strict && self.forge.is_broken(commit, issue));
                if matches!(outcome, Outcome::CommandsPassed { .. })
                    && let Some(commit) = self.forge.find_commit(&issue.repo, commit.as_str())
                {
                    self.oracle.record.passed.insert((Gate::Preflight, commit.tree.to_string()));
                }
                (outcome, Vec::new())
            }
            Job::Integrity { base, commit, commands, .. } => {
                let judge =
                    if self.faults.bug == Some(Bug::TakesHeadsTests) { commit } else { base };
                let is_strict = self.forge.is_strict(&issue.repo, judge);
                let is_broken = is_strict && self.forge.is_broken(commit, issue);
                (self.commands(commands, is_broken), Vec::new())
            }
            Job::Turn(turn) => self.turn(issue, turn),
        }
    }

    fn commands(&mut self, commands: &[String], is_broken: bool) -> Outcome {
        let Self { faults, prng, .. } = self;
        let command = commands.first().cloned().unwrap_or_default();
        if faults.strikes(Fault::CommandsCannotRun, prng) {
            return Outcome::Failed { reason: "no space left on this machine".to_owned() };
        }
        if is_broken || faults.strikes(Fault::CommandFails, prng) {
            let excerpt = "error: it does not work".to_owned();
            return Outcome::CommandsFailed { command, excerpt, ran: Vec::new() };
        }
        Outcome::CommandsPassed { command, ran: Vec::new() }
    }

    /// Brings the branch up to its base in a worktree: what was pushed, what is only here, and the base.
    fn prepare(
        &mut self,
        issue: &IssueKey,
        path: &ralph_core::managed_path::ManagedPath,
        branch: &str,
    ) -> Option<Ending> {
        let repo = issue.repo.as_str();
        let base = self.forge.model().branch(repo, BOT_BRANCH)?;
        let remote = self.forge.model().branch(repo, branch);
        let local = self
            .machine
            .local_heads
            .get(issue)
            .filter(|(own, _)| own == branch)
            .map(|(_, head)| *head);
        let own = match (remote, local) {
            (Some(remote), Some(local)) if self.forge.model().is_ancestor(repo, remote, local) => {
                Some(local)
            }
            (Some(remote), _) => Some(remote),
            (None, local) => local,
        };
        let mut conflict = None;
        let head = match own {
            None => base,
            Some(own) if self.forge.model().is_ancestor(repo, base, own) => own,
            Some(own) => {
                let trial = self.forge.model_mut().trial_merge(repo, own, base).ok()?;
                match &*trial {
                    Trial::Conflict(paths) => {
                        conflict = Some(paths.iter().map(ToString::to_string).collect());
                        own
                    }
                    Trial::Clean(tree) => {
                        let content = Content::Whole(*tree);
                        self.forge.make_commit(
                            &issue.repo,
                            vec![own, base],
                            content,
                            "Merge the base",
                        )?
                    }
                }
            }
        };
        self.machine.local_heads.insert(issue.clone(), (branch.to_owned(), head));
        let worktree = Worktree { head, uncommitted: BTreeMap::new() };
        self.machine.worktrees.insert(path.as_str().to_owned(), worktree);
        let described = self
            .forge
            .describe(&issue.repo, base, head)
            .filter(|described| !described.diff.is_empty());
        self.oracle.record.produced.insert(head.to_string());
        let (path, base) = (path.clone(), sha(base));
        let outcome = match (conflict, described) {
            (Some(files), Some(head)) => {
                let at =
                    Some(Box::new(ConflictAt { path, base, head, guidance: Default::default() }));
                Outcome::WorkspaceConflict { files, at }
            }
            (_, head) => Outcome::WorkspaceReady { path, base, head, guidance: Default::default() },
        };
        Some((outcome, Vec::new()))
    }

    /// Saves everything in a worktree before it goes.
    pub(crate) fn rescue(&mut self, path: &ralph_core::managed_path::ManagedPath) {
        let Some(repo) = self.forge.repo_of(path) else { return };
        let Some(Worktree { head, uncommitted }) =
            self.machine.worktrees.get(path.as_str()).cloned()
        else {
            return;
        };
        let saved = if uncommitted.is_empty() {
            Some(head)
        } else {
            self.forge.make_commit(&repo, vec![head], Content::written(uncommitted), "Rescued")
        };
        self.machine.rescued.extend(saved.map(|saved| (path.as_str().to_owned(), saved)));
    }

    fn turn(&mut self, issue: &IssueKey, turn: &Turn) -> Ending {
        if self.program_fails(false) {
            self.faults.count(Fault::AgentProgramFails);
            return (
                Outcome::AgentFailed { reason: SAYS.to_owned(), class: EndClass::Crashed },
                Vec::new(),
            );
        }
        if let Some(class) = self.account_limit(turn, false) {
            self.faults.count(Fault::AccountLimited);
            return (Outcome::AgentFailed { reason: SAYS_LIMITED.to_owned(), class }, Vec::new());
        }
        if self.program_fails_on(issue) {
            return (
                Outcome::AgentFailed { reason: SAYS_ON_ONE.to_owned(), class: EndClass::Crashed },
                Vec::new(),
            );
        }
        let Self { faults, prng, .. } = self;
        if faults.strikes(Fault::AgentCrashes, prng) {
            let half = format!("half of {}", prng.below(1_000_000));
            if let Some(worktree) = self.machine.worktrees.get_mut(turn.path.as_str()) {
                worktree.uncommitted.insert("notes.txt".to_owned(), half);
            }
            let reason = "exit status 101".to_owned();
            return (Outcome::AgentFailed { reason, class: EndClass::Crashed }, Vec::new());
        }
        let session = Some(format!("session-{}", turn.run));
        if self.stalls(turn) {
            let (seen, last) = (self.seen_of_stall(), "and again".to_owned());
            return (Outcome::Stalled { seen, last, session }, Vec::new());
        }
        match turn.manner.asks {
            Asked::ParentVerify => self.verify(issue, turn),
            Asked::Survey => self.survey(),
            Asked::Plan => self.plan(issue, session),
            Asked::Verdict(gate) => self.review(issue, turn, gate),
            Asked::Change => {
                let base = turn.merging.as_ref().and_then(|base| base.as_str().parse().ok());
                let answer = match base {
                    Some(base) => Ok(self.resolve(issue, turn, base)),
                    None => self.implement(issue, turn),
                };
                match answer {
                    Ok(answer) => {
                        (Outcome::Turn { answer, session, usage: Usage::total(1_000) }, Vec::new())
                    }
                    Err(Refused(why)) => failed(&why),
                }
            }
        }
    }

    fn plan(&mut self, issue: &IssueKey, session: Option<String>) -> Ending {
        let Self { faults, prng, .. } = self;
        let mut response = format!(
            "# Intent\nDo {issue}, draft {}.\n# Risk\nNone.\n# Reuse\nAll of it.\n",
            prng.below(1_000_000)
        );
        if faults.strikes(Fault::AgentLies, prng) {
            response = lying_plan(prng, &response);
        }
        match answer::plan(&response) {
            Ok(plan) => {
                let outcome =
                    Outcome::Turn { answer: plan.answer, session, usage: Usage::total(500) };
                (outcome, vec![(plan.digest, plan.text)])
            }
            Err(missing) => {
                let answer = Answer::no_verdict(missing.to_string());
                (Outcome::Turn { answer, session, usage: Usage::total(500) }, Vec::new())
            }
        }
    }

    fn review(&mut self, issue: &IssueKey, turn: &Turn, gate: Gate) -> Ending {
        let kind = VerdictKind::of(gate);
        let prefix = kind.prefix();
        let subject = match gate.judges() {
            Judged::Plan => turn.plan.map(|digest| digest.to_string()),
            Judged::Tree | Judged::TreeAgainstBase | Judged::Diff | Judged::Commit => {
                self.forge.diff_of(&issue.repo, turn)
            }
        };
        let Self { faults, prng, .. } = self;
        let is_pass = faults.is_calm || !prng.chance(60);
        let status = if is_pass { "pass" } else { "fail" };
        let found = format!("I looked, and see point {}.", prng.below(1_000_000));
        let honest =
            format!("{found}\n{prefix} {{\"status\":\"{status}\",\"reason\":\"because\"}}\n");
        let response = if faults.strikes(Fault::AgentLies, prng) {
            lying_review(prng, prefix, &honest)
        } else {
            honest
        };
        let answer::ReadReview { answer, said } = answer::review(kind, &response);
        match (&answer, subject) {
            (Answer::Verdict { pass: true, .. }, Some(subject)) => {
                self.oracle.record.passed.insert((gate, subject));
            }
            (Answer::Verdict { pass: false, .. }, Some(subject)) => {
                self.oracle.note_findings(issue, gate, &subject, &found);
            }
            _other => {}
        }
        (
            Outcome::Turn { answer, session: None, usage: Usage::total(300) },
            said.into_iter().collect(),
        )
    }

    /// The change of the turn, or the reason why it cannot be taken.
    fn implement(&mut self, issue: &IssueKey, turn: &Turn) -> Result<Answer, Refused> {
        let Self { faults, prng, .. } = self;
        if faults.strikes(Fault::AgentEmpty, prng) {
            return Ok(Answer::Unchanged);
        }
        let mut text = format!("work on {issue} ({})", prng.below(1_000_000));
        if faults.strikes(Fault::AgentBreaks, prng) {
            text.push_str(if prng.chance(500) { " broken build" } else { " broken test" });
        }
        let weakens = faults.strikes(Fault::AgentWeakensTests, prng);
        if weakens {
            text.push_str(" broken build");
        }
        let touches_shared = !faults.is_calm && prng.chance(250);
        let tests = if weakens { "lax" } else { STRICT };
        let mut files = vec![(file_of(issue), text.clone()), (TESTS.to_owned(), tests.to_owned())];
        if touches_shared {
            files.push(("shared.txt".to_owned(), text));
        }
        if faults.strikes(Fault::AgentAddsSecret, prng) {
            files.push((".env".to_owned(), format!("TOKEN={SECRET}")));
        }
        let path = turn.path.as_str();
        if self.faults.bug != Some(Bug::PushesUnscanned)
            && let Some(refused) = refusal(&files)
        {
            if let Some(worktree) = self.machine.worktrees.get_mut(path) {
                worktree.uncommitted.extend(files);
            }
            return Err(refused);
        }
        let changed =
            self.machine.worktrees.get(path).map(|worktree| worktree.head).and_then(|head| {
                let message = self.message_of(issue, "Work");
                let commit = self.forge.make_commit(
                    &issue.repo,
                    vec![head],
                    Content::written(files),
                    &message,
                )?;
                let base = turn.base.as_str().parse().ok()?;
                Some((commit, self.forge.describe(&issue.repo, base, commit)?))
            });
        let Some((commit, described)) = changed else { return Ok(Answer::Unchanged) };
        if let Some(worktree) = self.machine.worktrees.get_mut(path) {
            worktree.head = commit;
        }
        self.machine.local_heads.insert(issue.clone(), (turn.branch.to_string(), commit));
        self.oracle.record.produced.insert(commit.to_string());
        Ok(Answer::Changed(described))
    }
}

pub(crate) fn file_of(issue: &IssueKey) -> String {
    format!("src/thing-{}.txt", issue.number)
}
