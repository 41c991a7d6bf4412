"""The figures of `luath load` against a server that stalls for two seconds, beside a client in Python.

How close they are is measured by `Benchmarks/run load-stall`: here only what a slow machine cannot change is
checked, that no latency is less than what the stall alone takes.
"""
import os
import pathlib
import sys
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
        self.assertGreaterEqual(endpoint["latency"]["max"], 1800)
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


if __name__ == "__main__":
    sys.exit(checks.run([Stall], "load"))
