"""Kills merging runs of `luath batch run` at random moments and looks whether anything is lost or done twice.

Usage: python batch_chaos.py [RUNS [ROWS [SEED]]]

Each run merges ROWS pairs of accounts on an emulator that loses and cuts answers, is overloaded (503) and
out of quota. It is killed by SIGKILL after a number of carried-out calls that the seed tells, and started again
with the same command, until it ends by itself. Then all accounts must be as a run without any of that
leaves them, and the emulator must have carried every call out exactly once, by its own log.

Before that: what only shows what it would do changes nothing, and an undo, killed in the same way, brings an export
back byte for byte.
"""
import collections
import http.client
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

from emulator import PATIENCE, Emulator, program

PROJECT = "demo-luath"
API = f"/identitytoolkit.googleapis.com/v1/projects/{PROJECT}"
OWNER = {"Authorization": "Bearer owner", "Content-Type": "application/json"}
CHANGES = ("update", "batchCreate", "batchDelete", "delete")
FAULTS = [
    {"operation": "update", "drop": True, "rate": 0.01},
    {"operation": "update", "cutAfter": 20, "rate": 0.01},
    {"operation": "update", "error": "503", "rate": 0.01},
    {"operation": "update", "error": "QUOTA_EXCEEDED", "rate": 0.0005},
    {"operation": "update", "error": "RESOURCE_EXHAUSTED", "rate": 0.0003},
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
                time.sleep(0.01)
        self.wire.close()

    def stop(self):
        self.over = True
        self.join(PATIENCE)

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

    def catch_up(self, emulator):
        """Waits for everything that happened so far."""
        newest = ask(emulator, "GET", "/emulator/v1/events?limit=1")["newest"]
        with self.changed:
            if not self.changed.wait_for(lambda: self.number >= newest, PATIENCE):
                raise RuntimeError("the emulator's log did not come")


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


def reset(emulator, rows):
    ask(emulator, "DELETE", "/emulator/v1/faults")
    ask(emulator, "DELETE", f"/emulator/v1/projects/{PROJECT}/accounts")
    accounts = list(people(rows))
    for start in range(0, len(accounts), 1000):
        answer = ask(
            emulator, "POST", f"{API}/accounts:batchCreate", {"users": accounts[start:start + 1000]})
        if answer.get("error"):
            raise RuntimeError(f"the accounts could not be made: {answer['error'][:2]}")


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


def runner(emulator, folder, *arguments):
    return subprocess.Popen(
        [program(), "batch", *map(str, arguments), "--target", f"emulator:{emulator.host}"],
        cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, env={**os.environ, "NO_COLOR": "1"})


def whole(emulator, folder, *arguments):
    process = runner(emulator, folder, *arguments)
    words, _ = process.communicate(timeout=PATIENCE)
    if process.returncode != 0:
        raise RuntimeError(f"luath batch {arguments[0]} ended with {process.returncode}:\n{words}")
    return words


def forget_journal(folder):
    for file in folder.glob("plan.journal*"):
        file.unlink()


def killed(emulator, folder, log, chance, calls, command="run"):
    """One run, killed again and again; how often."""
    kills = 0
    while True:
        process = runner(emulator, folder, command, "plan.ndjson", "--execute", "--concurrency", "32")
        reader = threading.Thread(target=process.stdout.read, daemon=True)
        reader.start()
        goal = log.calls + chance.randrange(1, max(2, calls // 3))
        log.wait(lambda log: log.calls >= goal or process.poll() is not None)
        process.kill()
        status = process.wait(PATIENCE)
        reader.join(PATIENCE)
        process.stdout.close()
        if status == 0:
            return kills
        if status != -9:
            raise RuntimeError(f"a run ended with {status}")
        kills += 1


def export(emulator):
    """All accounts as bytes, in their order and with their members in order."""
    return json.dumps(accounts(emulator)).encode()


def check(good, words):
    if not good:
        print(f"FAILED: {words}", flush=True)
    return good


def main():
    runs, rows, seed = (int(given) for given in (sys.argv[1:] + ["10", "2000", "1"][len(sys.argv) - 1:]))
    chance = random.Random(seed)
    lost = doubled = kills = 0
    with tempfile.TemporaryDirectory() as name, \
            Emulator("--rules", "production", "--quiet") as emulator:
        folder = pathlib.Path(name)
        (folder / "merge.lua").write_text(SCRIPT)
        (folder / "rows.csv").write_text(
            "survivor,loser\n" + "".join(f"kept{n},lost{n}\n" for n in range(rows)))
        reset(emulator, rows)
        before = export(emulator)
        whole(emulator, folder, "plan", "merge.lua", "--in", "rows.csv", "-o", "plan.ndjson")
        whole(emulator, folder, "run", "plan.ndjson")
        good = check(export(emulator) == before, "a plan or its preview has changed accounts")
        log = Log(emulator)
        whole(emulator, folder, "run", "plan.ndjson", "--execute")
        log.catch_up(emulator)
        log.stop()
        wanted, calls = accounts(emulator), dict(log.done)
        if len(calls) < 3 * rows or log.gap:
            raise RuntimeError(
                f"the run without faults made {len(calls)} calls for {rows} rows{log.gap and '; the log has a gap'}")
        whole(emulator, folder, "undo", "plan.ndjson")
        good &= check(accounts(emulator) == wanted, "the preview of an undo has changed accounts")
        log = Log(emulator)
        ask(emulator, "PUT", "/emulator/v1/faults", {"seed": seed, "faults": FAULTS})
        kills += killed(emulator, folder, log, chance, len(calls), "undo")
        log.catch_up(emulator)
        log.stop()
        ask(emulator, "DELETE", "/emulator/v1/faults")
        good &= check(export(emulator) == before, "an undo did not bring every account back")
        good &= check(
            not log.gap and set(log.done.values()) == {1} and len(log.done) == len(calls),
            f"an undo took {log.calls} calls for {len(calls)}")
        whole(emulator, folder, "verify", "plan.ndjson")
        for number in range(1, runs + 1):
            reset(emulator, rows)
            forget_journal(folder)
            log = Log(emulator)
            ask(emulator, "PUT", "/emulator/v1/faults", {"seed": seed + number, "faults": FAULTS})
            kills += killed(emulator, folder, log, chance, len(calls))
            log.catch_up(emulator)
            log.stop()
            ask(emulator, "DELETE", "/emulator/v1/faults")
            found = accounts(emulator)
            here = sum(found.get(uid) != user for uid, user in wanted.items()) + len(found) - len(wanted)
            twice = sum(count - 1 for count in log.done.values()) + len(set(log.done) - set(calls))
            if log.gap:
                raise RuntimeError("the emulator's log has a gap")
            whole(emulator, folder, "verify", "plan.ndjson")
            if here or twice:
                print(f"run {number}: {here} accounts differ, {twice} calls too many", flush=True)
            lost += here
            doubled += twice
    print(f"{kills} kills", flush=True)
    print(f"{runs} runs, {lost} lost, {doubled} doubled", flush=True)
    bad = lost + doubled + (kills < runs) + (not good)
    print(f"{2 * runs + 4 - min(bad, 2 * runs + 4)} passed, {bad} failed")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
