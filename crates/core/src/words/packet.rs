//! The decision that a person is asked for: what is missing, the options, the recommendation, the question.

use super::lane;
use crate::escalation::Cause;

pub(super) struct Packet {
    pub(super) missing: &'static str,
    pub(super) options: &'static [&'static str],
    pub(super) recommendation: &'static str,
    pub(super) question: &'static str,
}

const COULD_NOT_RUN: Packet = Packet {
    missing: "a machine on which the configured commands can be run",
    options: &["mend the machine or the configuration and resume", "stop the issue"],
    recommendation: "read the reason, run the commands by hand on that machine, resume",
    question: "Why can the commands not be run there?",
};

const MACHINE_STEP: Packet = Packet {
    missing: "a step of Ralph's machine that works: the clone, the disk, the commands or the settings there",
    options: &["mend what the message names and resume", "stop the issue"],
    recommendation: "read the message, try the same by hand on that machine, resume",
    question: "What keeps this step from being done there?",
};

const AGENT_FAILS: Packet = Packet {
    missing: "an agent that does not fail on this issue",
    options: &["mend what the agent fails on and resume", "split the issue", "stop the issue"],
    recommendation: "read its last lines, run it by hand on the prompt in the run's folder, resume",
    question: "What does the agent fail on?",
};

const CLOSE_OR_CLARIFY: Packet = Packet {
    missing: "a word on whether anything is left to do",
    options: &["close the issue", "clarify in a comment what is left, and resume"],
    recommendation: "close it if its sub-issues did all it asks for",
    question: "Is anything left to do here?",
};

const TESTS_CHANGED: Packet = Packet {
    missing: "a word on which tests and check definitions may change, and how",
    options: &[
        "name them in a comment that says `RALPH RESOLVED: replan`",
        "say in a comment how the change works with them as they are, and resume",
        "stop the issue",
    ],
    recommendation: "read which of them fail and why, then say which may change",
    question: "Which tests and check definitions of the base may this change?",
};

const BUDGET_SPENT: Packet = Packet {
    missing: "a word on whether this issue is worth more than was meant for it",
    options: &[
        "resume: the issue gets the same budget once more",
        "raise the budget in the configuration and resume",
        "split the issue",
        "stop the issue",
    ],
    recommendation: "read what the turns were spent on; split the issue if they go in circles",
    question: "Is this issue worth another budget?",
};

const INTERRUPTED: Packet = Packet {
    missing: "a machine on which Ralph stays alive",
    options: &["look at Ralph's logs and resume", "stop the issue"],
    recommendation: "find out what ends Ralph, then resume",
    question: "What stopped Ralph?",
};

const STALLED: Packet = Packet {
    missing: "an agent that gets on with this issue",
    options: &[
        "take the obstacle away (a tool that hangs, an issue that is too large) and resume",
        "raise the agent's limits if the work was healthy, and resume",
        "stop the issue",
    ],
    recommendation: "read what was seen and the last lines, try that tool by hand, resume",
    question: "What keeps the agent from getting on?",
};

const CONFLICT: Packet = Packet {
    missing: "a branch that merges cleanly",
    options: &["merge the base into the branch and resume", "stop the issue"],
    recommendation: "merge the base into the branch, push, resume",
    question: "Which side of the conflict should win?",
};

const CONFLICT_UNSEEN: Packet = Packet {
    missing: "a pull request that the forge calls mergeable",
    options: &[
        "resume, if the forge says by now that it can be merged",
        "merge the base into the branch by hand, push, and resume",
        "merge the pull request by hand",
        "stop the issue",
    ],
    recommendation: "open the pull request and look at what the forge says of it; resume once that is mergeable",
    question: "Where does the forge see a conflict?",
};

const HEAD_MOVED: Packet = Packet {
    missing: "a word on whether the commits that were pushed belong to this change",
    options: &[
        "resume: Ralph goes on from the branch as it is now, and judges those commits like its own",
        "push a commit that takes them back, and resume",
        "stop the issue",
    ],
    recommendation: "look at the new commits on the branch; if they belong to this change, resume",
    question: "Do these commits belong to this change?",
};

const WRONG_BASE: Packet = Packet {
    missing: "a pull request whose base is the bot branch",
    options: &["give the pull request its base back, and resume", "stop the issue"],
    recommendation: "restore the base and resume",
    question: "Where should this change be merged?",
};

const PULL_CLOSED: Packet = Packet {
    missing: "an open pull request to the bot branch",
    options: &[
        "resume: Ralph pushes the branch again if it is gone, and opens a new pull request",
        "reopen the pull request, and resume",
        "stop the issue",
    ],
    recommendation: "resume if the change is still wanted, otherwise stop the issue",
    question: "Should this change still be merged?",
};

const PULL_REFUSED: Packet = Packet {
    missing: "a pull request to the bot branch that the forge lets Ralph open",
    options: &[
        "mend what the message above names, and resume",
        "open the pull request from the branch by hand, and resume",
        "stop the issue",
    ],
    recommendation: "read the message, mend what it names, and resume",
    question: "Why does the forge refuse this pull request?",
};

const AUTO_UPDATE: Packet = Packet {
    missing: "a branch that is up to date with the bot branch (auto-update)",
    options: &[
        "resume at a quieter time, so that nothing else is merged meanwhile",
        "merge the base into the branch by hand and resume",
        "stop the issue",
    ],
    recommendation: "resume; if that is too little, let the bot branch take heads that are behind",
    question: "Does the bot branch have to require up-to-date heads?",
};

const UNREADABLE: Packet = Packet {
    missing: "a token or an App that may read this",
    options: &[
        "give it the permission that the message names (for checks: Checks and Commit statuses, read) and resume",
        "mend what else the message names and resume",
        "stop the issue",
    ],
    recommendation: "compare the message with the permissions of the token or the App, then resume",
    question: "May Ralph read this?",
};

const CONTRACT_SURFACE: Packet = Packet {
    missing: "a word on whether an interface may change so that its users have to change too",
    options: &[
        "allow the break in a comment and resume",
        "ask for a compatible way in a comment and resume",
        "stop the issue",
    ],
    recommendation: "ask for a compatible way unless it has no users yet",
    question: "May this interface change in a way that breaks its users?",
};

const CYCLE: Packet = Packet {
    missing: "one dependency fewer",
    options: &["remove one of the dependencies and resume", "mark one satisfied and resume"],
    recommendation: "remove the dependency that matters least",
    question: "Which of these issues can go first?",
};

const BLOCKERS_MISSING: Packet = Packet {
    missing: "references to issues that exist and that Ralph may read",
    options: &[
        "correct or remove each such line of the issue's text, or tick its box, and resume",
        "open or restore what the line names, let Ralph read it, and resume",
        "stop the issue",
    ],
    recommendation: "correct the line, then resume: until then Ralph does not begin with the issue",
    question: "Which issues does this one have to wait for?",
};

const INHERITED: Packet = Packet {
    missing: "a word on whether work remains",
    options: &["resume if work remains", "close the issue if none does"],
    recommendation: "close it if the change is on the default branch",
    question: "Does work remain here?",
};

/// The decision that a cause asks a person for.
pub(super) fn packet(cause: &Cause) -> Packet {
    match cause {
        Cause::ProductGap(_) | Cause::Routed(_) => Packet {
            missing: "a decision about what the product should do",
            options: &["answer the question in a comment and resume", "stop the issue"],
            recommendation: "answer in one or two sentences and resume",
            question: "What should the product do here?",
        },
        Cause::ContractSurface(_) => CONTRACT_SURFACE,
        Cause::StepSpent { step, .. } if !step.takes_turn() => MACHINE_STEP,
        Cause::PlanRejected(_) | Cause::StepSpent { .. } | Cause::MissingVerdict(_) => Packet {
            missing: "guidance that gets this step through",
            options: &[
                "make the issue more precise and resume",
                "fix the branch by hand and resume",
                "stop the issue",
            ],
            recommendation: "read the excerpt, add what is missing to the issue, resume",
            question: "What does the agent need to know?",
        },
        Cause::TestsChanged(_) => TESTS_CHANGED,
        Cause::CouldNotRun { step, .. } if step.takes_turn() => AGENT_FAILS,
        Cause::CouldNotRun { .. } => COULD_NOT_RUN,
        Cause::CloseOrClarify(_) => CLOSE_OR_CLARIFY,
        Cause::Stalled { .. } => STALLED,
        Cause::BudgetSpent { .. } => BUDGET_SPENT,
        Cause::Interrupted => INTERRUPTED,
        Cause::LaneSpent { lane, .. } => lane::packet(*lane),
        Cause::Conflict => CONFLICT,
        Cause::ConflictUnseen { .. } => CONFLICT_UNSEEN,
        Cause::HeadMoved => HEAD_MOVED,
        Cause::Behind | Cause::UpdateRefused(_) => AUTO_UPDATE,
        Cause::Unreadable { .. } => UNREADABLE,
        Cause::CiOnly => Packet {
            missing: "a label with the word ci, build or infra",
            options: &["add such a label and resume", "stop the issue"],
            recommendation: "add the label if the issue is about CI",
            question: "Is a change of CI files alone intended?",
        },
        Cause::WrongBase(_) => WRONG_BASE,
        Cause::PullClosed => PULL_CLOSED,
        Cause::PullRefused(_) => PULL_REFUSED,
        Cause::MergeRefused(_) | Cause::PushRefused(_) => Packet {
            missing: "permission to write the branch",
            options: &[
                "fix protection or permissions and resume",
                "merge by hand",
                "stop the issue",
            ],
            recommendation: "compare the message with the branch protection, then resume",
            question: "May Ralph write to this branch?",
        },
        Cause::Cycle(_) => CYCLE,
        Cause::BlockersMissing(_) => BLOCKERS_MISSING,
        Cause::NoEvidence | Cause::Inherited => INHERITED,
    }
}
