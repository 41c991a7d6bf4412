"""Specs and assertions under Debian's busted and luassert, and under luath: the same outcomes.

`words.lua` calls assertions in thousands of ways; each must end alike, to the last word of its message.
`specs` are run whole by busted and by `luath test`; each test must end alike, at the same line and
with the same message.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import checks  # noqa: E402
from emulator import PATIENCE, program  # noqa: E402

STATUSES = {"success": "passed", "failure": "failed", "error": "failed", "pending": "pending"}
# What luath puts in place of a block whose body fails.
UNREAD = "(the block could not be read)"
PLACE = re.compile(r"^([^\n]*?):(\d+): ", re.DOTALL)


def run(*command, allowed=(0,)):
    """What a program prints, in this folder."""
    done = subprocess.run(
        command, cwd=HERE, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        errors="backslashreplace", timeout=PATIENCE)
    if done.returncode not in allowed:
        raise AssertionError(
            f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def plain(message):
    """A message without addresses of tables and the widths of blanks."""
    message = re.sub(r"0x[0-9a-f]+", "0x", message or "")
    return re.sub(r"\s+", " ", message).strip()


class Outcome:
    """How a test ended: its status, whether a check failed, what was said, and where."""

    def __init__(self, status, is_check=False, message="", place=None):
        self.status = status
        self.is_check = is_check
        self.message = plain(message)
        self.place = place

    def __eq__(self, other):
        return vars(self) == vars(other)

    def __repr__(self):
        kind = "check" if self.is_check else "error"
        return f"{self.status} ({kind}) at {self.place}: {self.message}"


def place_of(message):
    """The place at the front of a message, and the rest."""
    found = PLACE.match(message or "")
    if not found:
        return None, message
    return f"{found[1].removeprefix('./')}:{found[2]}", message[found.end():]


def by_busted():
    """Name → outcome, and the messages of hooks that failed outside of tests."""
    tests, outside = {}, []
    # The exit code is the number of tests that did not pass.
    text = run("busted", "-o", "./handler.lua", "specs", allowed=range(256))
    for line in text.splitlines():
        row = json.loads(line)
        place, message = place_of(row.get("message"))
        if row["kind"] != "test":
            outside.append(plain(message))
            continue
        if place and not place.startswith("specs/"):
            place = None  # inside luassert, which is nobody's line
        tests[row["name"]] = Outcome(
            STATUSES[row["status"]], row["status"] == "failure", message, place)
    return tests, outside


def by_luath():
    """Name → (outcome, failures), and the failures of files, from the events of a run."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "events.ndjson"
        run(program(), "test", "--report", f"json:{file}", "specs", allowed=(1,))
        events = [json.loads(line) for line in file.read_text().splitlines()]
    names, tests, outside = {}, {}, []
    for event in events:
        if event["event"] == "journey.start":
            names[event["journey"]] = " ".join(event["name"])
        elif event["event"] == "journey.end":
            tests[names[event["journey"]]] = (event["status"], event["failures"])
        elif event["event"] == "file.end":
            outside += event["failures"]
    return tests, outside


def outcome(status, failure):
    """What luath says of a test, in the shape of what busted says."""
    if failure is None:
        return Outcome(status)
    place = failure.get("file") and f"{failure['file'].removeprefix('./')}:{failure['line']}"
    message = failure["message"].removeprefix("finally: ")
    return Outcome(status, failure["kind"] == "assertion", message, place)


class Words(unittest.TestCase):
    """Assertions one by one."""

    def test_every_call_ends_alike(self):
        theirs = run("lua5.4", "words.lua").splitlines()
        ours = run(program(), "run", "words.lua").splitlines()
        self.assertGreater(len(theirs), 3000)
        self.assertEqual(len(theirs), len(ours))
        different = [f"{a}\n    luath: {b}" for a, b in zip(theirs, ours) if a != b]
        self.assertEqual([], different, "\n" + "\n".join(different[:20]))


class Specs(unittest.TestCase):
    """Whole files."""

    @classmethod
    def setUpClass(cls):
        cls.theirs, cls.outside = by_busted()
        cls.ours, cls.files = by_luath()

    def test_every_test_ends_alike(self):
        self.assertGreater(len(self.theirs), 70)
        for name, theirs in self.theirs.items():
            status, failures = self.ours.get(name, ("missing", []))
            hooks = [one for one in failures if one["kind"] == "hook"]
            if hooks and not hooks[0]["message"].startswith("finally: "):
                continue  # told apart by busted: see below
            ours = outcome(status, failures[0] if failures else None)
            if theirs.place is None:
                ours.place = None
            with self.subTest(name):
                self.assertEqual(theirs, ours)

    def test_hooks_that_fail_say_the_same(self):
        """Busted tells them apart from tests, and leaves tests out without a word."""
        said = {plain(failure["message"].partition(": ")[2]) for failure in self.files}
        self.assertGreater(len(said), 1)
        for name, (status, failures) in self.ours.items():
            for failure in failures:
                word, _, message = failure["message"].partition(": ")
                if name.endswith(UNREAD):
                    message = failure["message"]
                elif failure["kind"] != "hook" or word == "finally":
                    continue
                with self.subTest(name):
                    self.assertEqual("failed", status)
                    self.assertIn(plain(message), self.outside)
                    self.assertIn(
                        self.theirs.get(name, Outcome("missing")).status, ("missing", "passed"))
                said.add(plain(message))
        self.assertEqual(set(self.outside), said)

    def test_there_are_no_others(self):
        hooked = {
            name for name, (_, failures) in self.ours.items()
            if name.endswith(UNREAD) or any(failure["kind"] == "hook" for failure in failures)}
        self.assertEqual(set(), set(self.ours) - set(self.theirs) - hooked)


if __name__ == "__main__":
    os.environ["NO_COLOR"] = "1"
    sys.exit(checks.run([Words, Specs], "busted"))
