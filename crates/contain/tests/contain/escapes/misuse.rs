//! Attempts to make the proxy and the relay lead elsewhere. The service of the machine answers with a word that shows it
//! was reached; the listed one answers with another. Without a proxy nothing listens.

use super::Language::{Python, Shell};
use super::{Attempt, harmful};

/// Attempts that reach the service once it is listed, and so prove that the list is what stops them.
pub(crate) const REACHES_LISTED: [&str; 3] =
    ["a tunnel to an address", "a plain request to the machine", "the proxy without the relay"];

pub(super) const ALL: &[Attempt] = &[
    harmful("a tunnel to another host", Python, "attempt(lambda: tunnel('other.example:443'))"),
    harmful(
        "a tunnel to another port",
        Python,
        "attempt(lambda: tunnel(f'allowed.example:{service}'))",
    ),
    harmful("a tunnel to an address", Python, "attempt(lambda: tunnel(f'127.0.0.1:{service}'))"),
    harmful(
        "a tunnel to a listed name that leads to the machine",
        Python,
        "attempt(lambda: tunnel(f'localhost:{service}'))",
    ),
    harmful(
        "a tunnel to a name with a dot at its end",
        Python,
        "attempt(lambda: tunnel(f'localhost.:{service}'))",
    ),
    harmful(
        "a tunnel to an address as one number",
        Python,
        "attempt(lambda: tunnel(f'2130706433:{service}'))",
    ),
    harmful(
        "a tunnel to an address in other bases",
        Python,
        "for one in ['0x7f000001', '0x7f.0.0.1', '0177.0.0.1', '127.1', '127.0.1']: attempt(lambda: tunnel(f'{one}:{service}'))",
    ),
    harmful(
        "a tunnel to an address of version 6",
        Python,
        "for one in ['::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1', '64:ff9b::7f00:1']: attempt(lambda: tunnel(f'[{one}]:{service}'))",
    ),
    harmful(
        "a tunnel to any address",
        Python,
        "for one in ['0.0.0.0', '0', '[::]']: attempt(lambda: tunnel(f'{one}:{service}'))",
    ),
    harmful(
        "a tunnel to the machine's network",
        Python,
        "for one in ['10.0.0.1', '192.168.0.1', '172.17.0.1', '169.254.169.254']: attempt(lambda: tunnel(f'{one}:80'))",
    ),
    harmful(
        "a tunnel with a user before the host",
        Python,
        "attempt(lambda: tunnel(f'127.0.0.1:{model}@127.0.0.1:{service}'))",
    ),
    harmful(
        "a tunnel to two hosts",
        Python,
        "attempt(lambda: tunnel(f'127.0.0.1:{model} 127.0.0.1:{service}'))\nattempt(lambda: tunnel(f'127.0.0.1:{model},127.0.0.1:{service}'))",
    ),
    harmful(
        "a plain request to the machine",
        Python,
        "attempt(lambda: b'SERVICE' in exchange(proxy(), f'GET http://127.0.0.1:{service}/ HTTP/1.1\\r\\n\\r\\n'.encode()))",
    ),
    harmful(
        "a plain request to another host",
        Python,
        "attempt(lambda: b'SERVICE' in exchange(proxy(), f'GET http://localhost:{service}/ HTTP/1.1\\r\\n\\r\\n'.encode()))",
    ),
    harmful(
        "a listed request that names another host",
        Python,
        "attempt(lambda: b'SERVICE' in exchange(proxy(), f'GET http://127.0.0.1:{model}/ HTTP/1.1\\r\\nHost: 127.0.0.1:{service}\\r\\n\\r\\n'.encode()))",
    ),
    harmful(
        "a second request on the connection",
        Python,
        "attempt(lambda: b'SERVICE' in exchange(proxy(), f'GET http://127.0.0.1:{model}/ HTTP/1.1\\r\\n\\r\\nGET http://127.0.0.1:{service}/ HTTP/1.1\\r\\n\\r\\n'.encode()))",
    ),
    harmful(
        "a tunnel inside of a listed tunnel",
        Python,
        "attempt(lambda: through(f'CONNECT 127.0.0.1:{model} HTTP/1.1\\r\\n\\r\\n'.encode(), f'CONNECT 127.0.0.1:{service} HTTP/1.1\\r\\n\\r\\n'.encode() + GET))",
    ),
    harmful(
        "a request after a refused one",
        Python,
        "attempt(lambda: b'SERVICE' in exchange(proxy(), f'CONNECT other.example:443 HTTP/1.1\\r\\n\\r\\nCONNECT 127.0.0.1:{service} HTTP/1.1\\r\\n\\r\\n'.encode() + GET))",
    ),
    harmful(
        "smuggled lines",
        Python,
        "for end in ['\\n', '\\r', '\\0', '\\r\\n ']: attempt(lambda: through(f'CONNECT 127.0.0.1:{model} HTTP/1.1{end}CONNECT 127.0.0.1:{service} HTTP/1.1\\r\\n\\r\\n'.encode()))",
    ),
    harmful(
        "smuggled headers",
        Python,
        "for header in ['Host', 'X-Forwarded-Host', 'Forwarded', 'X-Original-Url', 'Proxy-Connect', 'Upgrade']: attempt(lambda: through(f'CONNECT 127.0.0.1:{model} HTTP/1.1\\r\\n{header}: 127.0.0.1:{service}\\r\\n\\r\\n'.encode()))",
    ),
    harmful(
        "other protocols of proxies",
        Python,
        "attempt(lambda: b'SERVICE' in exchange(proxy(), b'\\x05\\x01\\x00' + b'\\x05\\x01\\x00\\x01\\x7f\\0\\0\\x01' + struct.pack('>H', service) + GET))\nattempt(lambda: b'SERVICE' in exchange(proxy(), b'PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n' + GET))",
    ),
    harmful(
        "the proxy without the relay",
        Python,
        "one = socket.socket(socket.AF_UNIX)\ndef direct():\n    one.connect('/run/ralph/proxy.sock')\n    return b'SERVICE' in exchange(one, f'GET http://127.0.0.1:{service}/ HTTP/1.1\\r\\n\\r\\n'.encode())\nattempt(direct)",
    ),
    harmful(
        "another program in the relay's place",
        Shell,
        "(echo x > /run/ralph/relay) 2>/dev/null && test -x /run/ralph/relay && echo ESCAPED; rm -f /run/ralph/proxy.sock 2>/dev/null && test -S /run/ralph/relay && echo ESCAPED; test -e /run/ralph/relay && mv /run/ralph/relay /run/ralph/other 2>/dev/null && echo ESCAPED",
    ),
    harmful(
        "a stopped relay",
        Shell,
        "kill -STOP $PPID 2>/dev/null; grep -qs 'ghp_[t]oken' /proc/$PPID/environ && echo ESCAPED; kill -CONT $PPID 2>/dev/null",
    ),
];
