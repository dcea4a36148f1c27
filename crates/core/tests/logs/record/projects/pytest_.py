"""Python: pytest, with failures in tests, fixtures and at collection."""

from project import Fault, Project

SHOP = """\
import logging


def discounted(price, percent):
    logging.getLogger("shop").error("Error: only a log line of the code under test")
    return price - price * percent // 100


def receipt(lines):
    return "\\n".join(f"{name}: {price}" for name, price in lines)
"""

SHOP_TESTS = """\
import socket
import threading

import pytest
from shop import discounted, receipt


@pytest.mark.parametrize("price,percent,expected", [(100, 10, 90), (200, 25, 150)])
def test_discount(price, percent, expected):
    assert discounted(price, percent) == expected


def test_receipt():
    assert receipt([("tea", 3), ("cake", 5)]) == "tea: 3\\ncake: 5"


def test_server_greets():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        greet = threading.Timer(0.0, lambda: server.accept()[0].send(b"hello"))
        greet.daemon = True
        greet.start()
        with socket.create_connection(("127.0.0.1", port), timeout=0.3) as client:
            assert client.recv(5) == b"hello", f"greeting of port {port}"


def test_report_is_written(tmp_path):
    with open(tmp_path / "report.txt", "w", buffering=1) as report:
        report.write("total 7\\n")
"""

REPORTS = """\
import json


def parse(text):
    return [json.loads(line) for line in text.splitlines()]


def mean(rows, column):
    return sum(row[column] for row in rows) / len(rows)


class Report:
    def __init__(self, text):
        self.rows = parse(text)

    def summary(self):
        return {"mean": mean(self.rows, "value"), "rows": len(self.rows)}
"""

REPORTS_TESTS = """\
import socket
import struct
import time

import pytest
import requests
from reports.report import Report


@pytest.fixture
def report():
    return Report('{"value": 1.5}\\n{"value": 2.5}')


class TestReport:
    def test_mean(self, report):
        assert report.summary()["mean"] == pytest.approx(2.0)

    def test_rows(self, report):
        assert report.summary()["rows"] == 2


def test_upload():
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = socket.create_connection(server.getsockname())
        peer, _ = server.accept()
        peer.close()
        assert client.recv(1) == b""


def test_index_is_built():
    time.sleep(0.01)


def test_schema_is_published():
    assert requests.Request("GET", "https://schemas.example.invalid/v1").prepare().path_url == "/v1"
"""

RESET = "peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))\n        peer.close()"

BOT = """\
class Bot:
    def __init__(self):
        self.seen = []

    def hear(self, text):
        self.seen.append(text.lower())
        return {"answer": text.upper(), "count": len(self.seen)}
"""

BOT_TESTS = """\
import subprocess
import sys
import unittest

from bot import Bot


class TestBot(unittest.TestCase):
    def test_answers(self):
        self.assertEqual(Bot().hear("hi"), {"answer": "HI", "count": 1})

    def test_counts(self):
        bot = Bot()
        for word in ("a", "b", "c"):
            last = bot.hear(word)
        self.assertIn(last["count"], (3,))

    def test_runs_as_a_program(self):
        done = subprocess.run([sys.executable, "-c", "print(1)"], timeout=5, check=True)
        self.assertEqual(done.returncode, 0)
"""

PROJECTS = [
    Project(
        "pytest",
        "shop",
        {"shop.py": SHOP, "tests/test_shop.py": SHOP_TESTS, "pytest.ini": "[pytest]\npythonpath = .\n"},
        "pytest",
        [
            Fault("wrong-discount", "assert 75 == 90", edits={"shop.py": ("price - price * percent // 100", "price - (price + 150) * percent // 100")}),
            Fault("rounded-up", "assert 153 == 150", edits={"shop.py": ("percent // 100", "percent // 100 + (price > 100)"), "tests/test_shop.py": ("(200, 25, 150)", "(202, 25, 150)")}),
            Fault("module-missing", "No module named 'shopping'", edits={"tests/test_shop.py": ("from shop import", "from shopping import")}),
            Fault("receipt-unjoined", "TypeError: sequence item 0: expected str instance, tuple found", edits={"shop.py": ('f"{name}: {price}" for name, price in lines', "line for line in lines")}),
            Fault("no-greeting", "TimeoutError: timed out", "flake", {"tests/test_shop.py": ("Timer(0.0", "Timer(9.0")}),
            Fault("disk-full", "No space left on device", "infra", {"tests/test_shop.py": ('tmp_path / "report.txt"', '"/dev/full"')}),
        ],
    ),
    Project(
        "pytest",
        "reports",
        {"reports/__init__.py": "", "reports/report.py": REPORTS, "tests/test_report.py": REPORTS_TESTS, "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n'},
        "python -m pytest -q -ra",
        [
            Fault("wrong-column", "KeyError: 'amount'", edits={"reports/report.py": ('mean(self.rows, "value")', 'mean(self.rows, "amount")')}),
            Fault("wrong-mean", "assert 4.0 == 2.0", edits={"reports/report.py": (" / len(rows)", "")}),
            Fault("fixture-broken", "json.decoder.JSONDecodeError", edits={"tests/test_report.py": ('\\n{"value": 2.5}', '\\n{"value": }')}),
            Fault("syntax", "SyntaxError", edits={"reports/report.py": ("def summary(self):", "def summary(self)")}),
            Fault("reset", "ConnectionResetError: [Errno 104] Connection reset by peer", "flake", {"tests/test_report.py": ("peer.close()", RESET)}),
            Fault("too-slow", "Timeout (>0.5s) from pytest-timeout", "flake", {"tests/test_report.py": ("time.sleep(0.01)", "time.sleep(5)")}, "python -m pytest -q -ra --timeout 0.5"),
            Fault("name-unresolved", "Failed to resolve 'schemas.example.invalid'", "infra", {"tests/test_report.py": ('assert requests.Request("GET", "https://schemas.example.invalid/v1").prepare().path_url == "/v1"', 'assert requests.get("https://schemas.example.invalid/v1").ok')}),
        ],
        colour=True,
    ),
    Project(
        "pytest",
        "bot",
        {"bot.py": BOT, "test_bot.py": BOT_TESTS},
        "pytest -x --tb=short",
        [
            Fault("lower-case", "'answer': 'hi'", edits={"bot.py": ("text.upper()", "text")}),
            Fault("counts-twice", "AssertionError: 6 not found in (3,)", edits={"bot.py": ("len(self.seen)}", "2 * len(self.seen)}"), "test_bot.py": ('"count": 1}', '"count": 2}')}),
            Fault("attribute", "AttributeError: 'Bot' object has no attribute 'heard'", edits={"bot.py": ("self.seen.append", "self.heard.append")}),
            Fault("program-hangs", "subprocess.TimeoutExpired", "flake", {"test_bot.py": ('"print(1)"], timeout=5', '"import time; time.sleep(9)"], timeout=0.4')}),
        ],
    ),
]
