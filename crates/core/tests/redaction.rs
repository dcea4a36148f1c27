//! Redaction keeps prose and removes secrets, whatever surrounds them.

use proptest::prelude::*;
use proptest::sample::select;
use ralph_core::redact::redact;

/// Names that introduce a secret.
const NAMES: &[&str] =
    &["token", "password", "Password", "secret", "api_key", "credential", "pwd", "0.pwd"];

/// A word in a message of a compiler, a shell or a person.
fn word() -> impl Strategy<Value = String> {
    let known =
        select(&["no", "such", "file", "unexpected", "end", "of", "input", "expected", "a"][..]);
    prop_oneof![known.prop_map(str::to_owned), "[a-z]{2,9}"].prop_filter(
        "a name of a secret would introduce one",
        |word| {
            !["token", "passw", "pwd", "secret", "credential", "key", "bearer", "basic"]
                .iter()
                .any(|name| word.contains(name))
        },
    )
}

/// The rest of a sentence behind a name: at least two words.
fn prose() -> impl Strategy<Value = String> {
    prop::collection::vec(word(), 2..8).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn a_sentence_about_a_secret_loses_no_word(
        before in prose(),
        name in select(NAMES),
        after in prose(),
        end in select(&["", ".", "\n", ", and more"][..]),
    ) {
        let said = format!("{before} {name}: {after}{end}");
        prop_assert_eq!(redact(&said), said.as_str());
    }

    #[test]
    fn the_folder_a_command_ran_in_is_no_secret(
        name in select(&["PWD", "OLDPWD", "CREDENTIAL_FILE", "TOKEN_PATH"][..]),
        path in "(/[a-z][a-z0-9-]{0,8}){1,4}",
        after in prose(),
    ) {
        prop_assume!(!path.starts_with("/home") && !path.starts_with("/root"));
        let said = format!("{name}={path} {after}");
        prop_assert_eq!(redact(&said), said.as_str());
    }

    #[test]
    fn a_value_that_is_assigned_goes_whatever_word_it_is(
        before in prose(),
        name in select(&["token", "DB_PASSWORD", "my_secret", "API_KEY", "pwd"][..]),
        sign in select(&["=", " = ", ":=", "=>"][..]),
        value in "[a-z]{4,12}[0-9]{0,3}",
        after in prose(),
    ) {
        prop_assume!(!["null", "none", "true", "false", "void", "bool", "char", "bytes", "float",
            "string", "number", "integer", "object", "unknown", "boolean", "undefined"]
            .contains(&value.as_str()));
        prop_assume!(!before.contains(&value) && !after.contains(&value));
        let told = redact(&format!("{before} {name}{sign}{value} {after}")).into_owned();
        prop_assert!(!told.contains(&value), "{told}");
        prop_assert!(told.ends_with(&after), "{told}");
    }

    #[test]
    fn a_value_with_a_digit_or_mixed_case_goes_even_in_a_sentence(
        before in prose(),
        name in select(NAMES),
        value in "[a-z]{3,8}[0-9]{1,4}[a-z]{0,4}|[a-z]{2,6}[A-Z]{2,6}[a-z]{0,4}",
        after in prose(),
    ) {
        let told = redact(&format!("{before} {name}: {value} {after}")).into_owned();
        prop_assert!(!told.contains(&value), "{told}");
    }

    #[test]
    fn a_word_alone_behind_the_name_of_a_secret_may_be_one(name in select(NAMES), value in "[a-z]{8,12}") {
        prop_assume!(!["undefined"].contains(&value.as_str()));
        let told = redact(&format!("{name}: {value}\nuser: bob\n")).into_owned();
        prop_assert!(!told.contains(&value), "{told}");
        prop_assert!(told.ends_with("\nuser: bob\n"), "{told}");
    }
}
