//! The lifeline between a starter and its guard: a pair of sockets, one end each. The guard ends its tree when the other
//! end closes, which the kernel does for a starter that is killed.
//!
//! The guard is started with its end as standard input. The first message on it carries the standard input of the
//! command, which may be a pipe for a two-way protocol. A socket, unlike a pipe, cannot be opened again through `/proc`,
//! so no process below the guard can hold the lifeline open.

use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};

/// The first message has one byte, because an empty one could not carry anything.
const GREETING: [u8; 1] = [b'+'];

/// Makes both ends, and sends `input` from the starter's to the guard's. Gives the starter's first.
pub(crate) fn connect(input: &OwnedFd) -> io::Result<(OwnedFd, OwnedFd)> {
    let (family, flags) = (AddressFamily::UNIX, SocketFlags::CLOEXEC);
    let (starter, guard) = socketpair(family, SocketType::STREAM, flags, None)?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut carried = SendAncillaryBuffer::new(&mut space);
    let descriptors = [input.as_fd()];
    if !carried.push(SendAncillaryMessage::ScmRights(&descriptors)) {
        return Err(io::Error::other("no room for a descriptor in a message"));
    }
    sendmsg(&starter, &[IoSlice::new(&GREETING)], &mut carried, SendFlags::NOSIGNAL)?;
    Ok((starter, guard))
}

/// Receives the standard input of the command.
pub(crate) fn receive_input(guard: impl AsFd) -> io::Result<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut carried = RecvAncillaryBuffer::new(&mut space);
    let mut byte = GREETING;
    let mut parts = [IoSliceMut::new(&mut byte)];
    recvmsg(guard, &mut parts, &mut carried, RecvFlags::CMSG_CLOEXEC)?;
    for message in carried.drain() {
        if let RecvAncillaryMessage::ScmRights(mut descriptors) = message
            && let Some(input) = descriptors.next()
        {
            return Ok(input);
        }
    }
    Err(io::Error::other("the starter sent no standard input"))
}
