"""Merges pairs of accounts by `luath batch` on an emulator, and tells what was carried out: for tests that kill runs."""
import collections
import http.client
import json
import os
import subprocess
import tempfile
import threading
import time

from emulator import PATIENCE, program

PROJECT = "demo-luath"
API = f"/identitytoolkit.googleapis.com/v1/projects/{PROJECT}"
OWNER = {"Authorization": "Bearer owner", "Content-Type": "application/json"}
CHANGES = ("update", "batchCreate", "batchDelete", "delete")
FAULTS = [
    {"operation": "update", "drop": True, "rate": 0.01},
    {"operation": "update", "cutAfter": 20, "rate": 0.01},
    {"operation": "update", "error": "503", "rate": 0.01},
    {"operation": "update", "error": "QUOTA_EXCEEDED", "rate": 0.0004},
    {"operation": "update", "error": "RESOURCE_EXHAUSTED", "rate": 0.0002},
    {"operation": "lookup", "drop": True, "rate": 0.02},
    {"operation": "lookup", "error": "503", "rate": 0.02},
]
SCRIPT = """
local batch = require "luath.batch"
return batch.define {
  key = function(row) return row.loser end,
  plan = function(row) return batch.merge { survivor = row.survivor, loser = row.loser } end,
}
"""


class Gap(RuntimeError):
    """The emulator has forgotten calls before the log asked for them, so the run cannot be judged."""


def judged(run):
    """What a run gives whose log is complete: a busy machine may let the log come too late."""
    for _ in range(10):
        try:
            return run()
        except Gap as gap:
            print(f"run again: {gap}", flush=True)
    return run()


class Log(threading.Thread):
    """What the emulator says it carried out, as it happens.

    Its stream of events leaves some out when many come at once, so the log is asked for, faster than the
    emulator forgets.
    """

    def __init__(self, emulator):
        super().__init__(daemon=True)
        self.wire = http.client.HTTPConnection("127.0.0.1", emulator.port, timeout=PATIENCE)
        self.changed = threading.Condition()
        self.number = ask(emulator, "GET", "/emulator/v1/events?limit=1")["newest"]
        self.done = collections.Counter()
        self.calls = 0
        self.gap = False
        self.over = False
        self.start()

    def run(self):
        while not self.over:
            self.wire.request("GET", f"/emulator/v1/events?after={self.number}&limit=500")
            events = json.loads(self.wire.getresponse().read())["events"]
            for event in events:
                self.take(event)
            if len(events) < 100:
                time.sleep(0.025)
        self.wire.close()

    def take(self, event):
        with self.changed:
            self.gap |= event["number"] != self.number + 1
            self.number = event["number"]
            if event["operation"] in CHANGES and event["status"] == 200:
                self.done[json.dumps(event["request"], sort_keys=True)] += 1
                self.calls += 1
            self.changed.notify_all()

    def wait(self, until):
        """Waits until enough was carried out, or `until` says otherwise."""
        with self.changed:
            while not until(self):
                self.changed.wait(0.05)

    def finish(self, emulator):
        """Waits for everything that happened so far, and ends."""
        newest = ask(emulator, "GET", "/emulator/v1/events?limit=1")["newest"]
        with self.changed:
            come = self.changed.wait_for(lambda: self.number >= newest, PATIENCE)
        self.over = True
        self.join(PATIENCE)
        if not come:
            raise RuntimeError("the emulator's log did not come")
        if self.gap:
            raise Gap("the emulator's log has a gap")


def ask(emulator, method, path, body=None):
    wire = http.client.HTTPConnection("127.0.0.1", emulator.port, timeout=PATIENCE)
    try:
        wire.request(method, path, body and json.dumps(body), OWNER)
        answer = wire.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{method} {path}: {answer.status} {text[:200]}")
        return json.loads(text)
    finally:
        wire.close()


def people(rows):
    """Pairs of accounts: one with a password, one of Google with the same person behind it."""
    made = 1_700_000_000_000
    for n in range(rows):
        yield {
            "localId": f"kept{n}", "email": f"kept{n}@contoso.example", "emailVerified": True,
            "createdAt": str(made + n), "displayName": f"Person {n}",
            "providerUserInfo": [{"providerId": "microsoft.com", "rawId": f"ms{n}"}]}
        yield {
            "localId": f"lost{n}", "email": f"lost{n}@fabrikam.example", "createdAt": str(made - n),
            "customAttributes": '{"plan":"gold"}',
            "providerUserInfo": [
                {"providerId": "google.com", "rawId": f"g{n}", "displayName": f"Person {n}"}]}


def scratch():
    """A folder in memory where there is such a place: a killed process loses nothing that the system has."""
    memory = "/dev/shm"
    return tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None)


def write_input(folder, rows):
    (folder / "merge.lua").write_text(SCRIPT)
    (folder / "rows.csv").write_text(
        "survivor,loser\n" + "".join(f"kept{n},lost{n}\n" for n in range(rows)))


def reset(emulator, rows):
    ask(emulator, "DELETE", "/emulator/v1/faults")
    ask(emulator, "DELETE", f"/emulator/v1/projects/{PROJECT}/accounts")
    given = list(people(rows))
    for start in range(0, len(given), 1000):
        answer = ask(emulator, "POST", f"{API}/accounts:batchCreate", {"users": given[start:start + 1000]})
        if answer.get("error"):
            raise RuntimeError(f"the accounts could not be made: {answer['error'][:2]}")


def disturb(emulator, seed):
    """Makes answers go lost, be cut, and say that there is too much to do."""
    ask(emulator, "PUT", "/emulator/v1/faults", {"seed": seed, "faults": FAULTS})


def accounts(emulator):
    found, page = {}, ""
    while True:
        answer = ask(emulator, "GET", f"{API}/accounts:batchGet?maxResults=1000{page}")
        for user in answer.get("users", []):
            # When the account was imported, to the second: not of the run.
            user.pop("validSince", None)
            found[user["localId"]] = user
        if not answer.get("nextPageToken"):
            return found
        page = f"&nextPageToken={answer['nextPageToken']}"


class Runner:
    """One `luath batch` command, and what it says."""

    def __init__(self, emulator, folder, *arguments, target=True):
        self.name = f"luath batch {arguments[0]}"
        if target:
            arguments = [*arguments, "--target", f"emulator:{emulator.host}"]
        self.process = subprocess.Popen(
            [program(), "batch", *map(str, arguments)], cwd=folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "NO_COLOR": "1"})
        self.words = ""
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        self.words = self.process.stdout.read()

    def is_over(self):
        return self.process.poll() is not None

    def kill(self):
        """Kills it, unless it has ended well already; whether it had."""
        self.process.kill()
        return self.wait({0, -9}) == 0

    def wait(self, good):
        """Waits for its end, which must be one of the good ones."""
        status = self.process.wait(PATIENCE)
        self.reader.join(PATIENCE)
        self.process.stdout.close()
        if status not in good:
            raise RuntimeError(f"{self.name} ended with {status}:\n{self.words}")
        return status


def whole(emulator, folder, *arguments, target=True):
    """Runs a command to its end, which must be good; what it says."""
    runner = Runner(emulator, folder, *arguments, target=target)
    runner.wait({0})
    return runner.words


def forget_journal(folder):
    for file in [*folder.glob("plan.journal*"), *folder.glob("plan.ndjson.queue")]:
        file.unlink()


class Undisturbed:
    """What a run leaves that nothing disturbs, and the calls it makes."""

    def __init__(self, emulator, folder, rows):
        log = judged(lambda: self.run(emulator, folder, rows))
        self.accounts, self.calls = accounts(emulator), log.done
        if len(self.calls) < 3 * rows or log.calls != len(self.calls):
            raise RuntimeError(f"the run without faults made {log.calls} calls for {rows} rows")

    def run(self, emulator, folder, rows):
        reset(emulator, rows)
        forget_journal(folder)
        log = Log(emulator)
        whole(emulator, folder, "run", "plan.ndjson", "--execute")
        log.finish(emulator)
        return log

    def compare(self, number, emulator, log):
        """How many accounts a disturbed run has left otherwise, and how many calls it has made too many."""
        found = accounts(emulator)
        lost = sum(found.get(uid) != user for uid, user in self.accounts.items())
        lost += len(found.keys() - self.accounts.keys())
        doubled = sum(count - 1 for count in log.done.values()) + len(log.done.keys() - self.calls.keys())
        if lost or doubled:
            print(f"run {number}: {lost} accounts differ, {doubled} calls too many", flush=True)
        return lost, doubled
