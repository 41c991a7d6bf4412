"""Three processes share rows of few accounts by one journal in PostgreSQL; one of them is stopped for long.

Usage: python batch_accounts.py [ACCOUNTS [ROWS]]

Each row links another provider to one of ACCOUNTS accounts. One of the three `luath batch run --queue` is stopped by
SIGSTOP until the others have taken its rows over and ended, and goes on then. By the emulator's own log, every call
must have been carried out once, and the calls of each account one after the other, in the order of the rows. The
same holds for the undo by three processes, in the reverse order.
"""
import datetime
import json
import pathlib
import signal
import sys

from emulator import Emulator
from merging import API, Log, Runner, accounts, ask, scratch, whole
from postgres import Postgres

# How long the emulator waits before it answers a change, in milliseconds.
LATENCY = 10
SCRIPT = """
local batch = require "luath.batch"
return batch.define {
  key = "row",
  plan = function(row)
    return batch.link { uid = row.uid, providerId = "oidc.p" .. row.row, rawId = row.uid .. "-" .. row.row }
  end,
}
"""


def providers(user):
    return {identity["providerId"] for identity in user.get("providerUserInfo", [])}


class Order(Log):
    """The rows whose calls changed each account, in their order, with the times of the calls."""

    def __init__(self, emulator):
        # The log hides the names of providers in requests, so what a response has more or less tells the row.
        self.providers = {uid: providers(user) for uid, user in accounts(emulator).items()}
        self.calls_of = {}
        super().__init__(emulator)

    def take(self, event):
        if event["operation"] == "update" and event["status"] == 200:
            uid, found = event["localId"], providers(event["response"])
            changed = found ^ self.providers[uid]
            self.providers[uid] = found
            time = datetime.datetime.fromisoformat(event["time"].replace("Z", "+00:00"))
            row = int(changed.pop().removeprefix("oidc.p")) if len(changed) == 1 else None
            self.calls_of.setdefault(uid, []).append((row, time))
        super().take(event)

    def faults(self, is_reversed):
        """How many calls are not behind their predecessor of the same account, and how many began beside it."""
        disordered = overlapping = 0
        for calls in self.calls_of.values():
            if any(row is None for row, _ in calls):
                raise RuntimeError(f"calls that have changed nothing: {calls}")
            for (row, time), (next_row, next_time) in zip(calls, calls[1:]):
                disordered += (next_row > row) == is_reversed
                overlapping += next_time - time < datetime.timedelta(milliseconds=LATENCY - 1)
        return disordered, overlapping


def check(good, words):
    if not good:
        print(f"FAILED: {words}", flush=True)
    return not good


def check_log(log, emulator, rows, what, is_reversed=False):
    log.finish(emulator)
    disordered, overlapping = log.faults(is_reversed)
    return (check(log.calls == rows, f"{what}: {log.calls} calls for {rows} rows")
            + check(disordered == 0, f"{what}: {disordered} calls of an account not in the order of its rows")
            + check(overlapping == 0, f"{what}: {overlapping} calls of an account beside another one"))


def main():
    count, rows = (int(given) for given in (sys.argv[1:] + ["40", "800"][len(sys.argv) - 1:]))
    bad = 0
    with scratch() as name, Postgres() as server, Emulator("--rules", "production", "--quiet") as emulator:
        folder = pathlib.Path(name)
        (folder / "link.lua").write_text(SCRIPT)
        # Neighbouring rows have one account in common, as those of one customer in a file.
        uids = [f"a{row * count // rows if row % 2 else row % count}" for row in range(rows)]
        (folder / "rows.csv").write_text("row,uid\n" + "".join(f"{row},{uid}\n" for row, uid in enumerate(uids)))
        ask(emulator, "POST", f"{API}/accounts:batchCreate", {"users": [{"localId": f"a{n}"} for n in range(count)]})
        before = json.dumps(accounts(emulator), sort_keys=True)
        whole(emulator, folder, "plan", "link.lua", "--in", "rows.csv", "-o", "plan.ndjson")
        ask(emulator, "PUT", "/emulator/v1/faults", {"faults": [{"operation": "update", "latency": LATENCY}]})
        queue = server.url("accounts")

        def begin(command):
            return Runner(
                emulator, folder, command, "plan.ndjson", "--execute", "--queue", queue, "--concurrency", "8")

        log = Order(emulator)
        # The first process has rows of all accounts when the others come.
        frozen = begin("run")
        log.wait(lambda log: log.calls >= rows // 8 or frozen.is_over())
        team = [begin("run") for _ in range(2)]
        log.wait(lambda log: log.calls >= rows // 4 or frozen.is_over())
        frozen.process.send_signal(signal.SIGSTOP)
        for runner in team:
            runner.wait({0})
        frozen.process.send_signal(signal.SIGCONT)
        frozen.wait({0, 4})
        bad += check("others took the rows of this process over" in frozen.words, f"the stopped process said:\n{frozen.words}")
        bad += check_log(log, emulator, rows, "run")
        whole(emulator, folder, "verify", "plan.ndjson", "--queue", queue)
        bad += check(
            json.loads((folder / "plan.ndjson.queue").read_text())["journal"] == "accounts", "no marker names the queue")
        again = Runner(emulator, folder, "run", "plan.ndjson", "--execute")
        again.wait({2})
        bad += check("was run already, with --queue postgres://luath@" in again.words, f"a second record:\n{again.words}")

        log = Order(emulator)
        for runner in [begin("undo") for _ in range(3)]:
            runner.wait({0})
        bad += check_log(log, emulator, rows, "undo", is_reversed=True)
        bad += check(json.dumps(accounts(emulator), sort_keys=True) == before, "the undo has left accounts otherwise")
    print(f"{10 - bad} passed, {bad} failed")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
