"""Three processes merge accounts by one journal in PostgreSQL; they are killed, and so is the server.

Usage: python batch_chaos_postgres.py [RUNS [ROWS [SEED]]]

Each run merges ROWS pairs of accounts on an emulator that loses and cuts answers, is overloaded (503) and out of
quota. After numbers of carried-out calls that the seed tells, one of the three `luath batch run --queue` is killed
by SIGKILL, another one begins in its place, the server is restarted as after a crash, and all are told to end by
`luath batch ctl --queue` and begin again. In the end all accounts must be as a run without any of that leaves them,
the emulator must have carried every call out exactly once, by its own log, and each process must have said how far
the whole run came and what it did of it itself.
"""
import itertools
import pathlib
import random
import re
import sys
from functools import partial

from emulator import Emulator
from merging import (
    Log, Runner, Undisturbed, ask, disturb, forget_journal, judged, reset, scratch, whole, write_input)
from postgres import Postgres

TEAM = 3
# What a process answers that loses the server while it begins; once it works, it waits for it.
AWAY = 4


class Together:
    """A run by several processes, and what happens to them."""

    def __init__(self, emulator, folder, server, queue, rows, chance, calls, log):
        self.emulator, self.folder, self.queue = emulator, folder, queue
        self.server, self.chance, self.calls, self.log = server, chance, calls, log
        self.kills = self.restarts = self.drained = 0
        self.rows = rows
        self.team = [self.begin() for _ in range(TEAM)]
        # What happens after how many calls.
        self.plans = [
            (chance.randrange(calls // 8, calls // 3), self.kill),
            (chance.randrange(calls // 3, calls * 2 // 3), self.restart),
            (chance.randrange(calls // 3, calls * 2 // 3), self.drain),
            (chance.randrange(calls // 2, calls * 7 // 8), self.kill)]

    def begin(self):
        return Runner(
            self.emulator, self.folder, "run", "plan.ndjson", "--execute", "--concurrency", "16",
            "--queue", self.queue)

    def kill(self, now):
        """Kills one of them, in whose place another one begins after some further calls."""
        victim = self.chance.choice(self.team)
        victim.process.kill()
        if victim.wait({0, -9, AWAY}) == 0:
            return
        self.team.remove(victim)
        self.kills += 1
        self.plans.append((now + self.chance.randrange(1, self.calls // 10), self.replace))

    def replace(self, _):
        self.team.append(self.begin())

    def again(self, runner):
        """Begins again for one that was beginning when the server went away, as that one said."""
        if "cannot be used" not in runner.words and "run the same command again" not in runner.words:
            raise RuntimeError(f"a process ended with {AWAY}:\n{runner.words}")
        runner = self.begin()
        runner.wait({0})
        return runner

    def restart(self, _):
        self.server.restart()
        self.restarts += 1

    def drain(self, _):
        """Tells all of them to end, from a place where none of them runs, and begins anew."""
        whole(self.emulator, self.folder, "ctl", "plan.ndjson", "drain", "--queue", self.queue, target=False)
        for runner in self.team:
            self.drained += runner.wait({0, 130, AWAY}) == 130
        self.team = [self.begin() for _ in range(TEAM)]

    def run(self):
        """Works until all is done; whether they have said so."""
        while True:
            due = min((calls for calls, _ in self.plans), default=None)
            self.log.wait(lambda log: due is not None and log.calls >= due
                          or all(runner.is_over() for runner in self.team))
            if due is None or self.log.calls < due:
                break
            plan = min(self.plans, key=lambda plan: plan[0])
            self.plans.remove(plan)
            plan[1](self.log.calls)
        good = True
        for runner in self.team:
            if runner.wait({0, AWAY}) == AWAY:
                runner = self.again(runner)
            said = re.search(
                r"^rows: (\d+) done\nsteps: .*\nof these by this process: (\d+) rows?, steps: ", runner.words, re.M)
            if not said or int(said[1]) != self.rows or int(said[2]) > self.rows or "listens at" in runner.words:
                print(f"FAILED: a process said:\n{runner.words}", flush=True)
                good = False
        return good


def main():
    runs, rows, seed = (int(given) for given in (sys.argv[1:] + ["2", "2000", "1"][len(sys.argv) - 1:]))
    chance = random.Random(seed)
    lost = doubled = kills = restarts = drained = bad = 0
    with scratch() as name, Postgres() as server, \
            Emulator("--rules", "production", "--quiet") as emulator:
        folder = pathlib.Path(name)
        write_input(folder, rows)
        reset(emulator, rows)
        whole(emulator, folder, "plan", "merge.lua", "--in", "rows.csv", "-o", "plan.ndjson")
        wanted = Undisturbed(emulator, folder, rows)
        tries = itertools.count(1)

        def one(number):
            reset(emulator, rows)
            # Another journal each time: a run that cannot be judged has changed its own.
            queue = server.url(f"run{next(tries)}")
            forget_journal(folder)
            log = Log(emulator)
            disturb(emulator, seed + number)
            together = Together(emulator, folder, server, queue, rows, chance, len(wanted.calls), log)
            good = together.run()
            log.finish(emulator)
            ask(emulator, "DELETE", "/emulator/v1/faults")
            more = wanted.compare(number, emulator, log)
            whole(emulator, folder, "verify", "plan.ndjson", "--queue", queue)
            return together, good, *more

        for number in range(1, runs + 1):
            together, good, *more = judged(partial(one, number))
            bad += not good
            kills += together.kills
            restarts += together.restarts
            drained += together.drained
            lost, doubled = lost + more[0], doubled + more[1]
    print(f"{kills} kills, {restarts} restarts of the server, {drained} processes drained", flush=True)
    print(f"{runs} runs, {lost} lost, {doubled} doubled", flush=True)
    bad += lost + doubled + (kills < runs) + (restarts < runs) + (drained < runs)
    print(f"{3 * runs + 3 - min(bad, 3 * runs + 3)} passed, {bad} failed")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
