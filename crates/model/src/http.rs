//! As much of HTTP/1.1 as agents use towards a model: one request and one answer per connection.

use serde_json::Value;
use std::io::{self, BufRead, Read, Write};

/// The largest request that is read, in bytes: far more than any context window, far less than memory.
const BODY_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// The largest line of a head, in bytes. Usual servers allow 8 KiB.
const LINE_BYTES_MAX: u64 = 64 * 1024;

#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// Without the query.
    pub(crate) path: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// Reads a request; nothing if the connection was closed before one began.
    pub(crate) fn read(from: &mut impl BufRead, to: &mut impl Write) -> io::Result<Option<Self>> {
        let first = line(from)?;
        if first.is_empty() {
            return Ok(None);
        }
        let mut words = first.split(' ');
        let mut word = || words.next().unwrap_or_default().to_owned();
        let (method, target) = (word(), word());
        let path = target.split('?').next().unwrap_or_default().to_owned();
        let mut headers = Vec::new();
        loop {
            let line = line(from)?;
            let Some((name, value)) = line.split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let mut request = Self { method, path, headers, body: Vec::new() };
        if request.header("expect") == Some("100-continue") {
            to.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        request.body = request.read_body(from)?;
        Ok(Some(request))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn read_body(&self, from: &mut impl BufRead) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        if self.header("transfer-encoding") == Some("chunked") {
            loop {
                let size = line(from)?;
                let size = u64::from_str_radix(&size, 16).map_err(|_error| malformed("chunk"))?;
                read_exactly(from, size, &mut body)?;
                line(from)?;
                if size == 0 {
                    return Ok(body);
                }
            }
        }
        let length = self.header("content-length").unwrap_or("0");
        let length: u64 = length.parse().map_err(|_error| malformed("content-length"))?;
        read_exactly(from, length, &mut body)?;
        Ok(body)
    }
}

/// Reads this many bytes. An agent that goes away in the middle of its request has asked for nothing.
fn read_exactly(from: &mut impl BufRead, count: u64, to: &mut Vec<u8>) -> io::Result<()> {
    let wanted = count.min(BODY_BYTES_MAX);
    let read = from.by_ref().take(wanted).read_to_end(to)?;
    let is_whole = u64::try_from(read).is_ok_and(|read| read == wanted);
    if is_whole { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

fn malformed(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the request has a malformed {what}"))
}

/// A line without its end.
fn line(from: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    from.by_ref().take(LINE_BYTES_MAX).read_line(&mut line)?;
    Ok(line.trim_end().to_owned())
}

/// Writes a JSON answer.
pub(crate) fn json(
    to: &mut impl Write,
    status: u16,
    headers: &[(&str, String)],
    body: &Value,
) -> io::Result<()> {
    let body = body.to_string();
    head(to, status, "application/json", headers)?;
    write!(to, "content-length: {}\r\n\r\n{body}", body.len())?;
    to.flush()
}

/// Writes the head of a stream of server-sent events; the connection's end is the stream's.
pub(crate) fn stream(to: &mut impl Write) -> io::Result<()> {
    head(to, 200, "text/event-stream", &[])?;
    to.write_all(b"cache-control: no-cache\r\n\r\n")?;
    to.flush()
}

/// Writes the head of a JSON answer whose end is the connection's.
pub(crate) fn unfinished(to: &mut impl Write) -> io::Result<()> {
    head(to, 200, "application/json", &[])?;
    to.write_all(b"\r\n{")?;
    to.flush()
}

fn head(
    to: &mut impl Write,
    status: u16,
    kind: &str,
    headers: &[(&str, String)],
) -> io::Result<()> {
    write!(to, "HTTP/1.1 {status} Scripted\r\nconnection: close\r\ncontent-type: {kind}\r\n")?;
    headers.iter().try_for_each(|(name, value)| write!(to, "{name}: {value}\r\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Request {
        Request::read(&mut text.as_bytes(), &mut Vec::new()).unwrap().unwrap()
    }

    #[test]
    fn a_body_is_read_whole_or_in_chunks() {
        let whole = read("POST /v1/messages?beta=true HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}");
        assert_eq!((whole.method.as_str(), whole.path.as_str()), ("POST", "/v1/messages"));
        assert_eq!(whole.body, b"{}");
        let chunks =
            "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n";
        assert_eq!(read(chunks).body, b"{}");
    }

    #[test]
    fn a_closed_connection_is_no_request() {
        assert!(Request::read(&mut io::empty(), &mut Vec::new()).unwrap().is_none());
    }
}
