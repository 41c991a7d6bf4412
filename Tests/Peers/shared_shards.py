"""The shards of `luath test --queue`, which share their files by a PostgreSQL server.

Each journey asks a gate of this test before it ends, so that the test decides what goes on: nothing here depends on time.
"""
import collections
import http.server
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

import checks
from emulator import PATIENCE
from postgres import Postgres

LUATH = os.environ["LUATH"]
FILES = 8
JOURNEY = """
local http <const> = require "luath.http"
local journey <const> = require "luath.journey"

journey("asks the gate", function()
  local answer <const> = http.get(os.getenv "GATE" .. "/%d", { timeout = 300 })
  assert(answer.status == 200)
end)
"""


class Gate:
    """A server at which each journey waits until the test lets it go on."""

    def __init__(self):
        self.changed = threading.Condition()
        self.asked = collections.Counter()
        self.is_open = set()
        gate = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                number = int(self.path[1:])
                with gate.changed:
                    gate.asked[number] += 1
                    gate.changed.notify_all()
                    gate.changed.wait_for(lambda: number in gate.is_open)
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def let(self, numbers):
        with self.changed:
            self.is_open |= set(numbers)
            self.changed.notify_all()

    def wait(self, condition):
        """Waits until the requests so far fulfil a condition."""
        with self.changed:
            assert self.changed.wait_for(lambda: condition(self.asked), PATIENCE), self.asked

    def close(self):
        self.let(range(FILES))
        self.server.shutdown()
        self.server.server_close()


class Shards(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Postgres()
        cls.addClassCleanup(cls.server.__exit__)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for number in range(FILES):
            (self.folder / f"f{number}_journey.lua").write_text(JOURNEY % number)
        self.gate = Gate()
        self.addCleanup(self.gate.close)
        self.queue = self.server.url(self.id().rsplit(".", 1)[-1][5:45])
        self.running = []
        self.addCleanup(self.end)

    def end(self):
        for process in self.running:
            process.kill()
            process.communicate()

    def start(self, shard, *arguments, queue=None, environment=None):
        report = f"{shard.replace('/', '-')}.ndjson"
        process = subprocess.Popen(
            [LUATH, "test", "--shard", shard, "--queue", queue or self.queue, "--report", f"pretty,json:{report}",
             *arguments],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, env={**os.environ, "GATE": self.gate.url, **(environment or {})})
        self.running.append(process)
        return process

    def finish(self, process):
        output, _ = process.communicate(timeout=PATIENCE)
        return process.returncode, output

    def expect_passed(self, *processes):
        for process in processes:
            code, output = self.finish(process)
            self.assertEqual(code, 0, output)

    def begin_with_a_slow_shard(self):
        """Both shards of two: the first waits in its first journey, until the other has begun all the rest."""
        one = self.start("1/2")
        self.gate.wait(lambda asked: sum(asked.values()) == 1)
        first, = self.gate.asked
        two = self.start("2/2")
        self.gate.let(set(range(FILES)) - {first})
        self.gate.wait(lambda asked: len(asked) == FILES)
        self.gate.let([first])
        self.expect_passed(one, two)

    def results(self, shard):
        lines = (self.folder / f"{shard.replace('/', '-')}.ndjson").read_text().splitlines()
        events = [json.loads(line) for line in lines]
        return [event["journey"] for event in events if event["event"] == "journey.result"]

    def merge(self, *shards):
        files = [f"{shard.replace('/', '-')}.ndjson" for shard in shards]
        merged = subprocess.run(
            [LUATH, "report", "merge", "--output", "all.ndjson", "--report", "json:copy.ndjson", *files],
            cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
        events = [json.loads(line) for line in (self.folder / "all.ndjson").read_text().splitlines()]
        return merged, events

    def test_a_slow_shard_leaves_the_rest_to_the_others(self):
        self.begin_with_a_slow_shard()
        self.assertEqual(len(self.results("1/2")), 1)
        self.assertEqual(len(self.results("2/2")), FILES - 1)
        self.assertEqual(max(self.gate.asked.values()), 1)
        merged, events = self.merge("1/2", "2/2")
        self.assertEqual((merged.returncode, merged.stderr), (0, ""))
        self.assertEqual(events[0]["journeys"], FILES)
        self.assertEqual(events[-1]["counts"]["passed"], FILES)
        self.assertNotIn("notRun", events[-1])

    def test_the_journeys_of_a_killed_shard_run_at_the_others(self):
        two = self.start("2/3")
        self.gate.wait(lambda asked: sum(asked.values()) == 1)
        done, = self.gate.asked
        self.gate.let([done])
        # It has ended one journey and begun another.
        self.gate.wait(lambda asked: len(asked) == 2)
        one, three = self.start("1/3"), self.start("3/3")
        self.gate.wait(lambda asked: len(asked) == 4)
        two.send_signal(signal.SIGKILL)
        two.wait(PATIENCE)
        self.gate.let(range(FILES))
        self.expect_passed(one, three)
        self.assertEqual(
            sorted(self.results("1/3") + self.results("3/3")),
            [f"f{number}_journey.lua > asks the gate" for number in range(FILES)])
        merged, events = self.merge("1/3", "2/3", "3/3")
        self.assertEqual((merged.returncode, merged.stderr), (0, ""))
        self.assertEqual(events[-1]["counts"]["passed"], FILES)

    def test_a_shard_that_starts_again_runs_again_what_it_had_run(self):
        one = self.start("1/2", "--max-failures", "1")
        self.gate.wait(lambda asked: sum(asked.values()) == 1)
        first, = self.gate.asked
        self.gate.let([first])
        self.gate.wait(lambda asked: len(asked) == 2)
        one.kill()
        one.wait(PATIENCE)
        self.gate.let(range(FILES))
        code, output = self.finish(self.start("1/2"))
        self.assertEqual(code, 0, output)
        self.assertEqual(len(self.results("1/2")), FILES)
        # Nothing is left for the other.
        code, output = self.finish(self.start("2/2"))
        self.assertEqual(code, 0, output)
        merged, _ = self.merge("1/2", "2/2")
        self.assertEqual((merged.returncode, merged.stderr), (0, ""))
        # Each shard of a second run under the same name runs again what it ran: nothing counts as run that was not.
        code, output = self.finish(self.start("1/2"))
        self.assertEqual((code, len(self.results("1/2"))), (0, FILES), output)

    def test_the_server_restarts_during_the_run(self):
        one, two = self.start("1/2"), self.start("2/2")
        self.gate.wait(lambda asked: len(asked) == 2)
        self.server.restart()
        self.gate.let(range(FILES))
        self.expect_passed(one, two)
        self.assertEqual(
            sorted(self.results("1/2") + self.results("2/2")),
            [f"f{number}_journey.lua > asks the gate" for number in range(FILES)])
        self.assertEqual(max(self.gate.asked.values()), 1)

    def test_a_missing_report_is_noticed(self):
        self.begin_with_a_slow_shard()
        merged, _ = self.merge("2/2")
        self.assertEqual(merged.returncode, 1)
        self.assertIn("1 journey has no result: the file of a shard is missing", merged.stderr)

    def test_what_does_not_fit_is_refused(self):
        one = self.start("1/2")
        self.gate.wait(lambda asked: sum(asked.values()) == 1)
        for arguments, words in [
            (["1/2"], "runs already"),
            (["1/3"], "has 2 shards, not 3"),
            (["2/2", "--name", "nothing else"], None),
            (["2/2", "f1_journey.lua"], "selected other journeys"),
            (["2/2", "--list"], "leave one out"),
            (["0/2"], "--shard"),
        ]:
            with self.subTest(arguments):
                code, output = self.finish(self.start(*arguments))
                self.assertNotEqual(code, 0)
                self.assertIn(words or "none of the", output)
        alone = subprocess.run(
            [LUATH, "test", "--queue", self.queue], cwd=self.folder, capture_output=True, text=True,
            timeout=PATIENCE, check=False)
        self.assertEqual(alone.returncode, 2)
        self.assertIn("--queue needs --shard", alone.stderr)
        self.gate.let(range(FILES))
        code, output = self.finish(one)
        self.assertEqual((code, len(self.results("1/2"))), (0, FILES), output)

    def test_an_interrupted_shard_leaves_its_file_to_the_others(self):
        one = self.start("1/2")
        self.gate.wait(lambda asked: sum(asked.values()) == 1)
        one.send_signal(signal.SIGINT)
        code, output = self.finish(one)
        self.assertEqual(code, 130, output)
        self.gate.let(range(FILES))
        self.expect_passed(self.start("2/2"))
        self.assertEqual(len(self.results("2/2")), FILES)

    def test_a_server_that_is_away_is_waited_for_until_ctrl_c(self):
        one = self.start("1/2", queue="postgres://luath:s3cret-pass@127.0.0.1:1/luath#away")
        line = one.stdout.readline()
        self.assertIn("does not respond; waiting for it", line)
        one.send_signal(signal.SIGINT)
        code, output = self.finish(one)
        self.assertEqual(code, 130, output)
        self.assertNotIn("s3cret-pass", line + output)

    def test_a_password_stays_secret(self):
        self.gate.let(range(FILES))
        address = self.queue.replace("luath@", "luath:s3cret-pass@")
        process = subprocess.run(
            [LUATH, "test", "--shard=1/1", f"--queue={address}", "--report", "json:all.ndjson,html:all.html"],
            cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE,
            check=False, env={**os.environ, "GATE": self.gate.url})
        self.assertEqual(process.returncode, 0, process.stderr)
        written = process.stdout + process.stderr
        for path in self.folder.rglob("*"):
            if path.is_file():
                written += path.read_text(errors="replace")
        self.assertNotIn("s3cret-pass", written)
        code, output = self.finish(self.start("1/1", queue="PLACE", environment={"PLACE": address}))
        self.assertEqual(code, 0, output)


if __name__ == "__main__":
    sys.exit(checks.run([Shards], "shards"))
