//! Two connections joined into one: what comes from the one goes to the other, both ways.

use std::io;
use std::net::{Shutdown, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread;

pub(crate) fn join(tcp: TcpStream, unix: UnixStream) {
    let (tcp, unix) = (Arc::new(tcp), Arc::new(unix));
    let back = (Arc::clone(&tcp), Arc::clone(&unix));
    // A connection that breaks ends both ways; its ends notice by themselves.
    thread::spawn(move || {
        drop(io::copy(&mut &*tcp, &mut &*unix));
        drop(unix.shutdown(Shutdown::Write));
    });
    thread::spawn(move || {
        let (tcp, unix) = back;
        drop(io::copy(&mut &*unix, &mut &*tcp));
        drop(tcp.shutdown(Shutdown::Write));
    });
}
