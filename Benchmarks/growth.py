"""Measures how the time for input from outside grows with its size: four times the size takes four times as
long when the reader is linear, and sixteen times when it is quadratic."""
import http.client
import pathlib
import sys
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


MEASUREMENTS = {"growth": forms}
