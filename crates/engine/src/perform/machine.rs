//! Effects on this machine: worktrees and processes.

use super::{Performed, known, run, settled};
use crate::engine::Leased;
use crate::ports::{Ports, Start};
use ralph_core::effect::MachineAct;
use ralph_core::fact::{RunSettled, Settled};
use ralph_core::ids::IssueKey;
use ralph_core::removal::Removal;

pub(super) fn act(
    leased: &Leased,
    key: &IssueKey,
    act: &MachineAct,
    ports: &mut Ports<'_>,
) -> Performed {
    match act {
        MachineAct::Push { workspace, branch, commit } => {
            let answer = ports.workspaces.push(key, workspace, branch, commit);
            let commit = commit.clone();
            known(leased, answer, |()| run(RunSettled::Pushed { commit }))
        }
        MachineAct::RemoveWorkspace { path, proof } => {
            let answer = ports.workspaces.remove(path, proof);
            known(leased, answer, |rescued| match proof {
                Removal::Done(_) => run(RunSettled::WorkspaceRemoved),
                Removal::GivenUp(_) => {
                    run(RunSettled::WorktreeGivenUp { path: path.clone(), rescued })
                }
            })
        }
        MachineAct::Start { attempt, job } => {
            let (token, prompt) = (leased.token, leased.prompt.as_str());
            let remarks = &leased.remarks;
            let attempt = *attempt;
            let start = Start { issue: key, attempt, token, job, prompt, remarks };
            let answer = ports.workers.start(&start);
            known(leased, answer, |()| settled(Settled::Started { attempt }))
        }
        MachineAct::Tell { attempt, message, .. } => {
            let (attempt, message) = (*attempt, *message);
            let answer = ports.workers.tell(key, attempt, message, &leased.prompt);
            known(leased, answer, |()| settled(Settled::MessageGiven { attempt, message }))
        }
        MachineAct::End { attempt, .. } => {
            let answer = ports.workers.end(key, *attempt);
            known(leased, answer, |()| settled(Settled::Ended { attempt: *attempt }))
        }
    }
}
