"""Kills merging runs of `luath batch run` at random moments and looks whether anything is lost or done twice.

Usage: python batch_chaos.py [RUNS [ROWS [SEED]]]

Each run merges ROWS pairs of accounts on an emulator that loses and cuts answers, is overloaded (503) and
out of quota. It is killed by SIGKILL after a number of carried-out calls that the seed tells, and started again
with the same command, until it ends by itself. Then all accounts must be as a run without any of that
leaves them, and the emulator must have carried every call out exactly once, by its own log.

Before that: what only shows what it would do changes nothing, and an undo, killed in the same way, brings an export
back byte for byte.
"""
import itertools
import json
import pathlib
import random
import sys
from functools import partial

from emulator import Emulator
from merging import (
    Log, Runner, Undisturbed, accounts, ask, disturb, forget_journal, judged, reset, scratch, whole, write_input)


def killed(emulator, folder, log, chance, calls, command="run"):
    """One run, killed again and again; how often."""
    kills = 0
    while True:
        runner = Runner(emulator, folder, command, "plan.ndjson", "--execute", "--concurrency", "32")
        goal = log.calls + chance.randrange(1, max(2, calls // 3))
        log.wait(lambda log: log.calls >= goal or runner.is_over())
        if runner.kill():
            return kills
        kills += 1


def export(emulator):
    """All accounts as bytes, in their order and with their members in order."""
    return json.dumps(accounts(emulator)).encode()


def one(emulator, folder, number, rows, chance, seed, wanted):
    """One run from the beginning: how many accounts it lost, how many calls it made twice, how often it was killed."""
    reset(emulator, rows)
    forget_journal(folder)
    log = Log(emulator)
    disturb(emulator, seed + number)
    kills = killed(emulator, folder, log, chance, len(wanted.calls))
    log.finish(emulator)
    ask(emulator, "DELETE", "/emulator/v1/faults")
    return *wanted.compare(number, emulator, log), kills


def check(good, words):
    if not good:
        print(f"FAILED: {words}", flush=True)
    return good


def main():
    runs, rows, seed = (int(given) for given in (sys.argv[1:] + ["10", "2000", "1"][len(sys.argv) - 1:]))
    chance = random.Random(seed)
    lost = doubled = kills = 0
    with scratch() as name, \
            Emulator("--rules", "production", "--quiet") as emulator:
        folder = pathlib.Path(name)
        write_input(folder, rows)
        reset(emulator, rows)
        before = export(emulator)
        whole(emulator, folder, "plan", "merge.lua", "--in", "rows.csv", "-o", "plan.ndjson")
        whole(emulator, folder, "run", "plan.ndjson")
        good = check(export(emulator) == before, "a plan or its preview has changed accounts")
        wanted = Undisturbed(emulator, folder, rows)
        calls = len(wanted.calls)
        whole(emulator, folder, "undo", "plan.ndjson")
        good &= check(accounts(emulator) == wanted.accounts, "the preview of an undo has changed accounts")

        def undone(tries=itertools.count(1)):
            if next(tries) > 1:
                # There must be a run to undo.
                wanted.run(emulator, folder, rows)
            log = Log(emulator)
            disturb(emulator, seed)
            more = killed(emulator, folder, log, chance, calls, "undo")
            log.finish(emulator)
            return log, more

        log, more = judged(undone)
        kills += more
        ask(emulator, "DELETE", "/emulator/v1/faults")
        good &= check(export(emulator) == before, "an undo did not bring every account back")
        good &= check(
            set(log.done.values()) == {1} and len(log.done) == calls,
            f"an undo took {log.calls} calls for {calls}")
        whole(emulator, folder, "verify", "plan.ndjson")
        for number in range(1, runs + 1):
            more = judged(partial(one, emulator, folder, number, rows, chance, seed, wanted))
            lost, doubled, kills = lost + more[0], doubled + more[1], kills + more[2]
            whole(emulator, folder, "verify", "plan.ndjson")
    print(f"{kills} kills", flush=True)
    print(f"{runs} runs, {lost} lost, {doubled} doubled", flush=True)
    bad = lost + doubled + (kills < runs) + (not good)
    print(f"{2 * runs + 4 - min(bad, 2 * runs + 4)} passed, {bad} failed")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
