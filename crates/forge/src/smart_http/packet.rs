//! Git's packet lines: four hexadecimal digits of length, then the bytes; `0000` ends a list.

/// The most that one packet carries, length included.
const PACKET_BYTES_MAX: usize = 65_520;

/// The head of a packet: its length.
const HEAD_BYTES: usize = 4;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Packet<'a> {
    Line(&'a [u8]),
    /// The end of a list.
    Flush,
}

/// The bytes are no packet.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NotAPacket;

/// The first packet of the bytes and how many it takes; none when more bytes are needed.
pub(crate) fn first(bytes: &[u8]) -> Result<Option<(Packet<'_>, usize)>, NotAPacket> {
    let Some(head) = bytes.get(..HEAD_BYTES) else { return Ok(None) };
    let head = str::from_utf8(head).map_err(|_not_text| NotAPacket)?;
    let length = usize::from_str_radix(head, 16).map_err(|_not_hexadecimal| NotAPacket)?;
    match length {
        0 => Ok(Some((Packet::Flush, HEAD_BYTES))),
        1..=3 => Err(NotAPacket),
        HEAD_BYTES.. => Ok(bytes.get(HEAD_BYTES..length).map(|line| (Packet::Line(line), length))),
    }
}

/// Adds a packet; what is too long for one is cut into several.
pub(crate) fn put(out: &mut Vec<u8>, line: &[u8]) {
    put_on(out, &[], line);
}

/// Adds bytes to a band of a multiplexed answer.
pub(crate) fn put_on(out: &mut Vec<u8>, band: &[u8], bytes: &[u8]) {
    for part in bytes.chunks(PACKET_BYTES_MAX - HEAD_BYTES - band.len()) {
        let length = HEAD_BYTES + band.len() + part.len();
        out.extend_from_slice(format!("{length:04x}").as_bytes());
        out.extend_from_slice(band);
        out.extend_from_slice(part);
    }
}

pub(crate) fn flush(out: &mut Vec<u8>) {
    out.extend_from_slice(b"0000");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_is_read_back() {
        let mut bytes = Vec::new();
        put(&mut bytes, b"hello\n");
        flush(&mut bytes);
        assert_eq!(bytes, b"000ahello\n0000");
        assert_eq!(first(&bytes), Ok(Some((Packet::Line(b"hello\n"), 10))));
        assert_eq!(first(&bytes[10..]), Ok(Some((Packet::Flush, 4))));
    }

    #[test]
    fn an_unfinished_packet_waits_and_nonsense_is_refused() {
        for unfinished in ["", "00", "000ahel"] {
            assert_eq!(first(unfinished.as_bytes()), Ok(None), "{unfinished}");
        }
        for nonsense in ["GET ", "0002", "\u{e9}\u{e9}"] {
            assert_eq!(first(nonsense.as_bytes()), Err(NotAPacket), "{nonsense}");
        }
    }
}
