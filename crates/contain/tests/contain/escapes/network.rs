//! Attempts to reach the network and sockets past the proxy.

use super::Language::{Python, Shell};
use super::{Attempt, attempt, harmful};

pub(super) const ALL: &[Attempt] = &[
    attempt(
        "a service of the machine",
        Python,
        "attempt(lambda: b'SERVICE' in exchange(socket.create_connection(('127.0.0.1', service)), GET))",
    ),
    attempt(
        "a service of the machine by name",
        Python,
        "attempt(lambda: b'SERVICE' in exchange(socket.create_connection(('localhost', service)), GET))",
    ),
    attempt(
        "a service of the machine at any address",
        Python,
        "attempt(lambda: b'SERVICE' in exchange(socket.create_connection(('0.0.0.0', service)), GET))",
    ),
    attempt(
        "a datagram, as names are asked for",
        Python,
        "one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\nattempt(lambda: one.sendto(b'name?', ('127.0.0.1', int(env['UDP']))) and one.recv(99) == b'name?')",
    ),
    harmful(
        "an address of the internet",
        Python,
        // The address is set aside for documentation, and answers nowhere.
        "one = socket.socket()\none.settimeout(1)\ncode = one.connect_ex(('192.0.2.1', 443))\nif code != errno.ENETUNREACH: escaped(code)",
    ),
    harmful(
        "an address of the internet, version 6",
        Python,
        "one = socket.socket(socket.AF_INET6)\none.settimeout(1)\ncode = one.connect_ex(('2001:db8::1', 443))\nif code not in (errno.ENETUNREACH, errno.EADDRNOTAVAIL): escaped(code)",
    ),
    harmful(
        "a name server",
        Python,
        "one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\nattempt(lambda: one.sendto(bytes(30), ('192.0.2.53', 53)))",
    ),
    harmful("a name", Python, "attempt(lambda: socket.getaddrinfo('allowed.example', 443))"),
    attempt(
        "a socket without a file",
        Python,
        "one = socket.socket(socket.AF_UNIX)\nattempt(lambda: one.connect('\\0' + env['ABSTRACT']) is None)",
    ),
    attempt(
        "the socket of a container engine",
        Python,
        "one = socket.socket(socket.AF_UNIX)\nattempt(lambda: one.connect(around + '/docker.sock') is None)",
    ),
    attempt(
        "the socket of an ssh agent",
        Python,
        "one = socket.socket(socket.AF_UNIX)\nattempt(lambda: one.connect(env['SSH_AUTH_SOCK']) is None)",
    ),
    attempt(
        "a socket of Ralph's",
        Python,
        "one = socket.socket(socket.AF_UNIX)\nattempt(lambda: one.connect(around + '/ralph.sock') is None)",
    ),
    harmful(
        "sockets of the system",
        Shell,
        "find /run /var/run /tmp /var /dev -type s 2>/dev/null | grep -v '^/run/ralph/proxy.sock$' | grep . && echo ESCAPED",
    ),
    harmful(
        "raw packets",
        Python,
        "attempt(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 3))\nattempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))",
    ),
    harmful(
        "another device of the network",
        Shell,
        "tail -n +3 /proc/net/dev | grep -v '^ *lo:' && echo ESCAPED; ip link add escape type dummy 2>/dev/null && echo ESCAPED",
    ),
    harmful(
        "a device of the network with rights of its own",
        Shell,
        "unshare -Urn sh -c 'ip link set lo up; python3 -c \"import socket; socket.create_connection((\\\"127.0.0.1\\\", '$SERVICE'), 2)\"' 2>/dev/null && echo ESCAPED",
    ),
];
