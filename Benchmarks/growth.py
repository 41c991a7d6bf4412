"""Measures how the time for input from outside grows with its size: four times the size takes four times as
long when the reader is linear, and sixteen times when it is quadratic."""
import http.client
import http.server
import json
import os
import pathlib
import socket
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "emulator"))
import measure  # noqa: E402, F401
from emulator import Emulator  # noqa: E402

SMALL, FACTOR, ROUNDS = 50_000, 4, 5
TOKEN = "/securetoken.googleapis.com/v1/token?key=k"
FORMS = {
    "repeated": lambda count: "a=b&" * count,
    "distinct": lambda count: "".join(f"a{number}=b&" for number in range(count)),
}


def forms(build):
    """A form of many fields, posted to the emulator, which refuses it."""
    figures = []
    with Emulator("--quiet") as emulator:
        for name, make in FORMS.items():
            small, large = make(SMALL), make(FACTOR * SMALL)
            times = {small: [], large: []}
            for _ in range(ROUNDS):
                for body in times:
                    times[body].append(posted(emulator, body))
            ratios = sorted(big / little for little, big in zip(times[small], times[large]))
            figures.append({
                "name": f"growth.form.{name}", "value": min(times[large]) / min(times[small]),
                "median": ratios[ROUNDS // 2], "ours": min(times[large]), "peer": min(times[small]),
                "measured": f"ms for {FACTOR * SMALL} and {SMALL} fields", "rounds": ROUNDS})
    return figures


def posted(emulator, body):
    """Milliseconds until the emulator refuses a form."""
    wire = http.client.HTTPConnection(emulator.host, timeout=300)
    began = time.perf_counter()
    wire.request("POST", TOKEN, body, {"Content-Type": "application/x-www-form-urlencoded"})
    answer = wire.getresponse()
    answer.read()
    took = (time.perf_counter() - began) * 1000
    wire.close()
    if answer.status != 400:
        sys.exit(f"benchmarks: error: a form of {len(body)} bytes got the status {answer.status}")
    return took


PARAMETERS = 2_000
HEADS = {
    # libmicrohttpd itself would need the square of their number.
    "query": lambda count: f"GET /?{'a&' * count} HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "extension": lambda count: "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1;"
                               + "a;" * count + "\r\nx\r\n0\r\n\r\n",
}


def heads(build):
    """Requests with a long query or a long chunk extension, until the first byte of the answer."""
    figures = []
    with Emulator("--quiet", "--rules", "production") as emulator:
        for name, make in HEADS.items():
            small, large = (make(count).encode() for count in (PARAMETERS, FACTOR * PARAMETERS))
            times = {small: [], large: []}
            for _ in range(ROUNDS):
                for request in times:
                    times[request].append(answered(emulator, request))
            figures.append({
                "name": f"growth.head.{name}", "value": min(times[large]) / min(times[small]),
                "median": sorted(big / little for little, big in zip(times[small], times[large]))[ROUNDS // 2],
                "ours": min(times[large]), "peer": min(times[small]),
                "measured": f"ms for {FACTOR * PARAMETERS} and {PARAMETERS} parameters", "rounds": ROUNDS})
    return figures


def answered(emulator, request):
    """Milliseconds until the emulator begins to answer, or closes the connection."""
    with socket.create_connection(("127.0.0.1", emulator.port), timeout=300) as wire:
        began = time.perf_counter()
        wire.sendall(request)
        wire.recv(1)
        return (time.perf_counter() - began) * 1000


CONTROLS = 5_000
PAGES = {
    "radios": lambda count: "<input type=radio name=r value=1 required>" * count,
    "nested": lambda count: "<div>" * 200 + "<input name=a>" * count,
}


class Provider(http.server.BaseHTTPRequestHandler):
    """A sign-in page of so many controls as its address says, which leads back when it is sent."""

    def do_GET(self):
        _, name, count = self.path.split("/")
        body = f"<form method=post>{PAGES[name](int(count))}<button name=b>Next</button></form>".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(302)
        self.send_header("Location", "http://127.0.0.1/callback?code=1")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def pages(build):
    """A page of many controls, which ui.form reads, fills and sends."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{server.server_port}"
        urls = [f"{base}/{name}/{count}" for name in PAGES for count in (CONTROLS, FACTOR * CONTROLS)]
        run = subprocess.run(
            [os.environ["LUATH"], "run", HERE / "growth.lua", *urls],
            capture_output=True, text=True, timeout=600)
        server.shutdown()
    if run.returncode:
        sys.exit(f"benchmarks: error: {run.stderr}")
    times = json.loads(run.stdout)
    figures = []
    for name in PAGES:
        small, large = (times[f"{base}/{name}/{count}"] for count in (CONTROLS, FACTOR * CONTROLS))
        figures.append({
            "name": f"growth.page.{name}", "value": large / small, "median": large / small,
            "ours": large, "peer": small,
            "measured": f"ms of processor time for {FACTOR * CONTROLS} and {CONTROLS} controls",
            "rounds": 3})
    return figures


MEASUREMENTS = {"growth": lambda build: forms(build) + heads(build) + pages(build)}
