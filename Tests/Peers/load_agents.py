"""Several agents of `luath load` that share one run by PostgreSQL; one is killed, and the server is restarted.

What is checked is counted by the server under load and in the reports: no time is measured.
"""
import asyncio
import base64
import collections
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import checks
from emulator import PATIENCE
from postgres import Postgres

LUATH = os.environ["LUATH"]
LOAD = pathlib.Path(__file__).resolve().parents[2] / "Benchmarks" / "load"
sys.path.insert(0, str(LOAD))
import stalling  # noqa: E402

RATE, SECONDS = 60, 40
COUNT = RATE * SECONDS


class Counting(stalling.Server):
    """Counts requests as they arrive, in all and by second."""

    def __init__(self):
        super().__init__()
        self.count, self.seconds, self.reached = 0, collections.Counter(), threading.Condition()

    async def serve(self, reader, writer):
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                with self.reached:
                    self.first = self.first or self.loop.time()
                    self.seconds[int(self.loop.time() - self.first)] += 1
                    self.count += 1
                    self.reached.notify_all()
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        except (asyncio.CancelledError, asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def wait(self, count):
        with self.reached:
            if not self.reached.wait_for(lambda: self.count >= count, PATIENCE):
                raise RuntimeError(f"only {self.count} of {count} requests came")


class Agent:
    """A process of `luath load --agents`, and what it prints."""

    def __init__(self, folder, number, url, queue, *options, agents=3, journey=None):
        self.report = folder / f"load{number}.json"
        self.errors = open(folder / f"errors{number}", "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [LUATH, "load", str(journey or LOAD / "get_journey.lua"), "--agents", str(agents), "--queue",
             queue, *options, "--report", f"json:{self.report}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.errors, cwd=folder,
            env={"STALLING_URL": url, "HOME": str(folder)})

    @property
    def words(self):
        with open(self.errors.name, encoding="utf-8") as errors:
            return errors.read()

    def says(self, words):
        """Waits for words on standard error."""
        end = time.monotonic() + PATIENCE
        while words not in self.words:
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"an agent did not say {words!r}:\n{self.words}")
            time.sleep(0.02)

    def wait(self):
        return self.process.wait(PATIENCE)

    def end(self):
        self.process.kill()
        self.process.wait()
        self.errors.close()

    def json(self):
        return json.loads(self.report.read_text())


def counters(histogram):
    """The counters of a histogram in HdrHistogram's encoding V2, read by code that shares nothing with luath's."""
    if histogram is None:
        return collections.Counter()
    data = base64.b64decode(histogram["hdr"])
    assert data[:4] == bytes.fromhex("1c849313")
    found, at, slot = collections.Counter(), 40, 0
    while at < len(data):
        bits = shift = 0
        while True:
            byte, at = data[at], at + 1
            bits |= (byte if shift == 56 else byte & 0x7F) << shift
            shift += 7
            if byte < 0x80 or shift > 56:
                break
        value = bits >> 1 ^ -(bits & 1)
        if value < 0:
            slot -= value
        else:
            found[slot] += value
            slot += 1
    return found


def of_all(report):
    """What the reports of all agents have in common."""
    rest = dict(report)
    for name in ("agents", "started"):
        del rest[name]
    return rest


class Agents(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def start(self, *options, agents=3, **settings):
        agent = Agent(self.folder, len(list(self.folder.glob("errors*"))), *options, agents=agents, **settings)
        self.addCleanup(agent.end)
        return agent

    def test_a_killed_agent_and_a_restart_change_the_rate_little(self):
        with Postgres() as database, Counting() as server:
            queue = database.url("friday")
            options = ("--rate", str(RATE), "--duration", f"{SECONDS}s", "--vus", "9")
            team = [self.start(server.url, queue, *options) for _ in range(2)]
            team[0].says("waits for 1 more")
            team.append(self.start(server.url, queue, *options))
            server.wait(COUNT // 4)
            victim = team.pop()
            victim.process.send_signal(signal.SIGKILL)
            server.wait(COUNT * 6 // 10)
            database.restart()
            codes = [agent.wait() for agent in team]
            self.assertEqual(codes, [0, 0], team[0].words + team[1].words)
            reports = [agent.json() for agent in team]
            parts = self.parts(database, "friday")
        report = reports[0]
        self.assertEqual(of_all(report), of_all(reports[1]))
        lost, = [agent for agent in report["agents"] if agent["state"] == "lost"]
        done = [agent for agent in report["agents"] if agent["state"] == "done"]
        self.assertEqual(len(done), 2)
        self.assertTrue(lost["name"].endswith(f"/{victim.process.pid}"), lost)
        journeys = report["journeys"]
        # Each arrival of the plan is in the figures, or counted as missing from them.
        self.assertEqual(journeys["ended"] + journeys["dropped"] + lost["missing"], COUNT)
        self.assertEqual(journeys["failed"], 0)
        self.assertEqual(journeys["ended"], sum(agent["ended"] for agent in report["agents"]))
        # No journey began twice, and nothing is missing that the killed agent had not begun.
        self.assertLessEqual(server.count, COUNT)
        self.assertGreaterEqual(server.count, journeys["ended"])
        # About 1.5 % are missing, as the line printed below says; a busy machine notices the death later.
        self.assertGreaterEqual(server.count, 0.94 * COUNT, report["agents"])
        self.assertLessEqual(server.count - journeys["ended"], lost["missing"])
        print(f"{server.count} of {COUNT} planned requests came, {lost['missing']} are in no figure; "
              f"by second: {[server.seconds[second] for second in range(SECONDS)]}")
        # The merged histogram is the sum of what the agents have sent.
        sums = collections.Counter()
        for part in parts:
            sums += counters(part["tally"]["requests"]["latency"])
        self.assertEqual(sum(sums.values()), report["requests"]["count"])
        endpoint, = [group for group in report["groups"] if group["kind"] == "endpoint"]
        self.assertEqual(endpoint["count"], report["requests"]["count"])
        self.assertEqual(
            sum(second["requests"] for second in report["timeline"]), report["requests"]["count"])

    def test_while_the_server_is_away_for_longer_than_a_lease_nothing_is_lost(self):
        with Postgres() as database, Counting() as server:
            queue = database.url("away")
            options = ("--rate", "30", "--duration", "25s", "--vus", "6")
            team = [self.start(server.url, queue, *options) for _ in range(3)]
            server.wait(60)
            database.stop()
            # Eleven seconds by the plan.
            server.wait(60 + 11 * 30)
            database.start()
            self.assertEqual([agent.wait() for agent in team], [0, 0, 0], team[0].words + team[1].words)
            reports = [agent.json() for agent in team]
        for report in reports:
            self.assertEqual([agent["state"] for agent in report["agents"]], ["done"] * 3)
            self.assertEqual(report["journeys"]["ended"], 30 * 25)
            self.assertEqual(of_all(report), of_all(reports[0]))
        self.assertEqual(server.count, 30 * 25)

    def test_a_suspended_agent_begins_nothing_that_others_took_over(self):
        with Postgres() as database, Counting() as server:
            queue = database.url("asleep")
            options = ("--rate", "30", "--duration", "25s", "--vus", "6")
            team = [self.start(server.url, queue, *options) for _ in range(3)]
            server.wait(60)
            sleeper = team.pop()
            sleeper.process.send_signal(signal.SIGSTOP)
            # The others send two thirds for the lease of ten seconds, and then all.
            server.wait(60 + 11 * 20 + 4 * 30)
            sleeper.process.send_signal(signal.SIGCONT)
            self.assertEqual(sleeper.wait(), 4, sleeper.words)
            self.assertIn("took the share of this one over", sleeper.words)
            self.assertEqual([agent.wait() for agent in team], [0, 0], team[0].words)
            report = team[0].json()
        lost, = [agent for agent in report["agents"] if agent["state"] == "lost"]
        self.assertEqual(report["journeys"]["ended"] + lost["missing"], 30 * 25)
        self.assertLessEqual(server.count, 30 * 25)
        self.assertIn("was lost", team[0].words)

    def parts(self, database, name):
        output = subprocess.run(
            database.command(
                "psql", "-h", database.folder, "-U", "luath", "-d", "postgres", "-At", "-c",
                f"SELECT convert_from(figures, 'UTF8') FROM luath_{name}.agents"),
            capture_output=True, text=True, check=True, timeout=PATIENCE, cwd="/").stdout
        return [json.loads(line) for line in output.splitlines()]

    def test_survivors_take_over_the_users_of_an_interrupted_agent(self):
        with Postgres() as database, Counting() as server:
            queue = database.url("users")
            # Each user sends one request in 100 ms.
            options = ("--vus", "6", "--duration", "12s", "--think-time", "100ms")
            team = [self.start(server.url, queue, *options) for _ in range(3)]
            server.wait(100)
            team[2].process.send_signal(signal.SIGINT)
            self.assertEqual(team[2].wait(), 130, team[2].words)
            self.assertEqual([agent.wait() for agent in team[:2]], [0, 0], team[0].words)
            reports = [agent.json() for agent in team]
        self.assertTrue(reports[2]["wasInterrupted"])
        self.assertFalse(reports[0]["wasInterrupted"])
        self.assertEqual(of_all(reports[0]), of_all(reports[1]))
        self.assertEqual(sorted(agent["state"] for agent in reports[0]["agents"]), ["done", "done", "left"])
        # Two users began at each agent; the survivors got one more each.
        self.assertEqual(reports[0]["vus"], 8)
        self.assertEqual(reports[0]["journeys"]["failed"], 0)

    def test_a_missed_limit_of_all_figures_ends_all_agents(self):
        with Postgres() as database, Counting() as server:
            queue = database.url("limit")
            options = (
                "--rate", "20", "--duration", "10m", "--threshold", "rate>=1000", "--abort-on-fail=1s")
            team = [self.start(server.url, queue, *options, agents=2) for _ in range(2)]
            self.assertEqual([agent.wait() for agent in team], [1, 1], team[0].words)
            reports = [agent.json() for agent in team]
        self.assertEqual([report["abortedBy"] for report in reports], ["rate>=1000"] * 2)
        self.assertEqual(of_all(reports[0]), of_all(reports[1]))

    def test_what_does_not_fit_is_refused(self):
        with Postgres() as database, Counting() as server:
            queue = database.url("strict")
            options = ("--rate", "10", "--duration", "3s")
            first = self.start(server.url, queue, *options, agents=2)
            first.says("agent 1 of 2: waits for 1 more")
            other = self.start(server.url, queue, "--rate", "20", "--duration", "3s", agents=2)
            self.assertEqual(other.wait(), 2)
            self.assertIn("differs from the others of the load test 'strict' in --rate (20 here, 10 there)",
                          other.words)
            changed = self.folder / "get_journey.lua"
            changed.write_text((LOAD / "get_journey.lua").read_text() + "\n-- changed\n")
            other = self.start(server.url, queue, *options, agents=2, journey=changed)
            self.assertEqual(other.wait(), 2)
            self.assertIn("in the file get_journey.lua", other.words)
            # One that dies before the start leaves its place to another.
            dead = self.start(server.url, queue, *options, agents=2, journey=None)
            dead.end()
            # One that is interrupted leaves too.
            first.process.send_signal(signal.SIGINT)
            self.assertEqual(first.wait(), 130, first.words)
            team = [self.start(server.url, queue, *options, agents=2) for _ in range(2)]
            server.wait(5)
            late = self.start(server.url, queue, *options, agents=2)
            self.assertEqual(late.wait(), 4)
            self.assertIn("the load test 'strict' has its 2 agents already", late.words)
            self.assertEqual([agent.wait() for agent in team], [0, 0], team[0].words)
            late = self.start(server.url, queue, *options, agents=2)
            self.assertEqual(late.wait(), 2)
            self.assertIn("the load test 'strict' is finished", late.words)
            self.assertIn("DROP SCHEMA luath_strict CASCADE", late.words)

    def test_a_server_that_is_away_is_waited_for_without_showing_the_password(self):
        queue = "postgres://luath:hunter2@127.0.0.1:1/luath#away"
        agent = self.start("http://127.0.0.1:1/", queue, "--rate", "10")
        agent.says("does not respond; waiting for it")
        agent.process.send_signal(signal.SIGINT)
        agent.wait()
        self.assertNotIn("hunter2", agent.words)


if __name__ == "__main__":
    sys.exit(checks.run([Agents], "load-agents"))
