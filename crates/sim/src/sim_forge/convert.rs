//! From the model's types to the ports'.

use ralph_core::ids::{Branch, IssueKey, Login, PullNumber, RepoName, Sha};
use ralph_core::pull::{CheckState, Mergeable, Pull, PullState};
use ralph_core::time::Time;
use ralph_engine::ports::{Answer, ForgeIssue};
use ralph_forge::{Conclusion, IssueState, IssueView, MergeState, PullView, Reply};

pub(super) fn done(answer: Answer<Reply>) -> Answer<()> {
    match answer {
        Answer::Happened(_) => Answer::Happened(()),
        Answer::Refused(refusal) => Answer::Refused(refusal),
        Answer::Later { until, why } => Answer::Later { until, why },
        Answer::Unknown { why } => Answer::Unknown { why },
    }
}

pub(super) fn of_kind<T>(
    answer: Answer<Reply>,
    take: impl FnOnce(Reply) -> Option<T>,
) -> Answer<T> {
    match answer {
        Answer::Happened(reply) => match take(reply) {
            Some(value) => Answer::Happened(value),
            None => Answer::Unknown { why: "the forge answered something else".to_owned() },
        },
        Answer::Refused(refusal) => Answer::Refused(refusal),
        Answer::Later { until, why } => Answer::Later { until, why },
        Answer::Unknown { why } => Answer::Unknown { why },
    }
}

pub(super) fn seconds(at: u64) -> Time {
    Time(i64::try_from(at).unwrap_or(0).saturating_mul(1_000))
}

pub(super) fn issue_of(view: IssueView) -> Option<ForgeIssue> {
    let has_children = view.sub_issues.total > 0;
    let has_blockers = view.dependencies.as_ref().is_some_and(|deps| deps.total_blocked_by > 0);
    Some(ForgeIssue {
        key: IssueKey::new(RepoName::parse(&view.repo)?, view.number),
        title: view.title.into(),
        body: view.body,
        open: matches!(view.state, IssueState::Open { .. }),
        author: Login::new(&view.author),
        labels: view.labels.iter().map(|label| label.name.as_str().into()).collect(),
        updated: seconds(view.updated_at),
        has_relations: has_children || has_blockers,
    })
}

pub(super) fn pull_of(view: &PullView, read_at: Time) -> Pull {
    let summary = &view.summary;
    let state = match (&summary.merged, &summary.issue.state) {
        (Some(merged), _) => PullState::Merged { commit: sha(merged.commit) },
        (None, IssueState::Open { .. }) => PullState::Open,
        (None, IssueState::Closed { .. }) => PullState::Closed,
    };
    let mergeable = match view.merge_state {
        MergeState::Unknown => Mergeable::Unknown,
        MergeState::Dirty => Mergeable::Dirty,
        MergeState::Draft => Mergeable::Draft,
        MergeState::Blocked => Mergeable::Blocked,
        MergeState::Behind => Mergeable::Behind,
        MergeState::Unstable => Mergeable::Unstable,
        MergeState::HasHooks | MergeState::Clean => Mergeable::Clean,
    };
    Pull {
        number: PullNumber(summary.issue.number),
        head: sha(summary.head_sha),
        base: Branch::new(&summary.base),
        state,
        mergeable,
        checks: None,
        read_at,
    }
}

pub(crate) fn sha(sha: ralph_forge::Sha) -> Sha {
    Sha::new(&sha.to_string())
}

pub(super) fn conclusion(state: ralph_forge::CheckState) -> CheckState {
    let text = match state {
        ralph_forge::CheckState::Queued | ralph_forge::CheckState::InProgress => "",
        ralph_forge::CheckState::Completed(conclusion) => match conclusion {
            Conclusion::Success => "success",
            Conclusion::Neutral => "neutral",
            Conclusion::Skipped => "skipped",
            Conclusion::Failure => "failure",
            Conclusion::TimedOut => "timed_out",
            Conclusion::Cancelled => "cancelled",
            Conclusion::ActionRequired => "action_required",
            Conclusion::Stale => "stale",
            Conclusion::StartupFailure => "startup_failure",
        },
    };
    CheckState::from_conclusion(text)
}
