"""Scripts of no particular tool: shells, interpreters, git, curl."""

from project import Fault, Project

DEPLOY = """\
#!/bin/bash
set -eu
echo "deploy 7 started at $(date)"
echo "0 errors in the last deployment"
bash render.sh > page.html
node check.js page.html
diff -u golden.html page.html
echo done
"""

RENDER = """\
echo "rendering in $PWD" >&2
printf '<h1>%s</h1>\\n' "Welcome"
"""

CHECK = """\
const fs = require('fs');
const page = fs.readFileSync(process.argv[2], 'utf8');
if (!page.includes('<h1>')) {
  throw new Error(`no heading in ${process.argv[2]}`);
}
console.log('checked');
"""

PIPELINE = """\
#!/bin/sh
set -e
echo "job $(od -An -N4 -tx4 /dev/urandom) in $PWD"
python3 load.py orders.json > totals.txt
sha256sum -c totals.sha256
sh wait.sh
echo finished
"""

LOAD = """\
import json
import sys

with open(sys.argv[1]) as orders:
    for order in json.load(orders):
        print(order["name"], order["count"] * order["price"])
"""

WAIT = """\
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
echo "service would listen on $port"
"""

WAIT_IN_VAIN = """\
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
for try in 1 2 3; do
    curl -sS "http://127.0.0.1:$port/health" && exit 0
done
echo "timed out waiting for 127.0.0.1:$port after $try tries"
exit 1
"""

PROJECTS = [
    Project(
        "plain",
        "deploy",
        {"deploy.sh": DEPLOY, "render.sh": RENDER, "check.js": CHECK, "golden.html": "<h1>Welcome</h1>\n"},
        "bash deploy.sh",
        [
            Fault("command-missing", "rendr: command not found", edits={"render.sh": ("printf", "rendr --all\nexit\nprintf")}),
            Fault("no-heading", "Error: no heading in page.html", edits={"render.sh": ("h1>%s</h1", "h2>%s</h2")}),
            Fault("golden-differs", "+<h1>Hello</h1>", edits={"render.sh": ('"Welcome"', '"Hello"')}),
            Fault("variable-unset", "TARGET: unbound variable", edits={"deploy.sh": ("echo done", 'echo "$TARGET"')}),
            Fault("host-unknown", "Could not resolve host: pages.example.invalid", "infra", {"deploy.sh": ("echo done", "curl -sS https://pages.example.invalid/upload -T page.html")}),
            Fault("timed-out", "deploy: timed out waiting for the page after", "flake", {"deploy.sh": ("echo done", 'begin=$(date +%s%N)\nuntil timeout 0.2 cat < <(sleep 1); do echo "deploy: timed out waiting for the page after $(( ($(date +%s%N) - begin) / 1000000 )) ms"; exit 1; done')}),
        ],
    ),
    Project(
        "plain",
        "pipeline",
        {"run.sh": PIPELINE, "load.py": LOAD, "wait.sh": WAIT, "orders.json": '[{"name": "tea", "count": 2, "price": 3}]\n', "totals.sha256": ""},
        "python3 -c \"import hashlib; print(hashlib.sha256(b'tea 6\\\\n').hexdigest() + '  totals.txt')\" > totals.sha256\nsh run.sh",
        [
            Fault("broken-json", "json.decoder.JSONDecodeError: Expecting ',' delimiter", edits={"orders.json": '[{"name": "tea" "count": 2, "price": 3}]\n'}),
            Fault("key-missing", "KeyError: 'price'", edits={"orders.json": '[{"name": "tea", "count": 2}]\n'}),
            Fault("checksum", "totals.txt: FAILED", edits={"orders.json": ('"count": 2', '"count": 3')}),
            Fault("service-away", "timed out waiting for 127.0.0.1", "flake", {"wait.sh": WAIT_IN_VAIN}),
            Fault("killed", "Killed", "infra", {"run.sh": ("python3 load.py orders.json > totals.txt", "bash -c 'python3 -c \"import os; os.kill(os.getpid(), 9)\"; exit $?'")}),
            Fault("git-away", "unable to access 'https://git.example.invalid/acme/data.git/'", "infra", {"run.sh": ("sh wait.sh", "git clone https://git.example.invalid/acme/data.git")}),
        ],
    ),
]
