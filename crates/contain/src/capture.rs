//! Output of any length in little memory: its beginning, its end, and the number of bytes between.

/// Keeps at most `head_max` bytes of the beginning and `tail_max` of the end.
#[derive(Debug)]
pub struct Capture {
    head: Vec<u8>,
    head_max: usize,
    /// May grow to twice `tail_max` before its front is dropped, so that dropping is rare.
    tail: Vec<u8>,
    tail_max: usize,
    total: u64,
}

impl Capture {
    #[must_use]
    pub const fn new(head_max: usize, tail_max: usize) -> Self {
        Self { head: Vec::new(), head_max, tail: Vec::new(), tail_max, total: 0 }
    }

    pub fn take(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = self.head_max - self.head.len();
        let (head, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(head);
        let rest = rest.get(rest.len().saturating_sub(self.tail_max)..).unwrap_or_default();
        self.tail.extend_from_slice(rest);
        if self.tail.len() > self.tail_max * 2 {
            self.tail.drain(..self.tail.len() - self.tail_max);
        }
    }

    /// The number of bytes between beginning and end that are not kept.
    #[must_use]
    pub fn cut(&self) -> u64 {
        self.total - (self.head.len() + self.kept_tail().len()) as u64
    }

    /// The kept bytes as text, with a line that says how many are missing.
    #[must_use]
    pub fn text(&self) -> String {
        let head = String::from_utf8_lossy(&self.head);
        let tail = String::from_utf8_lossy(self.kept_tail());
        match self.cut() {
            0 => {
                let whole = [self.head.as_slice(), self.kept_tail()].concat();
                String::from_utf8_lossy(&whole).into_owned()
            }
            cut => format!("{head}\n[{cut} bytes cut]\n{tail}"),
        }
    }

    fn kept_tail(&self) -> &[u8] {
        self.tail.get(self.tail.len().saturating_sub(self.tail_max)..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_kept_whole_even_across_the_seam() {
        let mut capture = Capture::new(3, 8);
        capture.take("aé🦀".as_bytes());
        capture.take(b"bc");
        assert_eq!((capture.text().as_str(), capture.cut()), ("aé🦀bc", 0));
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        for chunk in [1, 7, 100, 1_000] {
            let mut capture = Capture::new(4, 6);
            let all: Vec<u8> = (0..1_000).map(|n| b'a' + (n % 26) as u8).collect();
            all.chunks(chunk).for_each(|bytes| capture.take(bytes));
            assert_eq!(capture.text(), "abcd\n[990 bytes cut]\nghijkl");
            assert!(capture.tail.len() <= 12, "the end stays bounded");
        }
    }
}
