"""What others make of luath's reports: prove, xmllint with the schema of Jenkins, junitparser,
jsonschema, haralyzer, Hario, HdrHistogram, and the model of Allure's own Python library.

Usage: formats [FOLDER], where the reports are left.
"""
import collections
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import allure_commons.model2 as allure
import haralyzer
import hario_core.parse
import hdrh.histogram
import jsonschema
import junitparser

import checks
from emulator import PATIENCE, ROOT, program

SCHEMA = ROOT / ".build-peers/junit-10.xsd"
FILES = {"good": ["signs_in_journey.lua"],
         "all": ["signs_in_journey.lua", "fails_journey.lua", "broken_spec.lua"]}
# No Lua at all, so it stands here.
BROKEN = 'describe("is broken", function(\n  it("% ]]> & <" end\n'
KINDS = ["tap", "tap13", "junit", "json", "har", "html", "dot", "github", "teamcity", "markdown", "ctrf"]
# Of all files: journeys by outcome, and the file that does not load beside them.
OUTCOMES = {"passed": 2, "skipped": 1, "pending": 1, "failed": 3, "flaky": 1}


def check_schema(path):
    """What xmllint says of a JUnit report, without the attributes that Jenkins' schema does not have."""
    text = re.sub(r'(<testcase [^>]*?) file="[^"]*"( line="\d+")?', r"\1", path.read_text())
    return subprocess.run(["xmllint", "--noout", "--schema", str(SCHEMA), "-"], input=text,
                          capture_output=True, text=True, timeout=PATIENCE)


class Reports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if len(sys.argv) > 1:
            cls.folder = pathlib.Path(sys.argv[1]).resolve()
        else:
            made = tempfile.TemporaryDirectory()
            cls.addClassCleanup(made.cleanup)
            cls.folder = pathlib.Path(made.name)
        for file in HERE.glob("*_journey.lua"):
            shutil.copy(file, cls.folder)
        (cls.folder / "broken_spec.lua").write_text(BROKEN)
        cls.runs = {}
        for name, files in FILES.items():
            options = [f"--report={kind}:{cls.folder / name}.{kind}" for kind in KINDS + ["allure"]]
            cls.runs[name] = cls.luath(
                "test", *options, "--record", cls.folder / "record.json", *files)

    @classmethod
    def run_there(cls, *command):
        return subprocess.run(
            [str(word) for word in command], cwd=cls.folder, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=PATIENCE,
            env={**os.environ, "NO_COLOR": "1"})

    @classmethod
    def luath(cls, *arguments):
        return cls.run_there(program(), *arguments)

    @classmethod
    def prove(cls, *arguments):
        return cls.run_there("prove", *arguments)

    def path(self, run, kind):
        return self.folder / f"{run}.{kind}"

    def events(self, path):
        return [json.loads(line) for line in path.read_text().splitlines()]


class Runs(Reports):
    def test_all_reports_are_written_beside_the_pretty_one(self):
        self.assertEqual(self.runs["good"].returncode, 0, self.runs["good"].stderr)
        self.assertEqual(self.runs["all"].returncode, 1, self.runs["all"].stderr)
        counts = "2 passed, 3 failed, 1 flaky, 1 skipped, 1 pending, 1 broken file in "
        self.assertIn(counts, self.runs["all"].stdout)
        for run in FILES:
            for kind in KINDS:
                self.assertGreater(self.path(run, kind).stat().st_size, 0, (run, kind))

    def test_no_report_holds_control_characters(self):
        for run in FILES:
            texts = {kind: self.path(run, kind).read_text() for kind in KINDS}
            texts["pretty"] = self.runs[run].stdout
            for kind, text in texts.items():
                self.assertIsNone(re.search(r"[\x00-\x08\x0b-\x1f\x7f]", text), (run, kind))

    def test_no_report_holds_the_password(self):
        for run in FILES:
            for kind in KINDS:
                self.assertNotIn("correct horse", self.path(run, kind).read_text(), (run, kind))


class Prove(Reports):
    def test_good_journeys_are_accepted(self):
        run = self.prove("--exec", "cat", self.path("good", "tap13"))
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("Tests=4,", run.stdout)
        self.assertIn("Result: PASS", run.stdout)

    def test_bad_ones_fail_without_a_word_about_the_form(self):
        run = self.prove("--exec", "cat", self.path("all", "tap13"))
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("Tests=9, ", run.stdout)
        self.assertIn("Failed 4/9 subtests", run.stdout)
        self.assertNotIn("Parse errors", run.stdout)

    def test_prove_runs_luath_itself(self):
        run = self.prove(
            "--exec", f"{program()} test --record {self.folder}/other.json --report tap",
            "signs_in_journey.lua")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("Tests=4,", run.stdout)

    def test_a_broken_report_is_noticed(self):
        broken = self.folder / "broken.tap"
        broken.write_text(self.path("good", "tap13").read_text().replace("1..4", "1..5"))
        self.assertNotEqual(self.prove("--exec", "cat", broken).returncode, 0)


class JUnit(Reports):
    def test_the_schema_of_jenkins_holds(self):
        for run in FILES:
            lint = check_schema(self.path(run, "junit"))
            self.assertEqual(lint.returncode, 0, lint.stderr)
        broken = self.folder / "broken.xml"
        broken.write_text(
            self.path("good", "junit").read_text().replace("<properties>", "<properties><x/>"))
        self.assertNotEqual(check_schema(broken).returncode, 0)

    def test_junitparser_counts_the_same(self):
        counts = collections.Counter()
        for suite in junitparser.JUnitXml.fromfile(str(self.path("all", "junit"))):
            kinds = collections.Counter()
            for case in suite:
                kinds.update([type(part).__name__ for part in case.result] or ["Passed"])
                counts["flaky"] += len(case._elem.findall("flakyFailure"))
                self.assertGreaterEqual(case.time, 0)
            counts += kinds
            self.assertEqual(suite.failures, kinds["Failure"], suite.name)
            self.assertEqual(suite.errors, kinds["Error"], suite.name)
            self.assertEqual(suite.skipped, kinds["Skipped"], suite.name)
        self.assertEqual(
            counts, {"Passed": 3, "Failure": 1, "Error": 3, "Skipped": 2, "flaky": 2})

    def test_names_come_through(self):
        names = [case.name for suite in junitparser.JUnitXml.fromfile(
            str(self.path("good", "junit"))) for case in suite]
        self.assertIn("signs in & out with <Microsoft> # TODO \\ \"it's\" ✓, 名前", names)


class Events(Reports):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.schema = json.loads((ROOT / "docs/events.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(cls.schema)
        cls.validator = jsonschema.Draft202012Validator(
            cls.schema, format_checker=jsonschema.FormatChecker())

    def test_every_event_is_as_the_schema_has_it(self):
        for run in FILES:
            for number, event in enumerate(self.events(self.path(run, "json")), 1):
                error = jsonschema.exceptions.best_match(self.validator.iter_errors(event))
                self.assertIsNone(error, f"{run}.json:{number}: {event}")
                self.assertIn(event["event"], self.schema["$defs"])

    def test_the_schema_knows_every_member(self):
        def check(value, schema, path):
            while schema is not True and "$ref" in schema:
                schema = self.schema["$defs"][schema["$ref"].rpartition("/")[2]]
            if schema is True:
                return
            if isinstance(value, dict) and "properties" in schema:
                for key, member in value.items():
                    self.assertIn(key, schema["properties"], path)
                    check(member, schema["properties"][key], f"{path}.{key}")
            elif isinstance(value, list) and isinstance(schema.get("items"), dict):
                for element in value:
                    check(element, schema["items"], f"{path}[]")

        for event in self.events(self.path("all", "json")):
            check(event, self.schema["$defs"][event["event"]], event["event"])

    def test_the_schema_refuses_what_is_wrong(self):
        for event in self.events(self.path("all", "json")):
            self.assertFalse(self.validator.is_valid({**event, "at": "soon"}), event)
            del event["at"]
            self.assertFalse(self.validator.is_valid(event), event)

    def test_what_happens_is_told_in_order_and_counted(self):
        events = self.events(self.path("all", "json"))
        self.assertEqual(events[0]["event"], "run.start")
        self.assertEqual(events[-1]["event"], "run.end")
        outcomes = collections.Counter(
            event["outcome"] for event in events if event["event"] == "journey.result")
        self.assertEqual(outcomes, OUTCOMES)
        counts = {name: count for name, count in events[-1]["counts"].items() if count}
        self.assertEqual(counts, OUTCOMES)
        times = [event["at"] for event in events if event["event"] not in ("http", "page")]
        self.assertEqual(times, sorted(times))
        self.assertEqual(
            {"run.start", "file.start", "file.end", "journey.start", "journey.end",
             "journey.result", "step.start", "step.end", "http", "log", "run.end"}
            - {event["event"] for event in events}, set())


class Archive(Reports):
    def test_hario_takes_it(self):
        for run in FILES:
            log = hario_core.parse.parse(self.path(run, "har"))
            exchanges = [e for e in self.events(self.path(run, "json")) if e["event"] == "http"]
            self.assertGreater(len(exchanges), 3)
            self.assertEqual(
                [(entry.request.method, entry.request.url) for entry in log.entries],
                [(exchange["method"], exchange["url"]) for exchange in exchanges])

    def test_haralyzer_puts_exchanges_on_pages(self):
        archive = haralyzer.HarParser(json.loads(self.path("good", "har").read_text()))
        pages = {page.title: page for page in archive.pages}
        page = pages["signs_in_journey.lua > has a password"]
        urls = [entry.request.url for entry in page.entries]
        self.assertTrue(any("accounts:signInWithPassword" in url for url in urls), urls)
        self.assertTrue(all(entry.response.status == 200 for entry in page.entries))
        for entry in archive.har_data["entries"]:
            timings = entry["timings"]
            phases = ["blocked", "dns", "connect", "send", "wait", "receive"]
            total = sum(max(timings[phase], 0) for phase in phases)
            self.assertAlmostEqual(entry["time"], total, places=2)


class TeamCity(Reports):
    VALUE = r"(?:[^|'\[\]\r\n\x80-\U0010ffff]|\|[nr'|\[\]]|\|0x[0-9A-F]{4})*"
    MESSAGE = re.compile(rf"##teamcity\[([A-Za-z]+)((?: [A-Za-z]+='{VALUE}')+)\]")

    def test_each_line_is_a_message_and_each_test_ends(self):
        counts = collections.Counter()
        for line in self.path("all", "teamcity").read_text().splitlines():
            message = self.MESSAGE.fullmatch(line)
            self.assertTrue(message, line)
            counts[message[1]] += 1
        self.assertEqual(counts["testStarted"], counts["testFinished"])
        self.assertEqual(counts["testSuiteStarted"], counts["testSuiteFinished"])
        # Two attempts of the one that wavers failed, and a file.
        self.assertEqual(counts["testFailed"], OUTCOMES["failed"] + 2 + 1)
        self.assertEqual(counts["testIgnored"], OUTCOMES["skipped"] + OUTCOMES["pending"])


class CTRF(Reports):
    # Nothing else is allowed but in `extra` (ctrf.io, 0.1.0).
    TEST = set("name status duration start stop suite message trace snippet line rawStatus tags filePath retries"
               " retryAttempts flaky stdout threadId attachments steps".split())
    ATTEMPT = set("attempt status duration message trace snippet stdout attachments".split())

    def test_it_has_what_the_format_has_and_counts_each_journey(self):
        report = json.loads(self.path("all", "ctrf").read_text())
        self.assertEqual(set(report), {"reportFormat", "specVersion", "results"})
        self.assertRegex(report["specVersion"], r"^\d+\.\d+\.\d+$")
        self.assertEqual(set(report["results"]), {"tool", "summary", "tests", "extra"})
        tests = report["results"]["tests"]
        summary = report["results"]["summary"]
        for test in tests:
            self.assertLessEqual(set(test), self.TEST)
            self.assertIsInstance(test["duration"], int)
            for attempt in test.get("retryAttempts", []):
                self.assertLessEqual(set(attempt), self.ATTEMPT)
        statuses = collections.Counter(test["status"] for test in tests)
        self.assertEqual(statuses, {"passed": 3, "failed": 4, "skipped": 1, "pending": 1})
        self.assertEqual(summary, summary | statuses | {"tests": len(tests), "other": 0, "flaky": 1})
        self.assertLessEqual(summary["start"], summary["stop"])


class Allure(Reports):
    def results(self):
        return [json.loads(path.read_text()) for path in self.path("all", "allure").glob("*-result.json")]

    def check(self, item, kind):
        """Makes objects of Allure's library, which have no room for other members."""
        for name, part in [("steps", allure.TestStepResult), ("attachments", allure.Attachment),
                           ("labels", allure.Label), ("parameters", allure.Parameter)]:
            for child in item.get(name, []):
                self.check(child, part)
        kind(**item)

    def test_results_fit_the_library_and_their_files_are_there(self):
        for result in self.results():
            allure.StatusDetails(**result["statusDetails"])
            self.check(result, allure.TestResult)
            self.assertIn(result["status"], ("passed", "failed", "broken", "skipped"))
            parts = [result]
            while parts:
                part = parts.pop()
                parts += part["steps"]
                for attachment in part["attachments"]:
                    self.assertRegex(attachment["source"], r"^[A-Za-z0-9._-]{1,100}$")
                    body = (self.path("all", "allure") / attachment["source"]).read_bytes()
                    self.assertNotIn(b"correct horse", body)
                    if "http+json" in attachment["type"]:
                        self.assertEqual(json.loads(body)["schemaVersion"], 1)

    def test_attempts_of_a_journey_are_retries_of_one_test(self):
        tests = collections.Counter(result["testCaseId"] for result in self.results())
        self.assertEqual(len(tests), sum(OUTCOMES.values()) + 1)
        wavers = [r for r in self.results() if r["name"] == "wavers"]
        self.assertEqual(sorted(r["status"] for r in wavers), ["failed", "failed", "passed"])


class Later(Reports):
    """The same reports, made from the events of the run."""

    def test_they_are_what_the_run_made(self):
        for kind in KINDS:
            made = self.luath("report", kind, self.path("all", "json"))
            self.assertEqual(made.returncode, 0, made.stderr)
            self.assertEqual(made.stdout, self.path("all", kind).read_text(), kind)
        made = self.luath("report", "pretty", self.path("all", "json"))
        self.assertEqual(made.stdout, self.runs["all"].stdout)

    def test_joined_shards_are_one_run(self):
        shards = [self.folder / f"shard-{index}.ndjson" for index in (1, 2)]
        for index, shard in enumerate(shards, 1):
            run = self.luath("test", "--shard", f"{index}/2", "--report", f"json:{shard}",
                        "--record", self.folder / "none.json", *FILES["all"])
            self.assertLessEqual(run.returncode, 3, run.stderr)
        joined = self.folder / "joined.ndjson"
        xml = self.folder / "joined.xml"
        merge = self.luath("report", "merge", "--output", joined, "--report", f"junit:{xml}", *shards)
        self.assertEqual(merge.returncode, 0, merge.stderr)
        events = self.events(joined)
        self.assertEqual({k: v for k, v in events[-1]["counts"].items() if v}, OUTCOMES)
        self.assertEqual(events[0]["journeys"], sum(OUTCOMES.values()))
        schema = json.loads((ROOT / "docs/events.schema.json").read_text())
        for event in events:
            jsonschema.validate(event, schema)
        lint = check_schema(xml)
        self.assertEqual(lint.returncode, 0, lint.stderr)
        alone = self.luath("report", "merge", shards[0])
        self.assertEqual(alone.returncode, 1)
        self.assertIn("shard 2 of 2 is missing", alone.stderr)


class Load(Reports):
    """The reports of luath load."""

    def test_histograms_are_read_by_the_library_and_have_the_same_figures(self):
        made = self.folder / "load.json"
        run = self.luath("load", "--vus", "2", "--duration", "500ms", "--report", f"json:{made}", "signs_in_journey.lua")
        self.assertEqual(run.returncode, 0, run.stderr)
        groups = json.loads(made.read_text())["groups"]
        self.assertGreater(len(groups), 2)
        total = hdrh.histogram.HdrHistogram(1, 2**32 - 1, 3)
        for group in groups:
            histogram = hdrh.histogram.HdrHistogram.decode(group["hdr"])
            self.assertEqual(histogram.get_total_count(), group["count"])
            for name in ("p50", "p95", "p99"):
                # The library rounds the rank to the nearest, luath up to the next.
                rank = math.ceil(float(name[1:]) / 100 * group["count"])
                theirs = histogram.get_value_at_percentile(rank / group["count"] * 100) / 1000
                self.assertAlmostEqual(group["latency"][name], theirs, delta=theirs / 1000 + 0.0011, msg=group)
            total.decode_and_add(group["hdr"])
        self.assertEqual(total.get_total_count(), sum(group["count"] for group in groups))

    def test_tests_are_journeys_and_limits(self):
        xml = self.folder / "load.xml"
        run = self.luath("load", "--duration", "200ms", "--threshold", "p95<1us", "--report",
                         f"pretty,junit:{xml},allure:{self.folder}/load.allure,ctrf:{self.folder}/load.ctrf",
                         "signs_in_journey.lua")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertEqual(check_schema(xml).returncode, 0)
        failed = [case.name for suite in junitparser.JUnitXml.fromfile(str(xml)) for case in suite if case.result]
        self.assertEqual(failed, ["threshold p95<1us"])
        summary = json.loads((self.folder / "load.ctrf").read_text())["results"]["summary"]
        self.assertEqual(summary["failed"], 1)
        results = [json.loads(file.read_text()) for file in (self.folder / "load.allure").glob("*-result.json")]
        self.assertEqual([result["status"] for result in results].count("failed"), 1)


if __name__ == "__main__":
    sys.exit(checks.run([Runs, Prove, JUnit, Events, Archive, TeamCity, CTRF, Allure, Later, Load], "formats"))
