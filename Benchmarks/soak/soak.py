#!/usr/bin/env python3
"""Keeps an emulator under mixed load for a given time, and fails if memory or open files grow.

Usage: soak.py [MINUTES] [--memory MB] [--users N] [--rate N] [--folder FOLDER]

First it fills the tables that have limits, which would take long otherwise: sign-ins that nobody
finishes, codes that nobody uses, and tokens of a provider. Then `luath load` plays soak_journey.lua at `luath emulator`.
Beside it, bad clients leave requests half sent, do not read their event streams, and send bodies
that are too large. Both processes of luath have a memory limit. Each second one line goes to
soak.csv, and at the end soak.svg shows both processes.

The second half of the time is compared with itself: the median of its last third may be at most a
tenth and 8 MB above that of its first third. Ends with 1 if it is more, or if a process failed.
"""
import argparse
import csv
import os
import pathlib
import re
import resource
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "Tests/Peers"))
os.environ.setdefault("LUATH", str(ROOT / "luath"))
from emulator import Emulator, program  # noqa: E402

FIELDS = ["seconds", "emulator_kb", "emulator_files", "load_kb", "load_files"]
GROWTH, MEGABYTES, FILES = 1.1, 8, 16
HALF_SENT = 300


def main():
    options = arguments()
    folder = pathlib.Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)

    def limit():
        # This counts what malloc and thread stacks reserve too, about 250 MB more than they use.
        limit = (options.memory + 512) << 20
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))

    samples, seconds = [], max(10, round(options.minutes * 60))
    rate = ["--rate", str(options.rate)] if options.rate else []
    with Emulator("--rules", "production", preexec_fn=limit) as emulator:
        fill(emulator)
        load = subprocess.Popen(
            [program(), "load", "--target", emulator.host, "--vus", str(options.users),
             "--duration", f"{seconds}s", *rate, str(HERE / "soak_journey.lua")],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            preexec_fn=limit)
        report = Reader(load.stdout)
        stop = threading.Event()
        bad = [threading.Thread(target=client, args=(emulator.port, stop), daemon=True)
               for client in (half_sent, never_reading, too_large)]
        for thread in bad:
            thread.start()
        try:
            samples = watch(emulator.process.pid, load, folder / "soak.csv")
            failed = load.wait() != 0
        except KeyboardInterrupt:
            load.send_signal(signal.SIGINT)
            failed = True
        finally:
            stop.set()
            for thread in bad:
                thread.join()
            report.join()
    (folder / "soak.svg").write_text(plot(samples))
    print("".join(report.lines))
    grown = [text for name in FIELDS[1:] if (text := growth(name, samples))]
    for name in ("emulator_kb", "load_kb"):
        most = max((sample[name] for sample in samples), default=0) >> 10
        if most > options.memory:
            grown.append(f"{name}: {most} MB are more than --memory {options.memory}")
    for text in grown:
        print(f"soak: {text}")
    if failed:
        print("soak: luath load failed, or was interrupted")
    print(f"{len(samples)} samples in {folder / 'soak.csv'}, drawn in {folder / 'soak.svg'}")
    sys.exit(1 if failed or grown else 0)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("minutes", nargs="?", type=float, default=60)
    parser.add_argument("--memory", type=int, default=512, metavar="MB")
    parser.add_argument("--users", type=int, default=8, metavar="N")
    parser.add_argument("--rate", type=int, metavar="N",
                        help="journeys a second; as many as the machine can when left out")
    parser.add_argument("--folder", default=str(HERE.parent / "build"))
    return parser.parse_args()


class Reader(threading.Thread):
    """Keeps the last lines of a program's output."""

    def __init__(self, stream):
        super().__init__(daemon=True)
        self.stream, self.lines = stream, []
        self.start()

    def run(self):
        for line in self.stream:
            self.lines = [*self.lines[-200:], line]


def watch(emulator, load, path):
    """Samples both processes each second until the load ends."""
    start, samples = time.monotonic(), []
    with open(path, "w", newline="", encoding="ascii") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        while load.poll() is None:
            try:
                values = [*held(emulator), *held(load.pid)]
            except (OSError, ValueError):
                break
            sample = dict(zip(FIELDS, [round(time.monotonic() - start, 1), *values], strict=True))
            samples.append(sample)
            writer.writerow(sample)
            file.flush()
            time.sleep(1)
    return samples


def held(process):
    """The resident memory in KB and the number of open files of a process."""
    status = pathlib.Path(f"/proc/{process}/status").read_text(encoding="ascii")
    found = re.search(r"VmRSS:\s+(\d+)", status)
    if found is None:
        raise ValueError("the process has ended")
    return int(found[1]), len(os.listdir(f"/proc/{process}/fd"))


def growth(name, samples):
    """Says by how much a figure grew in the second half; None if it is flat."""
    later = [sample[name] for sample in samples[len(samples) // 2:]]
    third = len(later) // 3
    if third < 3:
        return f"{name}: the time is too short for a verdict"
    first, last = statistics.median(later[:third]), statistics.median(later[-third:])
    limit = first * GROWTH + MEGABYTES * 1024 if name.endswith("_kb") else first + FILES
    return f"{name} grew from {first:.0f} to {last:.0f}" if last > limit else None


# What fills the tables

V1 = "/identitytoolkit.googleapis.com/v1/accounts:"
BATCH = 64


def fill(emulator):
    """Reaches the limits of sign-ins that nobody finishes (64 MB), of codes (10,000) and of a provider's tokens (8192)."""
    port = emulator.port
    subprocess.run(
        [program(), "load", "--target", emulator.host, "--vus", "8", "--rate", "200", "--duration", "45s",
         "--name", "pages of a provider", str(HERE / "soak_journey.lua")],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    requests(port, "createAuthUri", 130_000,
             lambda _: '{"providerId":"oidc.corp","continueUri":"http://localhost/"}')
    requests(port, "sendOobCode", 11_000, lambda number: (
        '{"requestType":"EMAIL_SIGNIN","email":"fill%d@luath.example",'
        '"continueUrl":"http://localhost/","canHandleCodeInApp":true}' % number))


def requests(port, operation, count, body):
    """Sends requests on one connection, many before it reads their responses."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as one:
        rest = b""
        for start in range(0, count, BATCH):
            texts = [body(number) for number in range(start, start + BATCH)]
            one.sendall("".join(
                f"POST {V1}{operation}?key=any HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n{text}"
                for text in texts).encode())
            ended = 0
            while ended < BATCH:
                received = one.recv(1 << 16)
                if not received:
                    raise RuntimeError(f"the emulator closed a connection during {operation}")
                rest += received
                ended += rest.count(b"HTTP/1.1 ")
                if b"HTTP/1.1 4" in rest:
                    raise RuntimeError(f"the emulator refused {operation}: {rest[:2000]!r}")
                # The start of the next response may be cut.
                rest = rest[-8:] if not rest.endswith(b"HTTP/1.1 ") else b""


# Bad clients


def half_sent(port, stop):
    """Opens connections that send half a head, and leaves them."""
    while not stop.is_set():
        open_ones = []
        for _ in range(HALF_SENT):
            try:
                one = socket.create_connection(("127.0.0.1", port), timeout=5)
                one.sendall(b"GET / HTTP/1.1\r\nHost: ")
                open_ones.append(one)
            except OSError:
                pass
        stop.wait(10)
        for one in open_ones:
            one.close()


def never_reading(port, stop):
    """Asks for the event stream and does not read it."""
    while not stop.is_set():
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=5) as one:
                one.sendall(b"GET /emulator/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                            b"Authorization: Bearer owner\r\nAccept: text/event-stream\r\n\r\n")
                stop.wait(20)
        except OSError:
            stop.wait(1)


def too_large(port, stop):
    """Sends bodies above the limit, and bodies that end too early."""
    head = ("POST /identitytoolkit.googleapis.com/v1/projects/p/accounts:batchCreate HTTP/1.1\r\n"
            "Host: 127.0.0.1\r\nAuthorization: Bearer owner\r\nContent-Length: {}\r\n\r\n")
    while not stop.is_set():
        for announced, sent in [(40 << 20, 34 << 20), (1 << 20, 1 << 10)]:
            try:
                with socket.create_connection(("127.0.0.1", port), timeout=5) as one:
                    one.sendall(head.format(announced).encode())
                    for _ in range(sent >> 10):
                        one.sendall(b" " * 1024)
            except OSError:
                pass
        stop.wait(5)


# The picture

WIDTH, HEIGHT, LEFT, GAP = 900, 220, 80, 60
COLORS = {"emulator": "#1565c0", "load": "#c62828"}


def plot(samples):
    """An SVG with a chart of the memory and one of the open files."""
    charts = [chart(samples, kind, title, index)
              for index, (kind, title) in enumerate([("kb", "resident memory, MB"),
                                                     ("files", "open files")])]
    height = 2 * (HEIGHT + GAP) + 20
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH + LEFT + 20}" '
            f'height="{height}" font-family="sans-serif" font-size="12">'
            f'<rect width="100%" height="100%" fill="white"/>{"".join(charts)}</svg>\n')


def chart(samples, kind, title, index):
    top = index * (HEIGHT + GAP) + 30
    scale = 1024 if kind == "kb" else 1
    most = max((sample[f"{name}_{kind}"] / scale for sample in samples for name in COLORS),
               default=1) * 1.1
    end = max((sample["seconds"] for sample in samples), default=1) or 1
    parts = [f'<text x="{LEFT}" y="{top - 8}">{title}</text>',
             f'<path d="M{LEFT} {top}V{top + HEIGHT}H{LEFT + WIDTH}" fill="none" stroke="#888"/>']
    for step in range(5):
        y = top + HEIGHT - HEIGHT * step / 4
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.0f}" text-anchor="end">'
                     f'{most * step / 4:.0f}</text>')
    parts.append(f'<text x="{LEFT + WIDTH}" y="{top + HEIGHT + 16}" text-anchor="end">'
                 f'{end / 60:.1f} minutes</text>')
    for number, (name, color) in enumerate(COLORS.items()):
        points = " ".join(
            f'{LEFT + WIDTH * sample["seconds"] / end:.1f},'
            f'{top + HEIGHT - HEIGHT * sample[f"{name}_{kind}"] / scale / most:.1f}'
            for sample in samples)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{color}"/>')
        parts.append(f'<text x="{LEFT + 200 + 120 * number}" y="{top - 8}" fill="{color}">'
                     f'luath {name}</text>')
    return "".join(parts)


if __name__ == "__main__":
    main()
