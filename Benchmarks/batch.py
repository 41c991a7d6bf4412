"""Measures `luath batch`: planning a million rows, and carrying a plan out against the usual way.

The usual way is a loop over Python's firebase-admin with a pool of 32 threads, on the same emulator.
"""
import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "emulator"))
import measure  # noqa: E402
from emulator import Connection, Emulator  # noqa: E402

LUATH = HERE.parent / "luath"
PYTHON = HERE.parent / ".build-peers/venv/bin/python"
SCRIPT = HERE / "batch/link.lua"
OWNER = {"Authorization": "Bearer owner"}
PLANNED, LATENCY, IN_FLIGHT, ROUNDS = 1_000_000, 20, 64, 3
# Long enough that starting and ending do not count: a migration takes minutes or hours.
LINKED = 30_000


def plan(build):
    """A million rows of CSV, each planned by the script and looked up in an export of a million accounts."""
    with tempfile.TemporaryDirectory() as name, Emulator("--rules", "compatible", "--quiet") as emulator:
        folder = pathlib.Path(name)
        rows(folder, PLANNED)
        accounts = export(folder, PLANNED)
        took, used = [], []
        for _ in range(2):
            began = time.perf_counter()
            used.append(planned(emulator, folder, "--accounts", accounts))
            took.append(time.perf_counter() - began)
    return [
        {"name": "batch.plan.rate", "value": PLANNED / min(took),
         "median": PLANNED / statistics.median(took), "ours": min(took),
         "measured": f"s for {PLANNED} rows", "rounds": len(took)},
        measure.plain("batch.plan.memory", [max(used) / 1024], "MB"),
    ]


def run(build):
    """A link for each row: as fast as the latency allows, without latency, and the usual way."""
    ours, peer, late, floor, bare = [], [], [], [], []
    with tempfile.TemporaryDirectory() as name, Emulator("--rules", "compatible", "--quiet") as emulator:
        folder = pathlib.Path(name)
        rows(folder, LINKED)
        people(emulator, LINKED)
        planned(emulator, folder)
        request = links(folder, LINKED)
        for _ in range(ROUNDS):
            people(emulator, LINKED)
            ours.append(linked(emulator, folder))
            people(emulator, LINKED)
            peer.append(usual(emulator, folder))
            # Memory that no disk must confirm is what a journal would cost at least.
            for journal, times in ((folder / "plan.journal", late), (memory(), floor)):
                people(emulator, LINKED)
                latency(emulator, LATENCY)
                times.append(linked(emulator, folder, journal))
                latency(emulator, 0)
            latency(emulator, LATENCY)
            bare.append(measure.wrk(emulator.port, request, "Bearer owner", IN_FLIGHT)["rate"])
            latency(emulator, 0)
    # Nobody is faster than the latency allows, nor than the emulator answers whoever keeps no record.
    ideal = min(1000 / LATENCY * IN_FLIGHT, max(bare))
    return [
        {"name": "batch.run.ideal", "value": LINKED / min(late) / ideal,
         "median": LINKED / statistics.median(late) / ideal, "ours": LINKED / min(late), "peer": ideal,
         "measured": "operations a second", "rounds": ROUNDS},
        {"name": "batch.run.journal", "value": max(0, 1 - min(floor) / min(late)),
         "median": max(0, 1 - statistics.median(floor) / statistics.median(late)), "ours": min(late),
         "peer": min(floor), "measured": f"s for {LINKED} links", "rounds": ROUNDS},
        {"name": "batch.run.usual", "value": min(peer) / min(ours),
         "median": statistics.median(peer) / statistics.median(ours), "ours": min(ours),
         "peer": min(peer), "measured": f"s for {LINKED} links", "rounds": ROUNDS},
    ]


def load(build):
    """A million rows into a new journal: the run ends with the first rows, whose accounts are not there."""
    with tempfile.TemporaryDirectory() as name, Emulator("--rules", "compatible", "--quiet") as emulator:
        folder = pathlib.Path(name)
        rows(folder, PLANNED)
        planned(emulator, folder, "--accounts", export(folder, PLANNED))
        took, used = measured(
            [LUATH, "batch", "run", folder / "plan.ndjson", "--execute", "--max-errors", "1",
             "--target", f"emulator:{emulator.host}"], folder, expected=1)
    return [
        {"name": "batch.load.rate", "value": PLANNED / took, "median": PLANNED / took,
         "ours": took, "measured": f"s for {PLANNED} rows", "rounds": 1},
        measure.plain("batch.load.memory", [used / 1024], "MB"),
    ]


def rows(folder, count):
    with open(folder / "rows.csv", "w") as file:
        file.write("uid,microsoft_id,name,team\n")
        for n in range(count):
            file.write(f"user{n},ms-{n},Person {n},team {n % 100}\n")


def links(folder, count):
    """The same links as requests for wrk."""
    bodies = [
        json.dumps({
            "localId": f"user{n}",
            "linkProviderUserInfo": {"providerId": "microsoft.com", "rawId": f"ms-{n}"}})
        for n in range(count)]
    path = f"{measure.V1}/projects/{measure.PROJECT}/accounts:update"
    return measure.saved(folder, "links", (path, measure.JSON, bodies))


def export(folder, count):
    """An export of as many accounts."""
    with open(folder / "accounts.json", "w") as file:
        file.write('{"users": [')
        for n in range(count):
            file.write(("," if n else "") + f'\n{{"localId":"user{n}","email":"user{n}@contoso.example"}}')
        file.write("\n]}\n")
    return folder / "accounts.json"


def people(emulator, count):
    """As many accounts, each new."""
    with contextlib.closing(Connection(emulator.port)) as http:
        http.send("DELETE", f"/emulator/v1/projects/{measure.PROJECT}/accounts", headers=OWNER)
        for start in range(0, count, 1000):
            users = [
                {"localId": f"user{n}", "email": f"user{n}@contoso.example"}
                for n in range(start, min(count, start + 1000))]
            http.admin(measure.PROJECT, "accounts:batchCreate", {"users": users})


def latency(emulator, milliseconds):
    faults = [{"latency": milliseconds}] if milliseconds else []
    with contextlib.closing(Connection(emulator.port)) as http:
        http.send("PUT", "/emulator/v1/faults", {"faults": faults}, OWNER)


def planned(emulator, folder, *options):
    """Plans the rows; the most memory that took, in KiB."""
    return measured(
        [LUATH, "batch", "plan", SCRIPT, "--in", folder / "rows.csv", "-o", folder / "plan.ndjson",
         "--target", f"emulator:{emulator.host}", *options], folder)[1]


def measured(command, folder, expected=0):
    """How long a command takes, and the most memory it had, in KiB."""
    file = folder / "memory"
    took = seconds(["/usr/bin/time", "-f", "%M", "-o", file, *command], folder, expected)
    return took, int(file.read_text().split()[-1])


def memory():
    return pathlib.Path("/dev/shm") / f"luath-benchmark-{os.getpid()}.journal"


def linked(emulator, folder, journal=None):
    """How long the run takes, its journal anew."""
    journal = journal or folder / "plan.journal"
    try:
        return seconds(
            [LUATH, "batch", "run", folder / "plan.ndjson", "--execute", "--journal", journal,
             "--concurrency", str(IN_FLIGHT), "--target", f"emulator:{emulator.host}"], folder)
    finally:
        for file in journal.parent.glob(f"{journal.name}*"):
            file.unlink()


def usual(emulator, folder):
    return seconds(
        [PYTHON, HERE / "batch/usual.py", folder / "rows.csv"], folder,
        FIREBASE_AUTH_EMULATOR_HOST=emulator.host, GOOGLE_CLOUD_PROJECT=measure.PROJECT)


def seconds(command, folder, expected=0, **environment):
    began = time.perf_counter()
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, timeout=900, cwd=folder,
        env={**os.environ, **environment})
    took = time.perf_counter() - began
    if done.returncode != expected:
        sys.exit(f"benchmarks: error: {command[0]} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return took


MEASUREMENTS = {"batch-plan": plan, "batch-load": load, "batch-run": run}
