//! The parts of a text that redaction removes and those that it keeps, case by case.

use super::*;

#[test]
fn every_pattern_compiles() {
    assert_eq!(RULES.len(), PATTERNS.len());
    assert!(ANY.is_some());
}

fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let once = redact(text).into_owned();
        assert_eq!(once, *expected, "{text:?}");
        assert_eq!(redact(&once), once, "redacting {text:?} twice");
    }
}

#[test]
fn tokens_known_by_their_shape_are_redacted() {
    let body = "0123456789abcdefABCDEF0123456789abcd";
    for prefix in ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "sk-", "sk-ant-api03-"] {
        check(&[(&format!("a {prefix}{body}, b"), "a [redacted], b")]);
    }
    check(&[
        ("AKIAIOSFODNN7EXAMPLE", "[redacted]"),
        ("xoxb-123456789012-abcdef", "[redacted]"),
        ("AKIAIOSFODNN7EXAMPLEsk-0123456789abcdef0123", "[redacted]"),
        ("AIzaSyA0123456789abcdefghijklmnopqrstuv", "[redacted]"),
        ("(eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl)", "([redacted])"),
        ("ask-someone-about-the-task-list", "ask-someone-about-the-task-list"),
    ]);
}

#[test]
fn headers_and_addresses_lose_their_credentials() {
    check(&[
        ("Authorization: Bearer abc.def", "Authorization: Bearer [redacted]"),
        ("\"authorization\": \"token abc\"", "\"authorization\": \"token [redacted]\""),
        ("authorization: basic dXNlcjpwYXNz", "authorization: basic [redacted]"),
        ("sent Bearer abcDEF123456", "sent Bearer [redacted]"),
        (
            "a bearer certificate, basic authentication",
            "a bearer certificate, basic authentication",
        ),
        ("https://user:pass@host/x", "https://[redacted]@host/x"),
        ("https://abc@github.com/a/b.git", "https://[redacted]@github.com/a/b.git"),
        ("postgres://me:pw@db:5432/x", "postgres://[redacted]@db:5432/x"),
        ("ssh://git@github.com/a/b", "ssh://git@github.com/a/b"),
        ("https://host/a@b", "https://host/a@b"),
    ]);
}

#[test]
fn assignments_of_secrets_lose_their_value() {
    check(&[
        ("GITHUB_TOKEN=abc next", "GITHUB_TOKEN=[redacted] next"),
        ("export PASSWORD='two words'; x", "export PASSWORD='[redacted]'; x"),
        ("{\"api_key\": \"a\\\"b\", \"x\": 1}", "{\"api_key\": \"[redacted]\", \"x\": 1}"),
        (r#"{\"token\":\"a\\b\",\"x\":1}"#, r#"{\"token\":\"[redacted]\",\"x\":1}"#),
        ("password: hunter2\nuser: bob", "password: [redacted]\nuser: bob"),
        ("?access_token=abc&x=1", "?access_token=[redacted]&x=1"),
        ("aws_secret_access_key = wJalr/K7+x", "aws_secret_access_key = [redacted]"),
        ("SECRET_KEY_BASE=abc", "SECRET_KEY_BASE=[redacted]"),
        ("env['API-KEY'] = 'abc'", "env['API-KEY'] = '[redacted]'"),
        ("tool --token abc --password x1 y", "tool --token [redacted] --password [redacted] y"),
        ("max_tokens: 4096, the secret is out", "max_tokens: 4096, the secret is out"),
    ]);
}

#[test]
fn prose_and_paths_behind_the_name_of_a_secret_stay() {
    for text in [
        "PWD=/builds/app OLDPWD=/tmp",
        "PWD=C:\\build\\app",
        "sh: 0.pwd: no such file or directory",
        "SyntaxError: Unexpected token: punc (})",
        "error: invalid password: try again, or ask for another",
        "Secret: keep it simple",
        "GITHUB_TOKEN_FILE=/run/secrets/github",
        "fn open(token: &str, secret: String) -> bool",
        "SyntaxError: Unexpected token : in JSON at position 5",
        "unexpected token = in expression",
        "Unexpected token: ';'",
        "Unexpected token: }",
        "a.rs:3: token: expected `;` before `}`",
        "a.rs:3: token: expected ';'",
        "struct Login { token: Option<String>, secret: Arc<str> }",
        "token: undefined",
        "password=null",
    ] {
        check(&[(text, text)]);
    }
}

#[test]
fn a_secret_in_words_is_a_secret() {
    check(&[
        ("password: swordfish", "password: [redacted]"),
        ("password: swordfish\nuser: bob", "password: [redacted]\nuser: bob"),
        ("password: swordfish user: bob", "password: [redacted] user: bob"),
        ("{password: swordfish, 'user': x}", "{password: [redacted] 'user': x}"),
        ("unexpected secret: swordfish", "unexpected secret: [redacted]"),
        ("the expected token: abcDEF1", "the expected token: [redacted]"),
        ("unexpected token: ghp_0123456789abcdef", "unexpected token: [redacted]"),
        ("unexpected token: hunter2", "unexpected token: [redacted]"),
        ("token=<abcDEF1>", "token=[redacted]"),
        ("User Id=sa;Pwd=hunter2;", "User Id=sa;Pwd=[redacted]"),
        ("DB_PWD=letmein next word", "DB_PWD=[redacted] next word"),
        ("pwd=hunter2", "pwd=[redacted]"),
        ("passphrase: correct horse", "passphrase: [redacted] horse"),
        ("TOKEN_FILE=abc123", "TOKEN_FILE=[redacted]"),
        ("password: \"no such file\"", "password: \"[redacted]\""),
        ("token: abcDEF is what was sent", "token: [redacted] is what was sent"),
        ("token: x--secret x@", "token: [redacted] [redacted]"),
        ("api_key_authorization: abcDEF123456'&", "api_key_authorization: [redacted]"),
    ]);
}

#[test]
fn private_keys_go_even_when_their_end_is_missing() {
    let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n";
    check(&[
        (&format!("a\n{key}-----END RSA PRIVATE KEY-----\nb"), "a\n[redacted]\nb"),
        (&format!("a {key}and so on"), "a [redacted]"),
        ("-----BEGIN PUBLIC KEY-----", "-----BEGIN PUBLIC KEY-----"),
    ]);
}

#[test]
fn home_folders_become_a_tilde() {
    check(&[
        ("/home/bob/x /Users/bob", "~/x ~"),
        ("at file:///home/bob.b/x:1", "at file://~/x:1"),
        ("cd /root/x; cd /root", "cd ~/x; cd ~"),
        (r"C:\Users\bob\x and c:\\users\\bob\\x", r"~\x and ~\\x"),
        (
            "src/home/page.ts ../home/x /rooted a/root /home/",
            "src/home/page.ts ../home/x /rooted a/root /home/",
        ),
    ]);
}
