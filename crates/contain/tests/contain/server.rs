//! Small servers on the loopback device of the machine, which count their visits.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) struct Server {
    pub(crate) port: u16,
    visits: Arc<AtomicUsize>,
}

impl Server {
    /// Answers every request with this body.
    pub(crate) fn start(body: &'static str) -> Self {
        Self::serve(move |mut visitor| {
            let (mut head, mut byte) = (Vec::new(), [0]);
            while !head.ends_with(b"\r\n\r\n") && visitor.read_exact(&mut byte).is_ok() {
                head.extend(byte);
            }
            let length = body.len();
            let answer = format!(
                "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
            );
            drop(visitor.write_all(answer.as_bytes()));
        })
    }

    /// Says everything again.
    pub(crate) fn echo() -> Self {
        Self::serve(|mut visitor| {
            let mut chunk = [0; 4096];
            while let Ok(count @ 1..) = visitor.read(&mut chunk) {
                if visitor.write_all(chunk.get(..count).unwrap_or_default()).is_err() {
                    break;
                }
            }
        })
    }

    fn serve(answer: impl Fn(TcpStream) + Send + Copy + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let visits = Arc::new(AtomicUsize::new(0));
        let count = visits.clone();
        std::thread::spawn(move || {
            for visitor in listener.incoming().flatten() {
                count.fetch_add(1, Ordering::SeqCst);
                std::thread::spawn(move || answer(visitor));
            }
        });
        Self { port, visits }
    }

    pub(crate) fn visits(&self) -> usize {
        self.visits.load(Ordering::SeqCst)
    }
}
