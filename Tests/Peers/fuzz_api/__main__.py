"""Calls everything that scripts can call, at random: python fuzz_api [RUNS | SECONDSs] [SEED]

Each run is a script of 150 calls, by `luath run` or as a journey by `luath test`: from finalizers, `__close`, sort comparators,
message handlers, coroutines and tasks too, and on objects whose owner has ended. Whatever the script raises is right;
a crash, an inner error of luath or a run that does not end is a finding, and its script is kept.
Ends with a line of counts.
"""
import collections
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from emulator import PATIENCE, ROOT, program  # noqa: E402
from fuzz_api.calls import Maker  # noqa: E402
from fuzz_api.declarations import read  # noqa: E402

CALLS = 150
# What a script may end with: well, an error, its time or memory; 8 would be "luath is wrong".
RIGHT = {0, 1, 3, 4, 6, 7}
WRONG_WORDS = ("Fatal error", "AddressSanitizer", "ThreadSanitizer", "luath is wrong", "stdlib/luath/")


def run(script, folder, is_journey):
    """The exit code of a script and what it said; None when it did not end."""
    name = "one_journey.lua" if is_journey else "one.lua"
    if is_journey:
        script = f'require("luath.journey")("all", {{ timeout = 20 }}, function(j)\n{script}\nend)\n'
    # The project's own providers and people.
    shutil.copy(ROOT / "luath.lua", folder)
    pathlib.Path(folder, name).write_text(script, encoding="utf-8")
    command = [program(), "test" if is_journey else "run"] + ([] if is_journey else ["--timeout", "20s"])
    try:
        ended = subprocess.run(
            [*command, "--memory", "256M", name], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
            timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired as problem:
        return None, (problem.stdout or b"").decode(errors="replace")
    return ended.returncode, (ended.stdout + ended.stderr).decode(errors="replace")


def main(amount="40", seed="1"):
    functions, fields = read(program())
    if len(functions) < 200:
        raise SystemExit(f"only {len(functions)} functions were found")
    until = time.monotonic() + float(amount[:-1]) if amount.endswith("s") else None
    kept = pathlib.Path(tempfile.gettempdir(), f"luath-fuzz-{os.getpid()}")
    codes, findings, number = collections.Counter(), 0, 0
    while (time.monotonic() < until) if until else (number < int(amount)):
        one = int(seed) * 1_000_000 + number
        script = Maker(functions, fields, random.Random(one)).script(CALLS)
        with tempfile.TemporaryDirectory() as folder:
            code, words = run(script, folder, is_journey=number % 3 == 2)
        codes[code] += 1
        wrong = [word for word in WRONG_WORDS if word in words]
        if code not in RIGHT or wrong:
            findings += 1
            kept.mkdir(exist_ok=True)
            pathlib.Path(kept, f"{one}.lua").write_text(script, encoding="utf-8")
            pathlib.Path(kept, f"{one}.txt").write_text(words, encoding="utf-8")
            print(f"run {one}: exit {code} {wrong}; {kept}/{one}.lua\n{words[-1500:]}")
        number += 1
    print(f"{len(functions)} functions, {len(fields)} fields; exit codes: {dict(codes)}")
    print(f"{number - findings} passed, {findings} failed")
    return findings > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
