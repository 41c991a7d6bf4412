"""Celery carries out a plan by `luath batch work`, while its workers and those of luath are killed.

Usage: python batch_engine.py [ACCOUNTS [KILLS [SEED]]]

The tasks are those of docs/guides/engines/celery_luath.py, with Debian's Redis as the broker. Three rows for each of
ACCOUNTS accounts merge another account into it, set its name, and call a custom operation, which has no isDone. The
emulator loses and cuts answers and is overloaded. Processes die by SIGKILL at moments and in ways that the seed tells:
a Celery worker, its luath, or both, and one message is lost. Then:

- all accounts are as a run of `luath batch run` leaves them that nothing disturbs,
- by the emulator's own log, every call was carried out exactly once,
- no custom operation was called twice, and each row that is not done is `inDoubt`,
- every line in both directions is valid by docs/guides/engines/work-protocol.schema.json,
- an undo through luath batch work brings the accounts back,
- a worker that was stopped makes no call behind an acknowledgement if its pipes are closed meanwhile,
- it holds the lock of its group until it has ended, even if the engine is killed.

The activity of docs/guides/engines/temporal_luath.py carries one group out in Temporal's ActivityEnvironment, and
kubernetes.yaml is parsed.
"""
import collections
import contextlib
import http.server
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import jsonschema
import redis
import yaml
from temporalio.testing import ActivityEnvironment

from emulator import PATIENCE, ROOT, Emulator, program
from merging import Log, Undisturbed, accounts, ask, disturb, reset, scratch, whole

ENGINES = ROOT / "docs/guides/engines"
sys.path.insert(0, str(ENGINES))
import temporal_luath  # noqa: E402
from journal import Journal  # noqa: E402
from worker import Worker  # noqa: E402

WORKERS = 3
# When the message of a dead worker may be delivered again, in seconds; a new worker of Celery does it when it starts.
REDELIVERY = 3
SCRIPT = """
local batch, http = require "luath.batch", require "luath.http"
return batch.define {
  key = "row",
  operations = { tell = { run = function(op) http.post("http://127.0.0.1:%d/" .. op.uid) end } },
  plan = function(row, accounts)
    if row.kind == "merge" then return batch.merge { survivor = row.uid, loser = row.loser } end
    if row.kind == "tell" then return batch.operation("tell", { uid = row.uid }) end
    -- An identity that the merge adds: the row depends on the row before it.
    local account = accounts:byUID(row.uid)
    return batch.update { uid = row.uid, displayName = "One of " .. #account.providerData }
  end,
}
"""


class Counter:
    """A server that counts the calls of custom operations, and answers late."""

    def __init__(self):
        self.calls = collections.Counter()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(handler):
                self.calls[handler.path] += 1
                time.sleep(0.02)
                handler.send_response(200)
                handler.send_header("Content-Length", "0")
                handler.end_headers()

            def log_message(handler, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            # Each call comes with a connection of its own; one that finds no room is tried again after seconds.
            request_queue_size = 256

        self.server = Server(("127.0.0.1", 0), Handler)
        # A client that is killed is no error.
        self.server.handle_error = lambda *_: None
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


class Redis:
    """A server of Debian's package at a socket in a folder, from `with` to the end of it."""

    def __init__(self, folder):
        if not shutil.which("redis-server"):
            raise RuntimeError("Debian's package redis-server is missing: make setup-tests")
        self.path = str(folder / "redis")
        self.process = subprocess.Popen(
            ["redis-server", "--port", "0", "--unixsocket", self.path, "--save", "", "--dir", str(folder)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in self.process.stdout:
            if "ready to accept connections" in line.lower():
                break
        else:
            raise RuntimeError("redis-server did not start")
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(PATIENCE)


class Engine:
    """Celery's workers for one plan."""

    def __init__(self, folder, host, broker):
        self.folder, self.broker = folder, broker
        self.command = [
            program(), "batch", "work", "--execute", "--target", f"emulator:{host}", "--heartbeat", "10ms"]
        self.environment = {
            **os.environ, "PYTHONPATH": str(ENGINES), "NO_COLOR": "1",
            "LUATH_BROKER": f"redis+socket://{broker}", "LUATH_JOURNAL": str(folder / "engine.sqlite"),
            "LUATH_COMMAND": " ".join(self.command), "LUATH_REDELIVERY": str(REDELIVERY),
            # Celery warns of the user root at each start.
            "PYTHONWARNINGS": "ignore"}
        # For what is done in this process.
        os.environ |= {name: self.environment[name] for name in ("LUATH_JOURNAL", "LUATH_COMMAND")}
        self.count = 0
        self.workers = []
        self.log = open(folder / "celery.log", "ab")

    def send(self):
        subprocess.run([sys.executable, str(ENGINES / "celery_luath.py"), "tasks.ndjson"], cwd=self.folder,
                       env=self.environment, check=True, timeout=PATIENCE)

    def lose(self):
        """Removes a message, as Celery does when it is killed between taking one and noting that it has it."""
        with redis.Redis(unix_socket_path=self.broker) as client:
            return client.lpop("celery") is not None

    def start(self):
        """A worker in a process group of its own, with all that it starts."""
        self.count += 1
        self.workers.append(subprocess.Popen(
            [sys.executable, "-m", "celery", "--app", "celery_luath", "--quiet", "worker", "--pool", "solo",
             "--hostname", f"w{self.count}@test", "--without-gossip", "--without-mingle", "--without-heartbeat"],
            cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            start_new_session=True))

    def kill(self, chance, killed):
        """Kills a worker, its luath or both, and starts what is missing; what was killed."""
        worker = chance.choice(self.workers)
        ways = ("engine", "luath", "both")
        # Those first that have not come yet: all are checked for in the end.
        what = chance.choice([way for way in ways if not killed[way]] or ways)
        if what == "luath":
            children = pathlib.Path(f"/proc/{worker.pid}/task/{worker.pid}/children").read_text().split()
            for child in children:
                # It may end by itself meanwhile.
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(child), signal.SIGKILL)
            return what if children else None
        if what == "both":
            os.killpg(worker.pid, signal.SIGKILL)
        else:
            worker.kill()
        worker.wait(PATIENCE)
        self.workers.remove(worker)
        self.start()
        return what

    def renew(self):
        """Replaces the oldest worker."""
        worker = self.workers.pop(0)
        worker.terminate()
        worker.wait(PATIENCE)
        self.start()

    def stop(self):
        for worker in self.workers:
            worker.terminate()
        for worker in self.workers:
            worker.wait(PATIENCE)
        self.log.close()


class TappedWorker(Worker):
    """A worker whose lines are checked in both directions."""

    def __init__(self, schema, command, hello):
        self.schema, self.faults = schema, []
        super().__init__(command, hello)

    def send(self, line):
        self.check(line, "toWorker")
        super().send(line)

    def receive(self):
        line = super().receive()
        self.check(line, "fromWorker")
        return line

    def check(self, line, direction):
        self.faults += faults(self.schema, line, direction)


def faults(schema, line, direction):
    validator = jsonschema.Draft202012Validator({**schema, "$ref": f"#/$defs/{direction}"})
    return [f"{line}: {error.message}" for error in validator.iter_errors(line)]


def check(good, words):
    if not good:
        print(f"FAILED: {words}", flush=True)
    return not good


def write_input(folder, count, port):
    (folder / "steps.lua").write_text(SCRIPT % port)
    with open(folder / "rows.csv", "w", encoding="ascii") as file:
        file.write("row,kind,uid,loser\n")
        kinds = ("merge", "name", "tell")
        for number in range(3 * count):
            # The three rows of an account are far from each other.
            kind, n = kinds[number // count], number % count
            file.write(f"{number},{kind},kept{n},lost{n}\n")


def disturbed(engine, log, journal, chance, kills, rows):
    """Kills processes while the rows are carried out; how many of each kind, and the ends of the rows."""
    killed, waits = collections.Counter(), 0
    deadline = time.monotonic() + PATIENCE
    for _ in range(WORKERS):
        engine.start()
    while True:
        ends = {row: end for row in range(1, rows + 1) if (end := journal.end(row))}
        if len(ends) == rows or time.monotonic() > deadline:
            break
        before, idle = log.calls, time.monotonic() + REDELIVERY + 1
        goal = before + chance.randrange(1, 4 * rows // 3 // kills)
        log.wait(lambda log: log.calls >= goal or time.monotonic() > idle)
        if log.calls > before:
            deadline = time.monotonic() + PATIENCE
            waits = 0
        if log.calls == before:
            waits += 1
            # Messages of dead workers are left, or lost if a new worker does not receive them either.
            engine.renew()
            if waits > 1:
                engine.send()
        elif sum(killed.values()) < kills and (what := engine.kill(chance, killed)):
            killed[what] += 1
    return killed, ends


def by_temporal(journal):
    """Carries a group out as an activity of Temporal; what is wrong with that."""
    (group,) = journal.base.execute("SELECT team FROM tasks WHERE row = 1").fetchone()
    beats = []
    environment = ActivityEnvironment()
    environment.on_heartbeat = lambda *details: beats.append(details)
    environment.run(temporal_luath.carry_out_group, group)
    open_rows = [task["row"] for task in journal.tasks(group) if journal.end(task["row"]) is None]
    return check(not open_rows and beats, f"an activity left {open_rows}, with {len(beats)} heartbeats")


def fenced(command, hello, task):
    """Stops a worker at its intent, acknowledges, closes pipes, and lets it go on; how many of them went wrong."""
    bad = 0
    for closed in (("stdin",), ("stdout",), ("stdin", "stdout")):
        worker = Worker(command, hello)
        worker.send({**task, "records": []})
        while (line := worker.receive())["type"] != "intent":
            pass
        worker.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, worker.process.pid, os.WSTOPPED)
        worker.send({"type": "ack", "seq": line["seq"]})
        for name in closed:
            getattr(worker.process, name).close()
        worker.process.send_signal(signal.SIGCONT)
        # A worker that goes on for ever fails the check instead of stopping this test.
        killer = threading.Timer(PATIENCE, worker.process.kill)
        killer.start()
        if "stdout" not in closed:
            worker.process.stdout.read()
        killer.cancel()
        bad += check(worker.process.wait(PATIENCE) == 4, f"a worker goes on without {closed}")
        worker.__exit__()
    return bad


def holds_lock(journal, command, hello, group):
    """What is wrong with the lock of a group of which only luath is left."""
    with journal.lock(group) as file:
        worker = Worker(command, hello, keep=[file.fileno()])
    with journal.lock(group) as file:
        bad = check(file is None, "luath does not hold the lock of its group")
    worker.__exit__()
    with journal.lock(group) as file:
        return bad + check(file is not None, "the lock of a group outlives luath")


def statuses(command):
    """What the command of a pod makes of luath's exit codes."""
    # The folder of `scratch` may allow no programs.
    with tempfile.TemporaryDirectory() as name:
        luath = pathlib.Path(name) / "luath"
        luath.write_text("#!/bin/sh\nexit $CODE\n")
        luath.chmod(0o755)
        return [subprocess.run(["sh", "-c", command], env={
            "PATH": f"{name}:/usr/bin:/bin", "CODE": str(code), "JOB_COMPLETION_INDEX": "0"}).returncode
            for code in (0, 1, 5, 130)]


def kubernetes():
    """What is wrong with the job of kubernetes.yaml."""
    job = yaml.safe_load((ENGINES / "kubernetes.yaml").read_text())["spec"]
    pod = job["template"]["spec"]
    command = pod["containers"][0]["command"][-1]
    mounts = {mount["name"] for mount in pod["containers"][0]["volumeMounts"]}
    return check(
        job["completionMode"] == "Indexed" and f'+1))/{job["completions"]}"' in command
        and mounts == {volume["name"] for volume in pod["volumes"]} and pod["restartPolicy"] == "Never"
        and pod["volumes"][1]["secret"]["defaultMode"] == 0o440,
        "the parts, volumes or restarts of kubernetes.yaml do not fit") + check(
        statuses(command) == [0, 1, 0, 130], "a part without rows fails")


def main():
    count, kills, seed = (int(given) for given in (sys.argv[1:] + ["120", "15", "1"][len(sys.argv) - 1:]))
    bad, rows = kubernetes(), 3 * count
    schema = json.loads((ENGINES / "work-protocol.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    with scratch() as name, Emulator("--rules", "production", "--quiet") as emulator:
        folder = pathlib.Path(name)
        counter = Counter()
        write_input(folder, count, counter.port)
        reset(emulator, count)
        before = json.dumps(accounts(emulator), sort_keys=True)
        whole(emulator, folder, "plan", "steps.lua", "--in", "rows.csv", "-o", "plan.ndjson")
        wanted = Undisturbed(emulator, folder, count)
        reset(emulator, count)
        counter.calls.clear()
        whole(emulator, folder, "tasks", "plan.ndjson", "-o", "tasks.ndjson", target=False)
        # The script of the plan is here.
        os.chdir(folder)
        with Redis(folder) as broker:
            engine = Engine(folder, emulator.host, broker.path)
            began = time.monotonic()
            engine.send()
            bad += check(engine.lose(), "the queue is empty")
            journal, log = Journal(), Log(emulator)
            bad += by_temporal(journal)
            disturb(emulator, seed)
            try:
                killed, ends = disturbed(engine, log, journal, random.Random(seed), kills, rows)
            finally:
                engine.stop()
            log.finish(emulator)
            ask(emulator, "DELETE", "/emulator/v1/faults")
            print(f"{sum(killed.values())} kills {dict(killed)}, {time.monotonic() - began:.0f} s", flush=True)
            unfinished = check(len(ends) == rows, f"{rows - len(ends)} rows have not ended, seed {seed}")
            bad += unfinished
            if unfinished:
                for row in range(1, rows + 1):
                    if row not in ends:
                        print(f"row {row}:", *journal.records(row), sep="\n  ")
                print((folder / "celery.log").read_text()[-5000:])
                sys.exit(1)
        lost, doubled = wanted.compare(seed, emulator, log)
        bad += check(not lost, f"{lost} accounts are lost or changed otherwise, seed {seed}")
        bad += check(not doubled, f"{doubled} calls were carried out twice, seed {seed}")
        twice = [path for path, calls in counter.calls.items() if calls > 1]
        bad += check(not twice, f"custom operations were called twice: {twice}, seed {seed}")
        others = {row: end for row, end in ends.items() if end["state"] != "done"}
        uncertain = [row for row, end in others.items() if row > 2 * count and end["fault"]["code"] == "inDoubt"]
        print(f"{rows} rows, {lost} lost, {doubled} doubled, {len(uncertain)} in doubt", flush=True)
        bad += check(len(uncertain) == len(others), f"rows have failed otherwise: {others}, seed {seed}")
        missing = count - len(counter.calls)
        bad += check(missing <= len(uncertain), f"{missing} custom operations were not called, {len(uncertain)} in doubt")
        bad += check(all(killed[what] for what in ("engine", "luath", "both")), f"kills of one kind only: {killed}")
        # The undo, of rows in the reverse order, by one worker.
        tasks = {task["row"]: task for line in open(folder / "tasks.ndjson", encoding="utf-8")
                 if "row" in (task := json.loads(line))}
        with TappedWorker(schema, [*engine.command, "--undo"], journal.hello()) as worker:
            undone = []
            for row in sorted(tasks, reverse=True):
                if row <= 2 * count:
                    records = journal.records(row)
                    worker.faults += [fault for line in records for fault in faults(schema, line, "record")]
                    end = worker.carry_out(tasks[row], [], undone.append, made=records)
                    if end["state"] != "done":
                        worker.faults.append(f"row {row} is not undone: {end}")
            worker.send({"type": "finish"})
        bad += check(not worker.faults, f"lines are not of the schema, or rows not undone: {worker.faults[:5]}")
        bad += check(json.dumps(accounts(emulator), sort_keys=True) == before, "the undo has left accounts otherwise")
        bad += fenced(engine.command, journal.hello(), tasks[1])
        bad += check(json.dumps(accounts(emulator), sort_keys=True) == before, "a worker without pipes made a call")
        bad += holds_lock(journal, engine.command, journal.hello(), tasks[1]["group"])
        refused = [line for line in ({"type": "intent"}, {"type": "row", "row": 1, "plan": {}}, {"type": "ack"})
                   if not faults(schema, line, "toWorker")]
        bad += check(not refused, f"the schema allows {refused}")
    print(f"{20 - bad} passed, {bad} failed")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
