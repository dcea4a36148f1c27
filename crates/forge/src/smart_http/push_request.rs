//! The beginning of a push: which references are to move and what the client understands.

use super::packet::{self, NotAPacket, Packet};
use crate::git::ref_name;
use crate::git::sha::Sha;
use crate::model::receive::RefUpdate;

/// A push names its references before its objects; more than this is no push but an attack.
const COMMANDS_BYTES_MAX: usize = 8 * 1024 * 1024;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PushRequest {
    pub(super) updates: Vec<RefUpdate>,
    pub(super) is_atomic: bool,
    /// Set if messages can be sent beside the report.
    pub(super) has_side_band: bool,
    pub(super) wants_report: bool,
}

impl PushRequest {
    /// Returns whether objects follow.
    pub(super) fn has_pack(&self) -> bool {
        self.updates.iter().any(|update| update.new.is_some())
    }
}

/// A fault in the beginning of a push.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum BadPush {
    #[error("the request is not in git's packet format")]
    NotPackets,
    #[error("{0:?} is not `old new reference`")]
    BadLine(String),
    #[error("the references take more than {COMMANDS_BYTES_MAX} bytes")]
    TooLong,
}

impl From<NotAPacket> for BadPush {
    fn from(NotAPacket: NotAPacket) -> Self {
        Self::NotPackets
    }
}

/// Collects bytes until the list of references is complete.
#[derive(Debug, Default)]
pub(super) struct Reader {
    bytes: Vec<u8>,
    used: usize,
    request: PushRequest,
}

impl Reader {
    /// The request and the bytes after it, once it is complete.
    pub(super) fn feed(&mut self, piece: &[u8]) -> Result<Option<(PushRequest, Vec<u8>)>, BadPush> {
        self.bytes.extend_from_slice(piece);
        loop {
            let rest = self.bytes.get(self.used..).unwrap_or_default();
            match packet::first(rest)? {
                None if rest.len() > COMMANDS_BYTES_MAX => return Err(BadPush::TooLong),
                None => return Ok(None),
                Some((Packet::Flush, length)) => {
                    let after = rest.get(length..).unwrap_or_default().to_vec();
                    return Ok(Some((std::mem::take(&mut self.request), after)));
                }
                Some((Packet::Line(line), length)) => {
                    if self.used > COMMANDS_BYTES_MAX {
                        return Err(BadPush::TooLong);
                    }
                    self.request.read(&ref_name::from_bytes(line))?;
                    self.used += length;
                }
            }
        }
    }
}

impl PushRequest {
    /// `old new reference`, on the first line followed by what the client can do.
    fn read(&mut self, line: &str) -> Result<(), BadPush> {
        let line = line.strip_suffix('\n').unwrap_or(line);
        let (command, abilities) = line.split_once('\0').unwrap_or((line, ""));
        for ability in abilities.split_whitespace() {
            match ability {
                "atomic" => self.is_atomic = true,
                "side-band-64k" => self.has_side_band = true,
                "report-status" => self.wants_report = true,
                _other => {}
            }
        }
        // A shallow client says where its history ends; what it pushes is complete here or refused.
        if command.starts_with("shallow ") {
            return Ok(());
        }
        let update = parse(command).ok_or_else(|| BadPush::BadLine(command.to_owned()))?;
        self.updates.push(update);
        Ok(())
    }
}

fn parse(command: &str) -> Option<RefUpdate> {
    let mut words = command.splitn(3, ' ');
    let mut sha = || {
        let word = words.next()?;
        let sha: Sha = word.parse().ok()?;
        Some(Some(sha).filter(|_sha| word.chars().any(|digit| digit != '0')))
    };
    let (old, new) = (sha()?, sha()?);
    let name = words.next().filter(|name| !name.is_empty())?.to_owned();
    Some(RefUpdate { name, old, new })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: &str = "0000000000000000000000000000000000000000";
    const SOME: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

    fn request() -> Vec<u8> {
        let mut bytes = Vec::new();
        let first = format!("{NONE} {SOME} refs/heads/a b\0 report-status atomic side-band-64k");
        packet::put(&mut bytes, first.as_bytes());
        packet::put(&mut bytes, format!("{SOME} {NONE} refs/tags/v1\n").as_bytes());
        packet::flush(&mut bytes);
        bytes.extend_from_slice(b"PACK...");
        bytes
    }

    #[test]
    fn a_request_reads_the_same_however_it_is_cut() {
        let bytes = request();
        let whole = Reader::default().feed(&bytes).unwrap().unwrap();
        assert_eq!(whole.1, b"PACK...");
        let (first, second) = (&whole.0.updates[0], &whole.0.updates[1]);
        assert_eq!(
            (first.old, first.new, first.name.as_str()),
            (None, SOME.parse().ok(), "refs/heads/a b")
        );
        assert_eq!((second.new, whole.0.is_atomic), (None, true));
        let mut reader = Reader::default();
        let mut found = None;
        for (at, byte) in bytes.iter().enumerate() {
            if let Some((request, after)) = reader.feed(&[*byte]).unwrap() {
                assert_eq!(after, b"");
                found = Some((request, &bytes[at + 1..]));
                break;
            }
        }
        assert_eq!(found.unwrap(), (whole.0, b"PACK...".as_slice()));
    }

    #[test]
    fn nonsense_is_refused_with_what_it_is() {
        assert_eq!(Reader::default().feed(b"POST"), Err(BadPush::NotPackets));
        let mut bytes = Vec::new();
        packet::put(&mut bytes, b"please push");
        let refused = Reader::default().feed(&bytes).unwrap_err();
        assert_eq!(refused.to_string(), "\"please push\" is not `old new reference`");
    }
}
