//! The end of a log, however long the log is.

/// The kept part of a log, in bytes. GitHub shows 65,535 characters of a check run's text.
const LOG_BYTES_MAX: usize = 60 * 1024;

#[derive(Debug, Default)]
pub(super) struct Tail {
    bytes: Vec<u8>,
    dropped: u64,
}

impl Tail {
    pub(super) fn add(&mut self, piece: &[u8]) {
        self.bytes.extend_from_slice(piece);
        // Cut now and then only, so that each byte is moved at most once.
        if self.bytes.len() > 2 * LOG_BYTES_MAX {
            self.cut();
        }
    }

    fn cut(&mut self) {
        let excess = self.bytes.len().saturating_sub(LOG_BYTES_MAX);
        self.bytes.drain(..excess);
        self.dropped += excess as u64;
    }

    /// The kept end as text, beginning with a whole line.
    pub(super) fn into_text(mut self) -> String {
        self.cut();
        let text = String::from_utf8_lossy(&self.bytes).replace('\0', "\u{fffd}");
        if self.dropped == 0 {
            return text;
        }
        let (_cut_line, rest) = text.split_once('\n').unwrap_or(("", &text));
        format!("({} bytes before this were not kept)\n{rest}", self.dropped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_log_is_kept_whole_and_of_a_long_one_the_end() {
        let mut tail = Tail::default();
        tail.add(b"one\ntwo\n");
        assert_eq!(tail.into_text(), "one\ntwo\n");
        let mut tail = Tail::default();
        for number in 0..100_000 {
            tail.add(format!("line {number}\n").as_bytes());
        }
        let text = tail.into_text();
        assert!(text.len() <= LOG_BYTES_MAX + 60 && text.ends_with("line 99999\n"));
        assert!(text.starts_with('(') && text.lines().nth(1).unwrap().starts_with("line "));
    }
}
