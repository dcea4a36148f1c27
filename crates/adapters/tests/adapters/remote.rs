//! Git against a forge that is reached by HTTP, and against bad days: no credentials, no answer, a full disk.

use crate::disk::can_mount;
use crate::server::{Deed, serve};
use crate::stage::{BRANCH, Set, Stage, WAIT, changed, git};
use ralph_core::fact::Outcome;
use ralph_core::ids::{Branch, Login, Sha};
use ralph_engine::ports::{Answer, Workspaces as _};
use ralph_github::Fence;
use std::fs;
use std::net::TcpListener;

/// The same home with the forge behind another address.
fn moved(mut stage: Stage, forge_url: String) -> Stage {
    stage.restart(&Set { forge_url: Some(forge_url), ..Set::default() });
    stage
}

fn push(stage: &mut Stage, commit: &Sha) -> Answer<()> {
    let (issue, path) = (stage.issue.clone(), stage.worktree());
    stage.adapters.workspaces.push(&issue, &path, &Branch::new(BRANCH), commit)
}

#[test]
fn the_token_goes_to_the_forge_and_to_nobody_else() {
    let packet = |line: &str| format!("{:04x}{line}", line.len() + 4);
    let sha = "0123456789012345678901234567890123456789";
    let line = packet(&format!("{sha} refs/heads/{BRANCH}\0\n"));
    let refs = format!("{}0000{line}0000", packet("# service=git-upload-pack\n"));
    let answer = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/x-git-upload-pack-advertisement\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{refs}",
        refs.len()
    );
    let away = "HTTP/1.1 302 Away\r\nLocation: http://127.0.0.1:1/x\r\nContent-Length: 0\r\n\
                Connection: close\r\n\r\n";
    let (address, requests) =
        serve(vec![Deed::AnswerBytes(answer.into_bytes()), Deed::Answer(away)]);
    let mut stage = moved(Stage::new(), address);
    let (repo, branch) = (stage.issue.repo.clone(), Branch::new(BRANCH));
    let head = stage.adapters.workspaces.remote_head(&repo, &branch);
    assert_eq!(head, Ok(Some(Sha::new(sha))));
    let request = requests.recv_timeout(WAIT).expect("a request");
    assert!(
        request.starts_with("GET /acme/widgets.git/info/refs?service=git-upload-pack "),
        "{request}"
    );
    // base64 of x-access-token:a-token-of-the-forge
    let basic = "Authorization: Basic eC1hY2Nlc3MtdG9rZW46YS10b2tlbi1vZi10aGUtZm9yZ2U=\r\n";
    assert!(request.contains(basic), "{request}");
    let error = stage.adapters.workspaces.remote_head(&repo, &branch).expect_err("it leads away");
    assert!(!error.why.contains("eC1hY2"), "{error:?}");
}

#[test]
fn what_became_of_a_push_is_told_as_well_as_it_can_be_known() {
    let mut stage = Stage::new();
    stage.prepare();
    let head = changed(stage.implement("echo x > a.txt")).commit;
    let status = |line: &'static str| {
        Deed::AnswerBytes(
            format!("HTTP/1.1 {line}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                .into_bytes(),
        )
    };
    let free = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    stage = moved(stage, format!("http://{free}"));
    let answer = push(&mut stage, &head);
    assert!(matches!(answer, Answer::Later { .. }), "nobody there: {answer:?}");
    for (deed, expected) in [
        (status("401 Unauthorized"), "later"),
        (status("403 Forbidden"), "refused"),
        (status("404 Not Found"), "refused"),
        (status("429 Slow Down"), "later"),
        (status("502 Bad Gateway"), "unknown"),
        (Deed::HangUp, "unknown"),
    ] {
        let (address, _requests) = serve(vec![deed]);
        stage = moved(stage, address);
        let answer = push(&mut stage, &head);
        let said = match &answer {
            Answer::Happened(()) => "happened",
            Answer::Refused(_) => "refused",
            Answer::Later { .. } => "later",
            Answer::Unknown { .. } => "unknown",
        };
        assert_eq!(said, expected, "{answer:?}");
    }
}

#[test]
fn nothing_is_pushed_out_of_the_sandbox_and_git_is_not_even_asked() {
    let mut stage = Stage::new();
    stage.prepare();
    let head = changed(stage.implement("echo x > a.txt")).commit;
    let (address, requests) = serve(Vec::new());
    let fence = Some(Fence::new(vec![Login::new("acme")], "try-"));
    stage.restart(&Set { forge_url: Some(address), fence, ..Set::default() });
    let Answer::Refused(refusal) = push(&mut stage, &head) else { unreachable!("pushed") };
    let expected = "the push was not sent: acme/widgets is outside of the sandbox";
    assert!(refusal.message.starts_with(expected), "{}", refusal.message);
    assert!(requests.try_recv().is_err(), "nobody was asked");
    let fence = Some(Fence::new(vec![Login::new("acme")], "wid"));
    stage.restart(&Set { fence, ..Set::default() });
    assert_eq!(push(&mut stage, &head), Answer::Happened(()));
}

#[test]
fn locks_that_a_killed_git_left_are_cleared_at_the_next_start() {
    let mut stage = Stage::new();
    stage.prepare();
    let work = format!("refs/ralph/work/{BRANCH}.lock");
    for lock in [work.as_str(), "refs/heads/main.lock", "packed-refs.lock", "HEAD.lock"] {
        fs::write(stage.mirror().join(lock), "").expect("a lock");
    }
    fs::write(stage.run_folder().join("index.lock"), "").expect("a lock");
    stage.restart(&Set::default());
    stage.adapters.sweep().expect("it sweeps");
    changed(stage.implement("echo x > a.txt"));
    stage.prepare();
}

#[test]
fn a_full_disk_is_a_failure_in_words_and_loses_nothing() {
    if !can_mount() {
        return;
    }
    let is_told =
        |reason: &str| reason.contains("No space left on device") || reason.contains("diskspace");
    let disk_bytes = Some(4 * 1024 * 1024);
    let mut stage = Stage::set(&Set { disk_bytes, ..Set::default() });
    stage.prepare();
    let fill = stage.home.join("fill");
    assert!(fs::write(&fill, vec![1; 8 * 1024 * 1024]).is_err(), "the disk is full");
    let outcome = stage.implement("echo x > a.txt");
    let Outcome::Failed { reason } = &outcome else { panic!("{outcome:?}") };
    assert!(is_told(reason), "{reason}");
    fs::remove_file(&fill).expect("it goes");
    let outcome = stage.implement(&format!(
        "echo precious > a.txt; dd if=/dev/zero of='{}' bs=1k 2>/dev/null; true",
        fill.display()
    ));
    let Outcome::Failed { reason } = &outcome else { panic!("{outcome:?}") };
    assert!(is_told(reason), "{reason}");
    fs::remove_file(&fill).expect("it goes");
    let head = changed(stage.implement("test -s a.txt"));
    assert_eq!(git(&stage.mirror(), &["show", &format!("{}:a.txt", head.commit)]), "precious\n");
}
