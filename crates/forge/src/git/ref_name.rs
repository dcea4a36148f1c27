//! Names of references: git's rules for their form, and the bytes that git keeps them as.

/// Bytes that are no UTF-8 stand in a name as one character each: this one plus the byte. Names are
/// text everywhere else; git takes any bytes.
const RAW_BYTE: u32 = 0x10_FF00;
const RAW_FIRST: char = '\u{10FF80}';

/// Returns whether git takes this as the full name of a reference, by the rules of `git check-ref-format`.
/// As for a push, it must lie below `refs/` and a folder there.
pub(crate) fn is_well_formed(name: &str) -> bool {
    let Some((folder, rest)) = name.strip_prefix("refs/").and_then(|rest| rest.split_once('/'))
    else {
        return false;
    };
    let parts = || rest.split('/').chain([folder]);
    !name.contains("..")
        && !name.contains("@{")
        && !name.ends_with('.')
        && !name.bytes().any(is_forbidden)
        && parts().all(|part| !part.is_empty() && !part.starts_with('.'))
        && parts().all(|part| !part.ends_with(".lock"))
}

fn is_forbidden(byte: u8) -> bool {
    byte.is_ascii_control() || b" ~^:?*[\\".contains(&byte)
}

/// Returns whether a name that came as text is the text of a name.
pub(crate) fn is_text(name: &str) -> bool {
    !name.chars().any(|character| character >= RAW_FIRST)
}

/// A name as text. [`to_bytes`] gives the same bytes back.
pub(crate) fn from_bytes(bytes: &[u8]) -> String {
    let mut name = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            if character < RAW_FIRST {
                name.push(character);
            } else {
                let mut encoded = [0; 4];
                push_raw(&mut name, character.encode_utf8(&mut encoded).as_bytes());
            }
        }
        push_raw(&mut name, chunk.invalid());
    }
    name
}

fn push_raw(name: &mut String, bytes: &[u8]) {
    name.extend(bytes.iter().filter_map(|byte| char::from_u32(RAW_BYTE + u32::from(*byte))));
}

/// The bytes that git knows a name by.
pub(crate) fn to_bytes(name: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(name.len());
    for character in name.chars() {
        match u32::from(character).checked_sub(RAW_BYTE).and_then(|raw| u8::try_from(raw).ok()) {
            Some(raw) if character >= RAW_FIRST => bytes.push(raw),
            Some(_) | None => {
                let mut encoded = [0; 4];
                bytes.extend_from_slice(character.encode_utf8(&mut encoded).as_bytes());
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_come_back_as_they_were(bytes: Vec<u8>) {
            prop_assert_eq!(to_bytes(&from_bytes(&bytes)), bytes);
        }
    }

    #[test]
    fn text_stays_text_and_other_bytes_are_no_text() {
        assert_eq!(
            from_bytes("refs/heads/größe-\u{1f980}".as_bytes()),
            "refs/heads/größe-\u{1f980}"
        );
        assert!(is_text("refs/heads/größe"));
        assert!(!is_text(&from_bytes(b"refs/heads/\xff")));
        let last = "\u{10FFFF}".as_bytes();
        assert_eq!(to_bytes(&from_bytes(last)), last);
    }

    #[test]
    fn the_rules_are_those_of_git() {
        for good in
            ["refs/heads/a", "refs/heads/-a", "refs/heads/@", "refs/x/a\u{a0}b", "refs/heads/a@b"]
        {
            assert!(is_well_formed(good), "{good:?}");
        }
        for bad in [
            "HEAD",
            "refs/a",
            "refs/heads/",
            "refs/heads//a",
            "refs/heads/a@{b",
            "refs/heads/a.lock/b",
            "refs/heads/a..b",
            "refs/heads/.a",
            "refs/heads/a.",
            "refs/heads/a b",
            "refs/heads/a\u{1}",
            "refs/heads/a\u{7f}",
            "refs/heads/a\\b",
            "refs/heads/a/",
            "refs//heads/a",
            "refs/h.lock/a",
        ] {
            assert!(!is_well_formed(bad), "{bad:?}");
        }
    }
}
