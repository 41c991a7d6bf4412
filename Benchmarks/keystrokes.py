"""Measures `luath repl` as a person has it: from a key written to the terminal until the screen is quiet."""
import contextlib
import fcntl
import os
import pathlib
import pty
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time

HERE = pathlib.Path(__file__).resolve().parent
LUATH = HERE.parent / "luath"
LINES, KEYS, CHOICES, ROUNDS = 200, 100, 10_000, 30
# No key takes as long, and no answer comes in pieces so far apart.
QUIET, PATIENCE = 0.1, 30
BLOCK = "\n".join(
    ["local t = {}", "do"]
    + [f'  local value_{n} = math.max({n}, #"text {n}") -- keep (it) [in] {{mind}}' for n in range(LINES - 4)]
    + ["end", "return t"])


def prompt(build):
    """A key at the end and in the middle of a block, and Tab where there are many keys."""
    with repl() as terminal:
        send(terminal, f"\x1b[200~{BLOCK}\x1b[201~".encode())
        keys = pressed(terminal, KEYS)
        # Ctrl-P: into the middle, where brackets and the rest of the screen are around.
        send(terminal, b"\x10" * (LINES // 2))
        keys += pressed(terminal, KEYS)
        send(terminal, b"\x03")
        fill = f"many = {{}} for n = 1, {CHOICES} do many['key_' .. n] = n end\r"
        send(terminal, fill.encode())
        send(terminal, b"many.key_")
        choices = []
        for _ in range(ROUNDS):
            took, output = send(terminal, b"\t")
            # A session that does not answer in time has no choices: that counts as a second.
            choices.append(took if f"of {CHOICES}".encode() in output else 1000)
            send(terminal, b"\x07")
    return [
        figure("prompt.key", keys, f"ms for a key on {LINES} lines, 95 of 100"),
        figure("prompt.completion", choices, f"ms for Tab over {CHOICES} keys, 95 of 100"),
    ]


def figure(name, times, measured):
    times = sorted(times)
    late = times[int(len(times) * 0.95)]
    return {"name": name, "value": late, "median": statistics.median(times), "ours": late,
            "best": times[0], "measured": measured, "rounds": len(times)}


def pressed(terminal, count):
    """Milliseconds of as many keys, one after the other."""
    times = []
    for n in range(count):
        took, output = send(terminal, b"x" if n % 2 == 0 else b"\x7f")
        if not output:
            sys.exit("benchmarks: error: a key showed nothing")
        times.append(took)
    return times


def send(terminal, keys):
    """Writes keys; milliseconds until the last output that follows, and that output."""
    began = time.perf_counter()
    sent, last, output, limit = 0, began, b"", QUIET if len(keys) == 1 else 1
    while True:
        writing = [terminal] if sent < len(keys) else []
        readable, writable, _ = select.select([terminal], writing, [], limit)
        if readable:
            output += os.read(terminal, 65536)
            last = time.perf_counter()
        elif writable:
            sent += os.write(terminal, keys[sent:sent + 1024])
        elif output or time.perf_counter() - began > PATIENCE:
            return (last - began) * 1000, output


@contextlib.contextmanager
def repl():
    """The prompt at a terminal of 120 columns and 50 rows, of somebody without files."""
    with tempfile.TemporaryDirectory() as home:
        terminal, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 120, 0, 0))
        settings = {
            "PATH": os.environ["PATH"], "HOME": home, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
        process = subprocess.Popen(
            [LUATH, "repl"], stdin=slave, stdout=slave, stderr=slave, env=settings, cwd=home,
            start_new_session=True)
        os.close(slave)
        try:
            begun = b""
            while b"\x1b[m" not in begun:
                begun += os.read(terminal, 65536)
            yield terminal
        finally:
            process.kill()
            process.wait()
            os.close(terminal)


MEASUREMENTS = {"prompt": prompt}
