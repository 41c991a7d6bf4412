"""Measures `luath test` and `luath load` against what else runs tests and makes load.

All ask one emulator under compatible rules, in turn within one run; it shares the processors with
whoever asks.
"""
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "emulator"), str(HERE / "load")]
import measure  # noqa: E402
import stalling  # noqa: E402
from emulator import Emulator  # noqa: E402

LUATH = HERE.parent / "luath"
JOURNEYS = HERE / "journeys"
COUNT, ROUNDS, SECONDS = 1000, 3, 5


def journeys(build):
    """A thousand journeys of four operations: luath test --jobs 1, busted and pytest."""
    times = {"luath": [], "busted": [], "pytest": []}
    with Emulator("--rules", "compatible", "--quiet") as emulator, tempfile.TemporaryDirectory() as folder:
        commands = {
            "luath": [LUATH, "test", JOURNEYS / "four_journey.lua", "--target", emulator.host],
            "busted": ["busted", JOURNEYS / "four_spec.lua"],
            # Debian's, whose packages the peers of the tests do not change.
            "pytest": ["/usr/bin/python3", "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider",
                       JOURNEYS / "test_four.py"],
        }
        for _ in range(ROUNDS):
            for name, command in commands.items():
                times[name].append(seconds(command, folder, EMULATOR=emulator.base))
    return [
        {
            "name": f"journeys.{peer}", "value": min(times[peer]) / min(times["luath"]),
            "median": statistics.median(times[peer]) / statistics.median(times["luath"]),
            "ours": min(times["luath"]), "peer": min(times[peer]), "measured": f"s for {COUNT} journeys",
            "rounds": ROUNDS,
        }
        for peer in ("busted", "pytest")
    ]


def overhead(build):
    """What a journey takes that does nothing, its fresh emulated project included."""
    file = JOURNEYS / "empty_journey.lua"
    with tempfile.TemporaryDirectory() as folder:
        values = []
        for _ in range(ROUNDS):
            one = seconds([LUATH, "test", file, "--name", "*the 1. time"], folder)
            values.append((seconds([LUATH, "test", file], folder) - one) * 1000 / (COUNT - 1))
    return [measure.plain("journeys.overhead", values, "ms a journey")]


def load(build):
    """Look-ups a second by `luath load` and by wrk, at 16 connections each."""
    ours, peer = [], []
    with Emulator("--rules", "compatible", "--quiet") as emulator, tempfile.TemporaryDirectory() as folder:
        request = measure.saved(folder, "lookup", measure.work(emulator)["lookup"])
        report = pathlib.Path(folder) / "load.json"
        for _ in range(ROUNDS):
            seconds(
                [LUATH, "load", HERE / "load/lookup_journey.lua", "--vus", measure.CONNECTIONS,
                 "--duration", f"{SECONDS}s", "--target", emulator.host, "--report", f"json:{report}"],
                folder)
            ours.append(json.loads(report.read_text())["requests"]["perSecond"])
            peer.append(measure.wrk(emulator.port, request)["rate"])
    return [{
        "name": "load.rate", "value": statistics.median(ours) / statistics.median(peer),
        "median": statistics.median(mine / theirs for mine, theirs in zip(ours, peer)),
        "ours": statistics.median(ours), "peer": statistics.median(peer),
        "measured": "requests a second", "rounds": ROUNDS,
    }]


def stall(build):
    """Percentiles from when requests were due, with a server that stalls, beside a scheduled client."""
    worst, pairs = [], []
    for _ in range(ROUNDS):
        with stalling.Server(stalling.STALL) as server:
            ours = stalling.open_load(LUATH, server.url, users=120)["journeys"]["latency"]
        with stalling.Server(stalling.STALL) as server:
            times = stalling.scheduled(server.port)
        both = [(ours[f"p{one}"], stalling.percentile(times, one)) for one in stalling.PERCENTILES]
        worst.append(max(abs(mine / theirs - 1) * 100 for mine, theirs in both))
        pairs.append(both[1])
    return [difference("load.stall", worst, pairs, "ms (p95)")]


def closed(build):
    """The median and p90 of requests that the server takes 50 ms for, beside wrk, at 16 connections each."""
    worst, pairs = [], []
    with stalling.Server(delay=0.05) as server:
        for _ in range(ROUNDS):
            ours = stalling.load(
                LUATH, server.url, "--vus", "16", "--duration", f"{SECONDS}s")["requests"]["latency"]
            done = subprocess.run(
                ["wrk", "--latency", "-t1", "-c16", f"-d{SECONDS}s", server.url],
                capture_output=True, text=True, check=True)
            peer = {
                percent: float(value) * {"us": 0.001, "ms": 1, "s": 1000}[unit]
                for percent, value, unit in re.findall(r"(\d+)%\s+([\d.]+)(us|ms|s)", done.stdout)
            }
            both = [(ours[f"p{one}"], peer[str(one)]) for one in (50, 90)]
            worst.append(max(abs(mine / theirs - 1) * 100 for mine, theirs in both))
            pairs.append(both[0])
    return [difference("load.closed", worst, pairs, "ms (p50)")]


def difference(name, worst, pairs, measured):
    """How far percentiles are apart: the round in which they are closest counts, which other load disturbed least."""
    best = worst.index(min(worst))
    return {
        "name": name, "value": worst[best], "median": statistics.median(worst),
        "ours": pairs[best][0], "peer": pairs[best][1], "measured": measured, "rounds": ROUNDS,
    }


MEASUREMENTS = {
    "journeys": journeys, "journeys-overhead": overhead, "load": load, "load-stall": stall,
    "load-closed": closed,
}


def seconds(command, folder, **environment):
    """How long a command takes, which must end well."""
    began = time.perf_counter()
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, timeout=600, cwd=folder,
        env={**os.environ, **environment})
    took = time.perf_counter() - began
    if done.returncode != 0:
        sys.exit(f"benchmarks: error: {command[0]} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return took
