"""Runs the commands of every README in scripts/migrations against an emulator, and reads what they leave.

Each `sh` block is run line by line, in a copy of the folder; a line that ends with `# exits with N` must do so. Plans
and exports are read by Python's own csv and json.
"""
import csv
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from emulator import PATIENCE, ROOT, Emulator, program

passed = failed = 0


def check(good, words):
    global passed, failed
    passed += good
    failed += not good
    if not good:
        print(f"FAILED {words}", flush=True)


def commands(text):
    for block in re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S):
        for line in block.splitlines():
            answer = re.search(r"# exits with (\d+)$", line)
            yield line.split("#")[0].strip(), int(answer[1]) if answer else 0


def read_plan(path):
    """Reads a plan by what docs/batches.md says of it, with nothing of luath."""
    lines = path.read_bytes().splitlines(keepends=True)
    head, rows, end = json.loads(lines[0]), [json.loads(line) for line in lines[1:-1]], json.loads(lines[-1])
    check(head["luath"] == "plan" and head["version"] == 1, f"{path.name}: the first line")
    check(end["rows"] == len(rows), f"{path.name}: the last line counts {end['rows']} of {len(rows)} rows")
    digest = hashlib.sha256(b"".join(lines[:-1])).hexdigest()
    check(end["sha256"] == digest, f"{path.name}: the hash")
    check(path.stat().st_mode & 0o077 == 0, f"{path.name}: others can read it")
    return rows


def read_export(path, columns):
    own = ["luath_state", "luath_code", "luath_cause"]
    if path.suffix == ".csv":
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file, strict=True)
            rows = list(reader)
            check(reader.fieldnames == columns + own, f"{path.name}: columns {reader.fieldnames}")
    else:
        rows = [json.loads(line) for line in path.read_text().splitlines()]
    check(rows and all(row["luath_state"] and row["luath_code"] for row in rows), f"{path.name}: causes")
    return rows


def play(folder, emulator):
    with tempfile.TemporaryDirectory() as name:
        here = pathlib.Path(name) / folder.name
        shutil.copytree(folder, here)
        given = list(csv.reader(io.StringIO((here / "rows.csv").read_text()), strict=True))
        check(20 <= len(given) - 1 <= 50, f"{folder.name}: {len(given) - 1} sample rows")
        environment = {
            **os.environ, "NO_COLOR": "1", "FIREBASE_AUTH_EMULATOR_HOST": emulator.host,
            "PATH": f"{name}/bin:{os.environ['PATH']}"}
        (pathlib.Path(name) / "bin").mkdir()
        (pathlib.Path(name) / "bin/luath").symlink_to(program())
        verified = ""
        for command, wanted in commands((folder / "README.md").read_text()):
            result = subprocess.run(
                ["sh", "-c", command], cwd=here, env=environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)
            check(
                result.returncode == wanted,
                f"{folder.name}: {command} answered {result.returncode}:\n{result.stdout}")
            if " verify " in command:
                verified = result.stdout
        check("rows are as planned" in verified, f"{folder.name}: nothing was verified")
        for plan in here.glob("*plan.ndjson"):
            rows = read_plan(plan)
            check(any("do" in row for row in rows) or plan.name.startswith("again"), f"{plan.name}: no row to run")
        for export in here.glob("refused.*"):
            read_export(export, given[0])


def main():
    chosen = sys.argv[1:]
    for folder in sorted((ROOT / "scripts/migrations").iterdir()):
        if not chosen or folder.name in chosen:
            # As its page says, but for the port.
            words = re.search(r"luath emulator(.*) --port \d+", (folder / "README.md").read_text())
            with Emulator(*words[1].split(), "--quiet") as emulator:
                play(folder, emulator)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
