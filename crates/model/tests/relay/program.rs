//! A relay for a program in a sandbox without a network: `model-relay SOCKET PORT PROGRAM [ARGUMENT…]` runs the program, and
//! hands what it sends to the port of its loopback device to a Unix socket that was bound into the sandbox.

mod joined;

use std::ffi::OsString;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::{env, io, thread};

fn main() -> ExitCode {
    let mut arguments = env::args_os().skip(1);
    match relayed(&mut arguments) {
        Ok(code) => code,
        Err(_error) => ExitCode::FAILURE,
    }
}

#[expect(clippy::disallowed_methods, reason = "the program exists to start another")]
fn relayed(arguments: &mut impl Iterator<Item = OsString>) -> io::Result<ExitCode> {
    let mut next = || arguments.next().ok_or(io::ErrorKind::InvalidInput);
    let (socket, port, program) = (PathBuf::from(next()?), next()?, next()?);
    let port = port.to_string_lossy().parse().map_err(|_error| io::ErrorKind::InvalidInput)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    thread::spawn(move || {
        for inside in listener.incoming().flatten() {
            if let Ok(outside) = UnixStream::connect(&socket) {
                joined::join(inside, outside);
            }
        }
    });
    let status = Command::new(program).args(arguments).status()?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}
