//! The HTTP transport against a scripted server on this machine.

use crate::server::{Deed, serve};
use crate::stage::WAIT;
use http::{Request, Response};
use ralph_adapters::http_transport::{HttpSettings, HttpTransport, SendError};
use std::net::TcpListener;
use std::time::Duration;

fn transport(whole: Duration) -> HttpTransport {
    let settings = HttpSettings { user_agent: "ralph/test".to_owned(), ..HttpSettings::default() };
    HttpTransport::with_timeouts(&settings, WAIT, whole).expect("a transport")
}

fn get(uri: &str) -> Request<Vec<u8>> {
    Request::get(uri).header("Authorization", "Bearer abc").body(Vec::new()).expect("a request")
}

fn text(response: &Response<Vec<u8>>) -> String {
    String::from_utf8_lossy(response.body()).into_owned()
}

#[test]
fn any_status_is_an_answer_and_bodies_go_both_ways() {
    let (address, requests) = serve(vec![
        Deed::Answer(
            "HTTP/1.1 422 No\r\nContent-Length: 5\r\nX-A: b\r\nConnection: close\r\n\r\nwrong",
        ),
        Deed::Answer("HTTP/1.1 204 Done\r\nConnection: close\r\n\r\n"),
    ]);
    let transport = transport(WAIT);
    let post =
        Request::post(format!("{address}/x?y=1")).body(b"{\"a\":1}".to_vec()).expect("a request");
    let response = transport.send(post).expect("an answer");
    assert_eq!((response.status().as_u16(), text(&response).as_str()), (422, "wrong"));
    assert_eq!(response.headers()["x-a"], "b");
    let seen = requests.recv_timeout(WAIT).expect("a request");
    assert!(seen.starts_with("POST /x?y=1 HTTP/1.1\r\n") && seen.ends_with("{\"a\":1}"), "{seen}");
    let delete = Request::delete(format!("{address}/x")).body(Vec::new()).expect("a request");
    assert_eq!(transport.send(delete).expect("an answer").status().as_u16(), 204);
    let seen = requests.recv_timeout(WAIT).expect("a request").to_ascii_lowercase();
    assert!(seen.starts_with("delete /x") && seen.contains("user-agent: ralph/test"), "{seen}");
}

#[test]
fn a_request_that_never_left_is_told_from_one_without_answer() {
    let transport = transport(Duration::from_millis(300));
    let free = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    for address in [format!("http://{free}/"), "http://no-such-host.invalid/".to_owned()] {
        let error = transport.send(get(&address)).expect_err("no answer");
        assert!(matches!(error, SendError::NeverSent { .. }), "{address}: {error}");
    }
    let cut = "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf";
    let (address, _requests) = serve(vec![Deed::HangUp, Deed::Answer(cut), Deed::Silence]);
    for deed in ["hanging up", "half an answer", "silence"] {
        let error = transport.send(get(&address)).expect_err(deed);
        assert!(matches!(error, SendError::NoAnswer { .. }), "{deed}: {error}");
    }
}

#[test]
fn a_redirect_is_for_the_caller_to_see_unless_it_leads_to_a_log() {
    let moved =
        "HTTP/1.1 301 Moved\r\nLocation: /new\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    let there = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nnew";
    let (address, requests) = serve(vec![
        Deed::Answer(moved),
        Deed::Answer(moved),
        Deed::Answer(moved),
        Deed::Answer(there),
    ]);
    let transport = transport(WAIT);
    let response = transport.send(get(&address)).expect("an answer");
    assert_eq!(
        response.status().as_u16(),
        301,
        "what was renamed is not read as if it had not been"
    );
    let post = Request::post(&address).body(b"x".to_vec()).expect("a request");
    assert_eq!(
        transport.send(post).expect("an answer").status().as_u16(),
        301,
        "nor is a write repeated"
    );
    let log = transport.send(get(&format!("{address}/jobs/7/logs"))).expect("an answer");
    assert_eq!(text(&log), "new", "of a renamed repository too");
    let lines: Vec<_> =
        requests.try_iter().map(|it| it.lines().next().unwrap_or("").to_owned()).collect();
    assert_eq!(
        lines,
        ["GET / HTTP/1.1", "POST / HTTP/1.1", "GET /jobs/7/logs HTTP/1.1", "GET /new HTTP/1.1"]
    );
}

#[test]
fn a_log_on_another_host_is_read_without_the_token() {
    let log = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nlog";
    let (elsewhere, asked_there) = serve(vec![Deed::Answer(log)]);
    let away = format!(
        "HTTP/1.1 302 Found\r\nLocation: {elsewhere}/signed?x=1\r\nContent-Length: 0\r\n\
         Connection: close\r\n\r\n"
    );
    let (address, _asked) =
        serve(vec![Deed::AnswerBytes(away.clone().into()), Deed::AnswerBytes(away.into())]);
    let transport = transport(WAIT);
    let response = transport.send(get(&format!("{address}/jobs/7/logs"))).expect("an answer");
    assert_eq!(text(&response), "log");
    let request = asked_there.recv_timeout(WAIT).expect("a request").to_ascii_lowercase();
    assert!(request.starts_with("get /signed?x=1 http/1.1"), "{request}");
    assert!(!request.contains("authorization") && !request.contains("abc"), "{request}");
    let response = transport.send(get(&format!("{address}/jobs/7"))).expect("an answer");
    assert_eq!(response.status().as_u16(), 302, "nothing but a log is fetched elsewhere");
}

#[test]
fn a_body_without_end_is_cut_off() {
    let head = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".to_vec();
    let endless = [head, vec![b'x'; 65 * 1024 * 1024]].concat();
    let (address, _requests) = serve(vec![Deed::AnswerBytes(endless)]);
    let error = transport(WAIT).send(get(&address)).expect_err("it is too long");
    assert!(matches!(error, SendError::NoAnswer { .. }), "{error}");
}
