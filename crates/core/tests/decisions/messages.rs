//! People's messages to agents: in the turn under way or in the next prompt, never for a reviewer, and kept until a turn
//! has accepted them.

use crate::outside::{changed, failed, planned, turn, verdict};
use crate::story::{Story, Which as _};
use ralph_core::command::Command;
use ralph_core::digest::Digest;
use ralph_core::effect::Effect;
use ralph_core::fact::{Answer, Fact, Observation, What};
use ralph_core::ids::Login;
use ralph_core::issue::Phase;
use ralph_core::job::Role;
use ralph_core::messages::{Delivery, Message, MessageId, Way};
use ralph_core::steps::Step;

fn at(step: Step) -> Story {
    let mut story = Story::plain();
    story.queued(7);
    story.reaches(7, step);
    story
}

fn says(story: &mut Story, id: u64) {
    let (id, from) = (MessageId::Tell(id), Login::new("mia"));
    let message = Message { id, from, text: Digest::of("hurry"), at: story.now };
    story.reads(7, Observation::Message(message));
}

fn told(story: &Story) -> Vec<String> {
    let wanted = story.wanted().into_iter();
    wanted.map(|effect| effect.key()).filter(|key| key.contains(":tell:")).collect()
}

fn delivery(story: &Story, nth: usize) -> Delivery {
    story.managed(7).messages.kept.get(nth).expect("a message").delivery.clone()
}

/// The ids in the prompt of the turn that is to be started now.
fn prompted(story: &Story) -> (Role, Vec<MessageId>) {
    let turn = story.wanted_turn().expect("a turn");
    (turn.role, turn.messages.iter().map(|message| message.id).collect())
}

#[test]
fn a_program_that_takes_words_gets_the_messages_one_after_the_other_in_the_same_turn() {
    let mut story = at(Step::Implement);
    (1..=2).for_each(|id| says(&mut story, id));
    let attempt = story.managed(7).attempt;
    assert_eq!(told(&story), [format!("acme/app#7:tell:{attempt}:tell-1")]);
    story.performs(":tell:");
    assert_eq!(told(&story), [format!("acme/app#7:tell:{attempt}:tell-2")]);
    story.performs(":tell:");
    let Delivery::Given(given) = delivery(&story, 1) else { panic!("{:?}", delivery(&story, 1)) };
    assert_eq!((given.attempt, given.step, given.way), (attempt, Step::Implement, Way::SameTurn));
    story.ends(7, changed("a"));
    assert!(matches!(delivery(&story, 0), Delivery::Accepted(_)));
    assert_eq!(story.managed(7).phase, Phase::Running { step: Step::Preflight });
}

#[test]
fn a_program_that_takes_none_is_asked_once_and_the_next_turn_gets_them_in_order() {
    let mut story = at(Step::Plan);
    (1..=2).for_each(|id| says(&mut story, id));
    story.refuses(":tell:");
    assert_eq!(told(&story), Vec::<String>::new());
    story.ends(7, planned("a plan"));
    assert_eq!(prompted(&story), (Role::PlanReview, Vec::new()), "nothing is for reviewers");
    story.settles();
    assert_eq!(told(&story), Vec::<String>::new(), "nor while they work");
    story.ends(7, verdict(true, "fine"));
    let ids = vec![MessageId::Tell(1), MessageId::Tell(2)];
    assert_eq!(prompted(&story), (Role::Implement, ids));
    let Delivery::Given(given) = delivery(&story, 0) else { panic!("{:?}", delivery(&story, 0)) };
    assert_eq!((given.step, given.way), (Step::Implement, Way::Prompt));
}

#[test]
fn a_message_that_was_given_to_a_turn_that_died_is_in_the_next_prompt() {
    let mut story = at(Step::Implement);
    says(&mut story, 1);
    story.performs(":tell:");
    story.ends(7, failed("exit status 1"));
    assert_eq!(prompted(&story), (Role::Implement, vec![MessageId::Tell(1)]));
    let attempt = story.managed(7).attempt;
    story.tell(&Fact::of(7.key(), What::Interrupted { attempt }));
    assert_eq!(prompted(&story), (Role::Implement, vec![MessageId::Tell(1)]), "Ralph died");
    story.settles();
    story.ends(7, changed("a"));
    assert!(matches!(delivery(&story, 0), Delivery::Accepted(_)));
    story.settles();
    story.finishes(7, crate::outside::commands_failed("E0308"));
    let messages = &story.managed(7).messages;
    assert_eq!(messages.waiting().count(), 0, "it is not given twice");
}

#[test]
fn a_message_after_the_change_leads_back_to_its_agent_whatever_that_makes_of_it() {
    for step in [Step::Preflight, Step::Checks] {
        for is_changed in [false, true] {
            let mut story = at(step);
            let head = story.run(7).head.clone();
            says(&mut story, 1);
            assert_eq!(told(&story), Vec::<String>::new());
            if step.takes_slot() {
                story.ends(7, story.success(7, step));
            }
            assert_eq!(prompted(&story), (Role::Implement, vec![MessageId::Tell(1)]));
            story.settles();
            story.finishes(7, if is_changed { changed("b") } else { turn(Answer::Unchanged) });
            assert!(story.run(7).feedback.is_none() && story.run(7).steered.is_none());
            assert_eq!(story.run(7).head != head, is_changed);
            story.merges(7);
            assert!(matches!(story.managed(7).phase, Phase::InBot { .. }));
        }
    }
}

#[test]
fn a_merge_waits_for_a_message_that_came_before_it() {
    let mut story = at(Step::Checks);
    story.passes_checks(7.key());
    let merges = |story: &Story| {
        let is_merge = |effect: &Effect| effect.key().contains(":merge:");
        story.wanted().iter().any(is_merge)
    };
    assert!(merges(&story));
    says(&mut story, 1);
    assert!(!merges(&story), "{:?}", story.wanted());
}

#[test]
fn a_paused_issue_keeps_its_messages_until_it_goes_on() {
    let mut story = at(Step::Implement);
    story.ordered(7, Command::Pause);
    says(&mut story, 1);
    assert_eq!(told(&story), Vec::<String>::new());
    story.finishes(7, failed("exit status 1"));
    assert_eq!(delivery(&story, 0), Delivery::Waiting);
    story.ordered(7, Command::Queue);
    story.reaches(7, Step::Implement);
    let Delivery::Given(given) = delivery(&story, 0) else { panic!("{:?}", delivery(&story, 0)) };
    assert_eq!((given.step, given.way), (Step::Implement, Way::Prompt));
}

#[test]
fn the_end_of_a_turn_names_what_it_took_in_even_if_that_was_not_settled_yet() {
    let mut story = at(Step::Implement);
    says(&mut story, 1);
    let attempt = story.managed(7).attempt;
    let tell = story.wanted().into_iter().find(|effect| effect.key().contains(":tell:"));
    let late = story.happens(&tell.expect("a message to be given"));
    let heard = vec![MessageId::Tell(1)];
    for fact in ralph_core::fact::finished(&7.key(), attempt, heard, changed("a")) {
        story.tell(&fact);
    }
    assert!(matches!(delivery(&story, 0), Delivery::Accepted(_)));
    story.tell(&late);
    assert!(matches!(delivery(&story, 0), Delivery::Accepted(_)), "the answer comes late");
}
