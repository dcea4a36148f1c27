#!/usr/bin/env python3
"""Records the logs beside this folder: real tools, run over small projects with planted faults.

    python3 record.py [--tools DIR] [TOOL/PROJECT ...]

Every fault is recorded twice, in different folders and at different times: once as the tool writes it, once
in the shape of a hosted runner's job log, with a time before each line. Needs cargo, go, gcc, make, gradle and
a JDK on the path, and below DIR a Python environment `venv` (pytest, pytest-timeout, requests) and a folder
`npm/node_modules` (jest, typescript, eslint, @eslint/js).
"""

import argparse
import datetime
import importlib
import json
import os
import pathlib
import random
import re
import shutil
import string
import subprocess
import sys
import tempfile

from project import Fault, Project

HERE = pathlib.Path(__file__).resolve().parent
RUNNER = pathlib.Path("/home/runner/work")
TOOLS = ["cargo", "pytest", "jest", "go", "tsc", "eslint", "gradle", "make", "plain"]
SECONDS_MAX = 120


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--tools", type=pathlib.Path, default=pathlib.Path("tools"))
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    sys.path.insert(0, str(HERE / "projects"))
    projects = [project for tool in TOOLS for project in importlib.import_module(f"{tool}_").PROJECTS]
    chosen = [p for p in projects if not options.names or f"{p.tool}/{p.name}" in options.names]
    for recording in (1, 2):
        for project in chosen:
            for fault in project.faults:
                record(options.tools.resolve(), project, fault, recording)
                print(f"{project.tool}/{project.name}/{fault.id}-{recording}", flush=True)
    for project in chosen:
        write_expected(project)


def record(tools: pathlib.Path, project: Project, fault: Fault, recording: int) -> None:
    parent = folder_for(project, recording)
    folder = parent / project.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path, text in fault.changed(project.files).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    if project.tool in ("jest", "tsc", "eslint"):
        command = ["cp", "-al", str(tools / "npm/node_modules"), str(folder / "node_modules")]
        subprocess.run(command, check=True)
    command = fault.command or project.command
    lines, status = run(tools, project, folder, command)
    assert status != 0, f"{project.name}/{fault.id} did not fail"
    lines = [(when, scrubbed(tools, line)) for when, line in lines]
    text = as_runner(project, command, lines, status) if recording == 2 else as_written(lines)
    target = HERE.parent / project.tool / project.name / f"{fault.id}-{recording}.log"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)
    shutil.rmtree(parent if recording == 1 else folder)


def folder_for(project: Project, recording: int) -> pathlib.Path:
    if recording == 2:
        return RUNNER / project.name
    return pathlib.Path(tempfile.mkdtemp(prefix="build-"))


def run(tools, project, folder, command):
    npm, venv = folder / "node_modules/.bin", tools / "venv/bin"
    environment = {
        "PATH": f"{npm}:{venv}:{os.environ['PATH']}",
        "HOME": os.environ["HOME"],
        "CI": "true",
        "LANG": "C.UTF-8",
        "GOFLAGS": "-mod=mod",
        "NPM_CONFIG_USERCONFIG": "/dev/null",
        "GO111MODULE": "on",
    }
    if project.colour:
        environment |= {"CARGO_TERM_COLOR": "always", "FORCE_COLOR": "1", "PY_COLORS": "1"}
    process = subprocess.Popen(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    lines = [(datetime.datetime.now(datetime.UTC), line.decode()) for line in process.stdout]
    return lines, process.wait(SECONDS_MAX)


def scrubbed(tools: pathlib.Path, line: str) -> str:
    """Where the tools were installed becomes where hosted runners have them."""
    line = line.rstrip("\n").replace(str(tools / "venv"), "/opt/hostedtoolcache/Python/3.11.9/x64")
    line = re.sub(r"\bon [0-9.]+:53\b", "on 127.0.0.53:53", line)
    line = re.sub(r"[^\s\"']*/\.pyenv/versions/[0-9.]+", "/opt/hostedtoolcache/Python/3.11.9/x64", line)
    return line.replace(os.environ["HOME"], "/home/runner")


def as_written(lines) -> str:
    return "".join(f"{line}\n" for _, line in lines)


def as_runner(project: Project, command: str, lines, status: int) -> str:
    begin = lines[0][0] if lines else datetime.datetime.now(datetime.UTC)
    before = [
        "Current runner version: '2.319.1'",
        "##[group]Runner Image",
        "Image: ubuntu-24.04",
        "Version: 20261101.1.0",
        "##[endgroup]",
        f"Prepare workflow directory (request {request_id()})",
        "##[group]Run actions/checkout@v4",
        "with:",
        f"  repository: acme/{project.name}",
        "  fetch-depth: 1",
        "##[endgroup]",
        f"Syncing repository: acme/{project.name}",
        f"HEAD is now at {''.join(random.choices('0123456789abcdef', k=7))} Merge pull request",
        f"##[group]Run {command.splitlines()[0]}",
        *(f"\x1b[36;1m{line}\x1b[0m" for line in command.splitlines()),
        "shell: /usr/bin/bash -e {0}",
        "##[endgroup]",
    ]
    after = [
        f"##[error]Process completed with exit code {status if status > 0 else 128 - status}.",
        "Post job cleanup.",
        "[command]/usr/bin/git config --local --get-regexp core\\.sshCommand",
        "Cleaning up orphan processes",
    ]
    end = lines[-1][0] if lines else begin
    stamped = [*((begin, line) for line in before), *lines, *((end, line) for line in after)]
    return "".join(f"{when:%Y-%m-%dT%H:%M:%S.%f}{random.randint(0, 9)}Z {line}\n" for when, line in stamped)


def request_id() -> str:
    return "".join(random.choices(string.hexdigits.upper(), k=12))


def write_expected(project: Project) -> None:
    quoted = lambda text: json.dumps(text, ensure_ascii=False)
    causes = [
        f"[[cause]]\nid = {quoted(fault.id)}\nsays = {quoted(fault.says)}\nclass = {quoted(fault.kind)}\n"
        for fault in project.faults
    ]
    target = HERE.parent / project.tool / project.name / "expected.toml"
    target.write_text("\n".join(causes))


if __name__ == "__main__":
    main()
