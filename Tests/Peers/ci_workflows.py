"""The workflows of `luath init --ci`: by their services' schemas, and with their shell lines run as each service would.

A job runs in a copy of the repository. It gets the artifacts, workspaces and caches that the workflow names, and no
others. `apt-get` is a stand-in.
"""
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import jsonschema
import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import checks  # noqa: E402
from emulator import PATIENCE, Emulator, program  # noqa: E402

SCHEMAS = pathlib.Path(importlib.util.find_spec("check_jsonschema").origin).parent / "builtin_schemas/vendor"
APT = """#!/bin/sh
for word; do
  case $word in ./*) test -f "$word" || exit 100 ;; esac
done
"""
FAILING = """
local journey <const> = require "luath.journey"

journey("fails on purpose", function() require("luath.expect").equal(1, 2) end)
"""
# A test of an app: creates an account.
APP_TESTS = """curl --silent --fail -H 'Content-Type: application/json' -d '{"email":"ada@contoso.example","password":"correct horse"}' \
"http://$FIREBASE_AUTH_EMULATOR_HOST/identitytoolkit.googleapis.com/v1/accounts:signUp?key=any" && echo "project $GCLOUD_PROJECT" """


def parsed(text):
    """A document of YAML, in which `on` is no truth value."""
    found = yaml.safe_load(text)
    return {"on" if key is True else key: value for key, value in found.items()}


class Job:
    """The folder of one job, and what its lines print."""

    def __init__(self, service, environment):
        self.service = service
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=service.folder))
        shutil.copytree(service.repository, self.folder, dirs_exist_ok=True)
        self.environment = {
            "PATH": f"{service.folder}/bin:/usr/bin:/bin", "HOME": str(service.folder), "CI": "true",
            "TMPDIR": str(service.folder), **{key: str(value) for key, value in environment.items()}}
        self.code, self.output = 0, ""

    def run(self, *shell, text):
        """Runs lines as a step does; after a step that fails, none runs."""
        if self.code == 0:
            done = subprocess.run([*shell, text], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)
            self.code, self.output = done.returncode, self.output + done.stdout

    def take(self, paths, root="."):
        """The files of paths, by their names below a root."""
        files = {}
        for path in paths:
            place = self.folder / path
            for file in place.rglob("*") if place.is_dir() else [place]:
                if file.is_file():
                    files[file.relative_to(self.folder / root).as_posix()] = file.read_bytes()
        return files

    def put(self, files, root="."):
        for name, content in files.items():
            path = self.folder / root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


class Service:
    """A repository with the workflow of one service, and what its jobs store."""
    name = path = schema = None

    def __init__(self, folder):
        self.folder = folder
        self.repository = folder / "repository"
        (folder / "bin").mkdir()
        (folder / "bin/luath").symlink_to(program())
        (folder / "bin/apt-get").write_text(APT)
        (folder / "bin/apt-get").chmod(0o755)
        subprocess.run([program(), "init", "--template", "journey", "--ci", self.name, self.repository], check=True,
                       stdout=subprocess.DEVNULL, timeout=PATIENCE)
        (self.repository / ".git").mkdir()
        (self.repository / "ci").mkdir()
        (self.repository / "ci/luath_0_amd64.deb").write_bytes(b"")
        self.text = (self.repository / self.path).read_text()
        self.workflow = parsed(self.text)
        self.cache, self.stored = {}, {}

    def errors(self, workflow):
        schema = json.loads((SCHEMAS / f"{self.schema}.json").read_text())
        return list(jsonschema.validators.validator_for(schema)(schema).iter_errors(workflow))


class GitHub(Service):
    name, path, schema = "github", ".github/workflows/luath.yml", "github-workflows"
    shell = ("bash", "-e", "-c")

    def shards(self):
        return len(self.workflow["jobs"]["journeys"]["strategy"]["matrix"]["shard"])

    def image_is_asked_for(self):
        job = self.workflow["jobs"]["app-with-service"]
        return "vars.LUATH_IMAGE != ''" in job["if"] and "vars.LUATH_IMAGE" in job["services"]["auth"]["image"]

    def job(self, name, shard=1, **environment):
        found = self.workflow["jobs"][name]
        values = {"matrix.shard": str(shard), "strategy.job-total": str(self.shards()), "github.run_id": "1",
                  "github.run_attempt": "1"}
        job = Job(self, {**self.workflow["env"], **found.get("env", {}), **environment})
        self.summary = job.folder / "summary.md"
        job.environment.update({"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(self.summary)})

        def filled(text):
            return re.sub(r"\$\{\{ (\S+) \}\}", lambda match: values[match[1]], text)

        for step in found["steps"]:
            if "run" in step:
                job.run(*self.shell, text=filled(step["run"]))
                continue
            kind, given = step["uses"].split("@")[0].split("/", 1)[1], step.get("with", {})
            if job.code and "cancelled()" not in step.get("if", ""):
                continue
            if kind == "upload-artifact":
                path = given["path"]
                root = path if (job.folder / path).is_dir() else "."
                self.stored[filled(given["name"])] = job.take([path], root)
            elif kind == "download-artifact":
                start = given.get("pattern", given.get("name")).removesuffix("*")
                for name in [name for name in self.stored if name.startswith(start)]:
                    job.put(self.stored[name], given.get("path", "."))
            elif kind == "cache/restore":
                job.put(self.cache)
            elif kind == "cache/save":
                self.cache = job.take([given["path"]])
            else:
                assert kind == "checkout", kind
        return job


class GitLab(Service):
    name, path, schema = "gitlab", ".gitlab-ci.yml", "gitlab-ci"

    def shards(self):
        return self.workflow["journeys"]["parallel"]

    def image_is_asked_for(self):
        job = self.workflow["app-with-service"]
        return job["rules"] == [{"if": "$LUATH_IMAGE"}] and job["services"][0]["name"] == "$LUATH_IMAGE"

    def job(self, name, shard=1, **environment):
        found = self.workflow[name]
        found = {**self.workflow.get(found.get("extends"), {}), **found}
        job = Job(self, {**self.workflow["variables"], **found.get("variables", {}), "CI_NODE_INDEX": shard,
                         "CI_NODE_TOTAL": self.shards(), **environment})
        policy = found.get("cache", {}).get("policy", "")
        for need in found.get("needs", []):
            for files in self.stored.get(need, {}).values():
                job.put(files)
        if "pull" in policy:
            job.put(self.cache)
        job.run("sh", "-e", "-c", text="\n".join(found.get("before_script", []) + found["script"]))
        artifacts = found.get("artifacts", {})
        if job.code == 0 or artifacts.get("when") == "always":
            self.stored.setdefault(name, {})[shard] = job.take(artifacts.get("paths", []))
            report = artifacts.get("reports", {}).get("junit")
            assert report is None or (job.folder / report).is_file(), report
        if "push" in policy and job.code == 0:
            self.cache = job.take(found["cache"]["paths"])
        return job


class Circle(Service):
    name, path, schema = "circle", ".circleci/config.yml", "circle-ci"
    shell = ("bash", "-e", "-o", "pipefail", "-c")

    def shards(self):
        return self.workflow["jobs"]["journeys"]["parallelism"]

    def image_is_asked_for(self):
        when = self.workflow["workflows"]["luath-with-service"]["when"]
        image = self.workflow["jobs"]["app-with-service"]["docker"][1]["image"]
        return when["not"]["equal"] == [self.workflow["parameters"]["luath-image"]["default"], image]

    def job(self, name, shard=1, **environment):
        found = self.workflow["jobs"][name]
        executor = self.workflow["executors"][found["executor"]] if "executor" in found else {}
        job = Job(self, {**executor.get("environment", {}), **found.get("environment", {}),
                         "CIRCLE_NODE_INDEX": shard - 1, "CIRCLE_NODE_TOTAL": self.shards(), **environment})
        for step in found["steps"]:
            self.step(job, step)
        return job

    def step(self, job, step):
        kind, given = next(iter(step.items())) if isinstance(step, dict) else (step, None)
        if kind in self.workflow["commands"]:
            for inner in self.workflow["commands"][kind]["steps"]:
                self.step(job, inner)
        elif kind == "run":
            job.run(*self.shell, text=given)
        elif job.code:
            pass
        elif kind == "persist_to_workspace":
            self.stored.update(job.take(given["paths"], given["root"]))
        elif kind == "attach_workspace":
            job.put(self.stored, given["at"])
        elif kind == "restore_cache":
            job.put(self.cache)
        elif kind == "save_cache":
            self.cache = job.take(given["paths"])
        elif kind in ("store_test_results", "store_artifacts"):
            assert (job.folder / given["path"]).exists(), given
        else:
            assert kind == "checkout", kind


class Workflow:
    """The tests of one service."""
    kind = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="luath-ci-")
        self.addCleanup(folder.cleanup)
        self.service = self.kind(pathlib.Path(folder.name))

    def pipeline(self, shard_codes=(0, 0)):
        """Runs the jobs of the journeys in their order; returns the last one, which makes the report."""
        self.assertEqual(self.service.job("durations").code, 0)
        for shard, code in enumerate(shard_codes, start=1):
            job = self.service.job("journeys", shard)
            self.assertEqual(job.code, code, job.output)
        job = self.service.job("report")
        self.assertEqual(job.code, 0, job.output)
        return job

    def junit(self, job):
        root = xml.etree.ElementTree.parse(job.folder / "out/junit.xml").getroot()
        return root, [case.get("name") for case in root.iter("testcase")]

    def test_the_schema_accepts_it(self):
        self.assertEqual([error.message for error in self.service.errors(self.service.workflow)], [])
        broken = json.loads(json.dumps(self.service.workflow))
        jobs = broken["jobs"] if "jobs" in broken else broken
        jobs["journeys"]["artefacts" if "jobs" not in broken else "step"] = 1
        self.assertNotEqual(self.service.errors(broken), [])

    def test_images_are_of_no_certain_registry(self):
        images = re.findall(r"(?:image|container|name): *(\S+/\S+)", self.service.text)
        self.assertEqual([name for name in images if not name.startswith("REGISTRY/")], [])
        self.assertTrue(self.service.image_is_asked_for())

    def test_journeys_in_shards_have_one_report(self):
        self.assertEqual(self.service.shards(), 2)
        job = self.pipeline()
        _, names = self.junit(job)
        self.assertEqual((len(names), len(set(names))), (4, 4))
        self.assertIn("</html>", (job.folder / "out/report.html").read_text())
        record = json.loads(self.service.cache["durations.json"])
        self.assertEqual((len(record["durations"]), record["failed"]), (4, []))
        # With these durations, the next run has the same journeys.
        self.service.stored.clear()
        self.assertEqual(sorted(self.junit(self.pipeline())[1]), sorted(names))

    def test_a_journey_that_fails_is_in_the_report(self):
        (self.service.repository / "journeys/a_journey.lua").write_text(FAILING)
        self.pipeline_with_a_failure()

    def pipeline_with_a_failure(self):
        self.assertEqual(self.service.job("durations").code, 0)
        codes = [self.service.job("journeys", shard).code for shard in (1, 2)]
        self.assertEqual(sorted(codes), [0, 1])
        job = self.service.job("report")
        self.assertEqual(job.code, 0, job.output)
        root, names = self.junit(job)
        self.assertEqual(len(names), 5)
        self.assertEqual(len(list(root.iter("failure"))), 1)
        self.assertIn("fails on purpose", job.output)
        self.assertIn("fails on purpose", self.summary(job))
        self.assertEqual(len(json.loads(self.service.cache["durations.json"])["failed"]), 1)
        return job

    def summary(self, job):
        return (job.folder / "out/summary.md").read_text()

    def test_a_lost_shard_fails_the_report_and_keeps_the_record(self):
        self.assertEqual(self.service.job("durations").code, 0)
        self.assertEqual(self.service.job("journeys", 1).code, 0)
        job = self.service.job("report")
        self.assertEqual(job.code, 1)
        self.assertIn("shard 2 of 2 is missing", job.output)
        self.assertEqual(self.service.cache, {})

    def test_the_tests_of_the_app_run_on_the_emulator(self):
        job = self.service.job("app")
        self.assertEqual(job.code, 0, job.output)
        self.assertIn("set APP_TESTS", job.output)
        job = self.service.job("app", APP_TESTS=APP_TESTS)
        self.assertEqual(job.code, 0, job.output)
        self.assertIn("project demo-journeys", job.output)
        self.assertEqual(self.service.job("app", APP_TESTS="exit 7").code, 7)

    def test_the_tests_of_the_app_run_on_the_service(self):
        with Emulator("--host", "0.0.0.0") as emulator:
            job = self.service.job("app-with-service", FIREBASE_AUTH_EMULATOR_HOST=emulator.host, APP_TESTS=APP_TESTS)
        self.assertEqual(job.code, 0, job.output)
        self.assertIn("project demo-luath", job.output)


class OnGitHub(Workflow, unittest.TestCase):
    kind = GitHub

    def summary(self, job):
        return self.service.summary.read_text()

    def pipeline_with_a_failure(self):
        job = super().pipeline_with_a_failure()
        self.assertRegex(job.output, r"(?m)^::error file=journeys/a_journey\.lua,line=4")

    def test_the_cache_is_found_by_the_system_that_stores_it(self):
        # The version of an entry has the program that compresses it, and so depends on the image.
        jobs = self.service.workflow["jobs"].values()
        images = {job.get("container") for job in jobs if "actions/cache/" in str(job["steps"])}
        self.assertEqual(images, {"debian:12"})


class OnGitLab(Workflow, unittest.TestCase):
    kind = GitLab

    def pipeline_with_a_failure(self):
        job = super().pipeline_with_a_failure()
        failed = next(case for case in self.junit(job)[0].iter("testcase") if case.find("failure") is not None)
        self.assertEqual((failed.get("file"), failed.get("line")), ("journeys/a_journey.lua", "4"))

    def test_a_change_has_one_pipeline(self):
        # Without rules for all jobs, those of one job make a second pipeline, which alone a merge request shows.
        rules = [(rule["if"], rule.get("when")) for rule in self.service.workflow["workflow"]["rules"]]
        self.assertEqual(rules[1], ("$CI_COMMIT_BRANCH && $CI_OPEN_MERGE_REQUESTS", "never"))


class OnCircle(Workflow, unittest.TestCase):
    kind = Circle

    def test_every_job_installs_what_the_steps_of_circleci_need(self):
        commands = self.service.workflow["commands"]
        for name, job in self.service.workflow["jobs"].items():
            first = job["steps"][0]
            while isinstance(first, str):
                first = commands[first]["steps"][0]
            self.assertIn("ca-certificates", first["run"], name)


if __name__ == "__main__":
    os.environ.pop("FIREBASE_AUTH_EMULATOR_HOST", None)
    sys.exit(checks.run([OnGitHub, OnGitLab, OnCircle], "ci-workflows"))
