"""Sign-in with `oidc.NAME` by production rules, where NAME is a server that nobody here wrote."""
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
from emulator import PATIENCE, Connection, Emulator, program  # noqa: E402

PROJECT = "demo-oidc"
SECRETS = {name: str(uuid.uuid4()) for name in ("plain", "curve", "post")}
world = None


class Canaille:
    """A foreign server, in a process of its own."""

    def __init__(self, *methods):
        self.words = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [sys.executable, HERE / "server.py", *methods], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self.words, text=True)

    def __enter__(self):
        self.issuer = self.process.stdout.readline().strip()
        if not self.issuer.startswith("http://"):
            self.words.seek(0)
            raise RuntimeError(f"Canaille did not start:\n{self.words.read()}")
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(PATIENCE)
        self.process.stdout.close()
        self.words.close()

    def tell(self, **line):
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        if self.process.stdout.readline() != "done\n":
            raise RuntimeError(f"Canaille did not do it: {list(line)}")

    def person(self, name):
        self.tell(person={"name": name, "password": f"{name}'s password"})

    def client(self, name, method, algorithm, emulator):
        self.tell(client={
            "id": f"luath-{name}", "secret": SECRETS[name], "method": method,
            "algorithm": algorithm,
            "redirects": [f"{emulator.base}/__/auth/handler", "http://127.0.0.1/callback"]})


def project(first, second):
    """A project file with what the servers know, and one secret that is wrong."""
    providers = {
        "oidc.plain": (first.issuer, "luath-plain", SECRETS["plain"]),
        "oidc.curve": (first.issuer, "luath-curve", SECRETS["curve"]),
        "oidc.post": (second.issuer, "luath-post", SECRETS["post"]),
        "oidc.wrong": (first.issuer, "luath-plain", "not the secret"),
        "oidc.stranger": (first.issuer, "luath-nobody", SECRETS["plain"]),
    }
    lines = [
        f'["{id}"] = {{ issuer = "{issuer}", clientId = "{client}", clientSecret = "{secret}" }},'
        for id, (issuer, client, secret) in providers.items()
    ]
    return (
        f'return {{ project = {{ id = "{PROJECT}", enumerationProtection = false, people = {{}},\n'
        '  providers = { ["password"] = {},\n' + "\n".join(lines) + "\n} } }\n")


class ForeignOIDC(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.http = Connection(world.emulator.port)
        self.http.send("DELETE", f"/emulator/v1/projects/{PROJECT}/accounts")

    def tearDown(self):
        self.http.close()

    def flow(self, action, provider, person, consent=True, password=None, more=(), secret=""):
        """What the script says came of it."""
        done = subprocess.run(
            [program(), "run", "--project", world.project, "--target", world.emulator.host,
             "--timeout", "1m", HERE / "flow.lua", "--", action, provider, person,
             str(consent).lower(), *more],
            env={**os.environ, "OIDC_PASSWORD": password or f"{person}'s password",
                 "OIDC_SECRET": secret},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return json.loads(done.stdout)

    def signed_in(self, *arguments, **options):
        told = self.flow("signIn", *arguments, **options)
        self.assertNotIn("message", told)
        return told

    def accounts(self):
        path = f"/identitytoolkit.googleapis.com/v1/projects/{PROJECT}/accounts:batchGet?maxResults=100"
        answer = self.http.send("GET", path, headers={"Authorization": "Bearer owner"})
        self.assertEqual(answer.status, 200, answer.raw)
        return answer.body.get("users", [])

    def header(self, token):
        head = token.split(".")[0]
        return json.loads(checks.base64url(head))

    def test_by_a_secret_in_the_header_and_rs256(self):
        told = self.signed_in("oidc.plain", "alice")
        self.assertEqual(
            (told["email"], told["name"]), ("alice@canaille.example", "Alice Example"))
        self.assertTrue(told["isNewUser"])
        self.assertEqual(told["signInProvider"], "oidc.plain")
        self.assertEqual([way["id"] for way in told["ways"]], ["oidc.plain"])
        self.assertEqual(told["ways"][0]["uid"], told["profile"]["sub"])
        self.assertEqual(self.header(told["idToken"])["alg"], "RS256")
        self.assertEqual([user["localId"] for user in self.accounts()], [told["uid"]])

    def test_es256(self):
        told = self.signed_in("oidc.curve", "alice")
        self.assertEqual(self.header(told["idToken"])["alg"], "ES256")

    def test_by_a_secret_in_the_form(self):
        told = self.signed_in("oidc.post", "alice")
        self.assertEqual(told["email"], "alice@canaille.example")

    def test_again_is_the_same_account(self):
        first = self.signed_in("oidc.plain", "bob")
        again = self.signed_in("oidc.plain", "bob")
        self.assertEqual((again["uid"], again["isNewUser"]), (first["uid"], False))

    def test_a_wrong_password(self):
        told = self.flow("signIn", "oidc.plain", "carol", password="not carol's")
        self.assertEqual(told["code"], "webCredentialsRefused", told)
        self.assertEqual(self.accounts(), [])

    def test_an_unknown_person(self):
        told = self.flow("signIn", "oidc.plain", "mallory")
        self.assertEqual(told["code"], "webCredentialsRefused", told)

    def test_a_denied_consent(self):
        told = self.flow("signIn", "oidc.plain", "dave", consent=False)
        self.assertEqual(told["code"], "webConsentDenied", told)
        self.assertEqual(self.accounts(), [])

    def test_a_wrong_secret_in_the_project(self):
        told = self.flow("signIn", "oidc.wrong", "erin")
        self.assertEqual(told["code"], "invalidCredential", told)
        self.assertNotIn("not the secret", told["message"])
        self.assertEqual(self.accounts(), [])

    def test_a_client_that_the_server_does_not_know(self):
        told = self.flow("signIn", "oidc.stranger", "erin")
        self.assertIn("code", told)
        self.assertEqual(self.accounts(), [])

    def test_linking_and_signing_in_with_the_link(self):
        linked = self.flow("link", "oidc.plain", "frank", more=["frank@home.example"])
        self.assertEqual({way["id"] for way in linked["ways"]}, {"password", "oidc.plain"})
        self.assertEqual(linked["email"], "frank@home.example")
        told = self.signed_in("oidc.plain", "frank")
        self.assertEqual((told["uid"], told["isNewUser"]), (linked["uid"], False))

    def test_an_identity_of_another_account_cannot_be_linked(self):
        self.signed_in("oidc.plain", "grace")
        told = self.flow("link", "oidc.plain", "grace", more=["other@home.example"])
        self.assertEqual(told["code"], "credentialAlreadyInUse", told)

    def test_two_registrations_at_one_server_are_two_identities(self):
        one = self.signed_in("oidc.plain", "heidi")
        # The server does not say that the address is verified, so nobody is trusted with it.
        told = self.flow("signIn", "oidc.curve", "heidi")
        if one["profile"].get("email_verified"):
            self.assertEqual(told["uid"], one["uid"])
        else:
            self.assertEqual(told["code"], "accountExistsWithDifferentCredential", told)

    def test_an_id_token_that_the_app_got_itself(self):
        told = self.flow(
            "manual", "oidc.plain", "ivan", secret=SECRETS["plain"],
            more=[world.first.issuer, "luath-plain", "a nonce of the app"])
        self.assertNotIn("message", told)
        self.assertEqual(told["email"], "ivan@canaille.example")
        self.assertEqual(told["refusalOfWrongNonce"], "missingOrInvalidNonce")

    def test_keys_may_change_between_two_sign_ins(self):
        before = self.signed_in("oidc.plain", "judy")
        world.first.tell(rotate=True)
        after = self.signed_in("oidc.plain", "judy")
        self.assertEqual(before["uid"], after["uid"])
        self.assertNotEqual(
            self.header(before["idToken"])["kid"], self.header(after["idToken"])["kid"])


class World:
    def __init__(self, first, emulator, project):
        self.first, self.emulator, self.project = first, emulator, project


def main():
    global world
    first, second = Canaille(), Canaille("client_secret_post")
    with first, second, tempfile.TemporaryDirectory(prefix="luath-oidc-") as folder:
        file = pathlib.Path(folder) / "luath.lua"
        file.write_text(project(first, second), encoding="utf-8")
        with Emulator("--rules", "production", "--project", file) as emulator:
            first.client("plain", "client_secret_basic", "RS256", emulator)
            first.client("curve", "client_secret_basic", "ES256", emulator)
            second.client("post", "client_secret_post", "RS256", emulator)
            for name in ("alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi",
                         "ivan", "judy"):
                first.person(name)
            second.person("alice")
            world = World(first, emulator, file)
            return checks.run([ForeignOIDC], "Canaille, production rules")


if __name__ == "__main__":
    sys.exit(main())
