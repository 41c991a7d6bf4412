"""Hundreds of sign-ins in one process: what it holds at the end it held after the first of them.

Usage: many_flows.py [FLOWS]; 200 of each kind when nothing is said, and fewer with browsers.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

import checks
from emulator import PATIENCE, Emulator, program

HERE = pathlib.Path(__file__).resolve().parent
ROUNDS = 5
FLOWS = 200


class Held:
    """What a process and its children hold at one moment."""

    def __init__(self, pid):
        proc = pathlib.Path("/proc")
        fields = dict(
            line.split(":", 1) for line in (proc / str(pid) / "status").read_text().splitlines())
        self.resident = int(fields["VmRSS"].split()[0]) / 1024
        self.threads = int(fields["Threads"])
        self.files = len(list((proc / str(pid) / "fd").iterdir()))
        self.children = len(self.below(pid))

    @classmethod
    def settled(cls, pid, first):
        """The same when what ended with the last sign-in has gone, if it goes."""
        end = time.monotonic() + PATIENCE
        held = cls(pid)
        while first and not held.fits(first) and time.monotonic() < end:
            held = cls(pid)
        return held

    def fits(self, first):
        """Whether it is no more than after the first round; a connection more or less may be kept alive."""
        return (self.files <= first.files + 2 and self.threads <= first.threads + 2
                and self.children <= first.children)

    @staticmethod
    def below(pid):
        """The processes that it started, and those that they did."""
        parents = {}
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    stat = (entry / "stat").read_text()
                except OSError:
                    continue
                # The name is in brackets and may hold anything; the parent is the second word after it.
                parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
        found, wave = set(), {pid}
        while wave:
            wave = {child for child, parent in parents.items() if parent in wave}
            found |= wave
        return found

    def __str__(self):
        return (f"{self.files} files, {self.threads} threads, {self.children} children, "
                f"{self.resident:.1f} MB")


class ManyFlows(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """The emulator is a process apart: every sign-in leaves a session there, as it should."""
        cls.emulator = Emulator("--rules", "production", "--quiet")
        cls.addClassCleanup(cls.emulator.stop)

    # Megabytes that may come on top between the second round and the last; pools grow by two at a time.
    noise = 3

    def holds_no_more(self, kind, share=1):
        each = max(FLOWS // share // ROUNDS, 1)
        with tempfile.TemporaryFile("w+") as words, subprocess.Popen(
                [program(), "run", "--target", self.emulator.host, "--timeout", "10m",
                 HERE / "flows.lua", "--", kind, str(ROUNDS), str(each)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=words,
                text=True) as run:
            rounds = []
            for line in run.stdout:
                self.assertEqual(line, "round\n")
                rounds.append(Held.settled(run.pid, rounds[0] if rounds else None))
                run.stdin.write("\n")
                run.stdin.flush()
            run.stdin.close()
            status = run.wait(PATIENCE)
            words.seek(0)
            self.assertEqual(status, 0, words.read())
        self.assertEqual(len(rounds), ROUNDS)
        story = f"{kind}, {each} sign-ins a round: " + "; ".join(map(str, rounds))
        print(story, flush=True)
        first, last = rounds[0], rounds[-1]
        self.assertTrue(last.fits(first), story)
        # A sanitizer keeps what was given back, to find out who uses it all the same.
        if "LUATH_SANITIZER" not in os.environ:
            # The first round fills the memory's pools.
            self.assertLess(last.resident, rounds[1].resident + self.noise, story)

    def test_by_forms(self):
        self.holds_no_more("form")

    def test_by_forms_in_one_session(self):
        self.holds_no_more("keptForm")

    def test_by_a_browser_each(self):
        self.holds_no_more("webdriver", share=10)

    def test_by_one_browser(self):
        self.holds_no_more("keptWebdriver", share=2)

    def test_by_the_persons_own_browser(self):
        self.holds_no_more("browser")

    def test_by_a_client_of_its_own(self):
        self.holds_no_more("oidc")

    def test_by_a_function(self):
        self.holds_no_more("function")


def main():
    global FLOWS
    if len(sys.argv) > 1:
        FLOWS = int(sys.argv[1])
    return checks.run([ManyFlows], "many flows")


if __name__ == "__main__":
    sys.exit(main())
