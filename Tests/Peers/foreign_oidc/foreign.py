"""A foreign OpenID server in a process of its own, and the emulator that relies on it."""
import collections
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import uuid

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import checks  # noqa: E402
from emulator import PATIENCE, Connection, program  # noqa: E402

PROJECT = "demo-oidc"
# Nothing listens here: whoever shows a page stops when it comes up.
CALLBACK = "http://127.0.0.1/callback"
AFTER_LOGOUT = "http://127.0.0.1/callback/signed-out"


class ForeignServer:
    """One of serve_NAME.py, from `with` to the end of it."""

    def __init__(self, name, *options):
        self.name = name
        self.secrets = collections.defaultdict(lambda: str(uuid.uuid4()))
        self.words = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [sys.executable, HERE / f"serve_{name}.py", *options], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self.words, text=True)

    def __enter__(self):
        self.issuer = self.process.stdout.readline().strip()
        if not self.issuer.startswith("http://"):
            raise self.problem("did not start")
        return self

    def __exit__(self, *_):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait(PATIENCE)
        self.process.stdout.close()
        self.words.close()

    def problem(self, what):
        self.words.seek(0)
        return RuntimeError(f"{self.name} {what}:\n{self.words.read()}")

    def tell(self, **line):
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        if self.process.stdout.readline() != "done\n":
            raise self.problem(f"did not do it: {list(line)}")

    def person(self, name):
        self.tell(person={"name": name, "password": f"{name}'s password"})

    def client(self, name, redirects, method="client_secret_basic", algorithm="RS256", **more):
        """Registers an app that comes back to these addresses."""
        secret = None if method == "none" else self.secrets[name]
        self.tell(client={
            "id": f"luath-{name}", "secret": secret, "method": method, "algorithm": algorithm,
            "redirects": redirects, **more})

    def provider(self, name, secret=None):
        """The app as a line of a project file."""
        return (
            f'["oidc.{name}"] = {{ issuer = "{self.issuer}", clientId = "luath-{name}", '
            f'clientSecret = "{secret or self.secrets[name]}" }},')


def project(providers):
    """A project file with these lines of providers."""
    return (
        f'return {{ project = {{ id = "{PROJECT}", enumerationProtection = false, people = {{}},\n'
        '  providers = { ["password"] = {},\n' + "\n".join(providers) + "\n} } }\n")


class Journey(unittest.TestCase):
    """Runs flow.lua against the emulator, which relies on the foreign server."""

    maxDiff = None
    # What the test runs against; whoever loads the cases fills it in.
    server = emulator = project = None
    delegate = "form"

    def setUp(self):
        self.http = Connection(self.emulator.port)
        self.addCleanup(self.http.close)
        self.http.send("DELETE", f"/emulator/v1/projects/{PROJECT}/accounts")

    def run_script(self, script, *arguments, **settings):
        done = self.run_luath(
            ["--project", self.project, "--target", self.emulator.host], script, arguments, settings)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def run_luath(self, options, script, arguments, settings):
        """`luath run`, whatever comes of it."""
        return subprocess.run(
            [program(), "run", *options, "--timeout", "1m", script, "--", *arguments],
            env={**os.environ, "OIDC_DELEGATE": self.delegate, **settings},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)

    def flow(self, action, provider, person, consent=True, password=None, more=(), **settings):
        """What the script says came of it."""
        return json.loads(self.run_script(
            HERE / "flow.lua", action, provider, person, str(consent).lower(), *more,
            OIDC_PASSWORD=password or f"{person}'s password", **settings))

    def signed_in(self, *arguments, **options):
        told = self.flow("signIn", *arguments, **options)
        self.assertNotIn("message", told)
        return told

    def refused(self, code, *arguments, action="signIn", **options):
        """It must fail with this code, and leave no account behind."""
        told = self.flow(action, *arguments, **options)
        self.assertEqual(told.get("code"), code, told)
        self.assertEqual(self.accounts(), [])
        return told

    def accounts(self):
        path = f"/identitytoolkit.googleapis.com/v1/projects/{PROJECT}/accounts:batchGet?maxResults=100"
        answer = self.http.send("GET", path, headers={"Authorization": "Bearer owner"})
        self.assertEqual(answer.status, 200, answer.raw)
        return answer.body.get("users", [])

    def header(self, token):
        return json.loads(checks.base64url(token.split(".")[0]))
