"""The figures of `luath load` against a server that stalls for two seconds, beside a client in Python.

How close they are is measured by `Benchmarks/run load-stall`: here only what a slow machine cannot change is
checked, that no latency is less than what the stall alone takes.
"""
import http.server
import os
import pathlib
import struct
import sys
import threading
import unittest

import checks

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Benchmarks" / "load"))
import stalling  # noqa: E402

LUATH = os.environ["LUATH"]
COUNT = stalling.RATE * stalling.SECONDS


class Stall(unittest.TestCase):
    def check_latencies(self, values, name):
        for percent in stalling.PERCENTILES:
            least = stalling.percentile(stalling.expected(), percent)
            with self.subTest(name, percentile=percent):
                self.assertGreaterEqual(values(percent), 0.95 * least)

    def test_what_waits_for_a_free_user_counts_from_when_it_was_due(self):
        with stalling.Server(stalling.STALL) as server:
            report = stalling.open_load(LUATH, server.url, users=4)
        journeys = report["journeys"]
        self.assertEqual(journeys["begun"] + journeys["dropped"], COUNT)
        self.assertEqual(journeys["failed"], 0)
        self.check_latencies(lambda percent: journeys["latency"][f"p{percent}"], "luath load")
        # Each of the four users waited once in a request; the other journeys of the stall began late.
        endpoint, = [group for group in report["groups"] if group["kind"] == "endpoint"]
        self.assertEqual(endpoint["count"], journeys["ended"])
        self.assertGreaterEqual(endpoint["latency"]["max"], 1500)
        self.assertGreaterEqual(
            journeys["startDelay"]["p95"], 0.9 * stalling.percentile(stalling.expected(), 95))

    def test_a_client_that_sends_each_request_when_it_is_due_finds_the_same(self):
        with stalling.Server(stalling.STALL) as server:
            times = stalling.scheduled(server.port)
        self.check_latencies(lambda percent: stalling.percentile(times, percent), "Python")

    def test_in_the_closed_model_latency_is_what_the_server_takes(self):
        with stalling.Server(delay=0.05) as server:
            report = stalling.load(LUATH, server.url, "--vus", "4", "--duration", "2s")
        self.assertGreaterEqual(report["requests"]["latency"]["min"], 50)
        self.assertGreater(report["requests"]["count"], 4)


class Receiver(http.server.BaseHTTPRequestHandler):
    """Keeps the requests of remote write."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.requests.append((self.headers, body))
        self.send_response(self.server.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        """Says nothing."""


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 0x80:
            return value, at


def plain(block):
    """The content of a block of snappy that has literals only."""
    length, at = varint(block, 0)
    content = b""
    while at < len(block):
        kind, at = block[at], at + 1
        assert kind & 3 == 0, "no literal"
        size = kind >> 2
        if size >= 60:
            width = size - 59
            size, at = int.from_bytes(block[at:at + width], "little"), at + width
        content, at = content + block[at:at + size + 1], at + size + 1
    assert len(content) == length
    return content


def fields(message):
    """The numbers and values of the fields of a protobuf message."""
    at = 0
    while at < len(message):
        tag, at = varint(message, at)
        if tag & 7 == 0:
            value, at = varint(message, at)
        else:
            size, at = (8, at) if tag & 7 == 1 else varint(message, at)
            value, at = message[at:at + size], at + size
        yield tag >> 3, value


def samples(body):
    """The values of a request of remote write, by their labels."""
    found = {}
    for _, series in fields(plain(body)):
        labels = [dict(fields(value)) for number, value in fields(series) if number == 1]
        point, = [dict(fields(value)) for number, value in fields(series) if number == 2]
        names = [label[1].decode() for label in labels]
        assert names == sorted(names)
        key = tuple((label[1].decode(), label[2].decode()) for label in labels)
        assert key not in found, f"twice: {key}"
        found[key] = struct.unpack("<d", point[1])[0]
    return found


class Prometheus(unittest.TestCase):
    """What `--remote-write` sends, read by code that shares nothing with luath's."""

    def run_load(self, status):
        receiver = http.server.HTTPServer(("127.0.0.1", 0), Receiver)
        receiver.requests, receiver.status = [], status
        threading.Thread(target=receiver.serve_forever, daemon=True).start()
        try:
            with stalling.Server() as server:
                report = stalling.load(
                    LUATH, server.url, "--vus", "2", "--duration", "500ms", "--remote-write",
                    f"http://127.0.0.1:{receiver.server_port}/api/v1/write")
        finally:
            receiver.shutdown()
            receiver.server_close()
        return report, receiver.requests

    def test_the_last_request_has_the_figures_of_the_run(self):
        report, requests = self.run_load(204)
        headers, body = requests[-1]
        self.assertEqual(headers["Content-Encoding"], "snappy")
        self.assertEqual(headers["Content-Type"], "application/x-protobuf")
        self.assertEqual(headers["X-Prometheus-Remote-Write-Version"], "0.1.0")
        found = samples(body)
        self.assertEqual(found[(("__name__", "k6_iterations_total"),)], report["journeys"]["ended"])
        buckets = [key for key in found if ("__name__", "k6_http_req_duration_seconds_bucket") in key]
        last, = [key for key in buckets if ("le", "+Inf") in key]
        self.assertEqual(found[last], report["requests"]["count"])
        self.assertEqual(len(buckets), 16)

    def test_a_receiver_that_refuses_does_not_end_the_run(self):
        report, requests = self.run_load(400)
        self.assertGreater(report["journeys"]["ended"], 0)
        self.assertGreaterEqual(len(requests), 1)


if __name__ == "__main__":
    sys.exit(checks.run([Stall, Prometheus], "load"))
