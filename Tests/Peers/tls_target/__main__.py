"""The target `firebase` from end to end: Google's names, TLS, production rules, and no Google."""
import json
import os
import pathlib
import plistlib
import signal
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import checks  # noqa: E402
from emulator import PATIENCE, Connection, Emulator, program  # noqa: E402
from front import Authority, Front  # noqa: E402
from tokens import ADDRESS, TokenEndpoint  # noqa: E402

PROJECT = "demo-tls"
KEY = "the-key-of-the-app"
BUNDLE = "com.example.tls"
PASSWORD = "correct horse"
EMULATED = f"""
return {{ project = {{
  id = "{PROJECT}", apiKey = "{KEY}", enumerationProtection = false,
  authDomain = "{PROJECT}.firebaseapp.com",
  providers = {{ ["password"] = {{}}, ["anonymous"] = {{}}, ["microsoft.com"] = {{}} }},
  people = {{
    {{ email = "ada@contoso.example", name = "Ada", password = "{PASSWORD}",
      microsoft = {{ tenant = "contoso.example" }} }},
    {{ email = "alan@outlook.example", name = "Alan", password = "{PASSWORD}" }},
  }},
}} }}
"""
world = None


class World:
    """An emulator with TLS in front of it, and the files of its clients."""

    def __init__(self, folder, emulator, tokens, front):
        self.folder, self.emulator, self.tokens, self.front = folder, emulator, tokens, front
        with open(folder / "GoogleService-Info.plist", "wb") as file:
            plistlib.dump(
                {"API_KEY": KEY, "PROJECT_ID": PROJECT, "BUNDLE_ID": BUNDLE, "IS_ADS_ENABLED": False,
                 "PLIST_VERSION": "1"}, file)

    def project(self, name, port, authority, **more):
        """A project file whose target firebase is the app of the plist."""
        fields = {"config": "GoogleService-Info.plist", **more}
        if authority is not None:
            fields["caFile"] = str(authority)
        lines = [f"{key} = {json.dumps(value)}," for key, value in fields.items()]
        places = [f'["{host}"] = "127.0.0.1:{port}",' for host in self.front.hosts]
        path = self.folder / f"{name}.lua"
        path.write_text("return { targets = { firebase = {\n" + "\n".join(lines) + "\nresolve = {\n"
                        + "\n".join(places) + "\n} } } }\n")
        return path


class Target(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.http = Connection(world.emulator.port)
        self.http.send("DELETE", f"/emulator/v1/projects/{PROJECT}/accounts")
        self.http.send("DELETE", "/emulator/v1/faults")
        world.front.requests()

    def tearDown(self):
        self.http.close()

    def run_script(self, name, *arguments, project=None, **environment):
        return subprocess.run(
            [program(), "run", "--project", project or world.good, "--target", "firebase",
             "--timeout", "2m", HERE / name, "--", *arguments],
            env={**os.environ, "ADA_PASSWORD": PASSWORD, "LUATH_ALLOW": "demo-tls", **environment},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)

    def ended_well(self, done, output):
        words = done.stderr.replace("luath: this run changes the real project demo-tls\n", "")
        self.assertEqual((done.stdout, words, done.returncode), (output, "", 0))

    def refused(self, project, *words):
        """A sign-in that must fail before it reaches the emulator."""
        done = self.run_script("anonymous.lua", "1", project=project)
        self.assertEqual(done.returncode, 4, done.stderr)
        for word in ("networkError", *words):
            self.assertIn(word, done.stderr)
        self.assertNotIn(KEY, done.stderr)
        self.assertEqual(world.front.requests(), [])
        self.assertEqual(self.accounts(), [])

    def accounts(self):
        path = f"/identitytoolkit.googleapis.com/v1/projects/{PROJECT}/accounts:batchGet?maxResults=500"
        answer = self.http.send("GET", path, headers={"Authorization": "Bearer owner"})
        self.assertEqual(answer.status, 200, answer.raw)
        return answer.body.get("users", [])

    def fault(self, **fault):
        answer = self.http.send("PUT", "/emulator/v1/faults", {"faults": [fault]})
        self.assertEqual(answer.status, 200, answer.raw)

    def compare(self, *options):
        """Compares the project as a real one with an emulator under the same rules."""
        return subprocess.run(
            [program(), "compare", "--project", world.good, "--target", "firebase", *options],
            env={**os.environ, "GOOGLE_APPLICATION_CREDENTIALS": str(world.folder / "account.json")},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)

    def make_accounts(self, count):
        for number in range(count):
            answer = self.http.admin(PROJECT, "accounts", {"localId": f"resident-{number}"})
            self.assertEqual(answer.status, 200, answer.raw)

    # What works.

    def test_a_project_with_more_than_20_accounts_is_compared_only_when_it_is_named(self):
        chosen = ["--only", "create/*"]
        self.make_accounts(21)
        done = self.compare(*chosen)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("the project demo-tls has more than 20 accounts", done.stderr)
        self.assertIn("if you mean this one: --yes demo-tls", done.stderr)
        sent = [line for line in world.front.requests() if line[2] != "/token"]
        self.assertEqual([line for line in sent if line[1] != "GET"], [])
        done = self.compare(*chosen, "--yes", PROJECT)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(len(self.accounts()), 21)

    def test_a_project_with_20_accounts_is_compared(self):
        self.make_accounts(20)
        environment = dict(os.environ, LUATH_ALLOW=PROJECT)
        with unittest.mock.patch.dict(os.environ, environment):
            done = self.compare("--only", "create/whole account")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_recording_of_a_project_can_be_replayed_and_names_nobody(self):
        folder = world.folder / "recorded"
        done = self.compare("--yes", PROJECT, "--record", str(folder))
        # The pages that links lead to are the emulator's here.
        self.assertIn(" × body.oobLink.$link.to (accounts:sendOobCode)", done.stdout)
        self.assertEqual(done.stdout.count(" × body."), 1, done.stdout)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        for path in folder.rglob("*.*"):
            for name in (PROJECT, KEY):
                self.assertNotIn(name, path.read_text(), path)
        player = HERE.parents[1] / "Conformance/replay.py"
        replayed = subprocess.run(
            [sys.executable, player, "--spawn", "--jobs", "2", "--only", "/passwords/|/tokens/", folder],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(replayed.returncode, 0, replayed.stdout + replayed.stderr)

    def test_the_merge(self):
        self.ended_well(self.run_script("merge.lua"), "merged\t2\n")
        users = self.accounts()
        self.assertEqual([user["email"] for user in users], ["ada@contoso.example"])
        self.assertEqual(
            {way["providerId"] for way in users[0]["providerUserInfo"]},
            {"password", "microsoft.com"})
        ours = world.front.requests()
        self.assertEqual({line[0] for line in ours}, {"identitytoolkit.googleapis.com"})
        # The key of the app may be restricted to it.
        self.assertEqual({line[5] for line in ours}, {f'"{BUNDLE}"'})
        # What may not be done twice needs a protocol that says what was done: see decision 9.
        self.assertEqual(
            {(line[1], line[4]) for line in ours}, {("POST", "HTTP/1.1")})
        self.assertFalse([line for line in ours if "delete" in line[2]])

    def test_a_session_and_the_end_of_its_account(self):
        self.ended_well(self.run_script("session.lua", "delete"), "deleted\n")
        self.assertEqual(self.accounts(), [])
        self.assertIn("securetoken.googleapis.com", {line[0] for line in world.front.requests()})

    def test_nothing_is_made_or_deleted_that_was_not_asked_for(self):
        self.ended_well(self.run_script("session.lua"), "kept\n")
        self.assertEqual([user["email"] for user in self.accounts()], ["grace@fabrikam.example"])
        self.assertFalse([line for line in world.front.requests() if "delete" in line[2]])

    def test_an_administrator_with_the_key_of_a_service_account(self):
        world.tokens.exchanges = 0
        done = self.run_script(
            "admin.lua", GOOGLE_APPLICATION_CREDENTIALS=str(world.folder / "account.json"))
        self.ended_well(done, "administrated\t1\n")
        asked = [line[2] for line in world.front.requests() if line[0] == "www.googleapis.com"]
        self.assertEqual(len(asked), 2, asked)
        self.assertEqual(self.accounts(), [])
        self.assertEqual(world.tokens.exchanges, 1)

    def test_a_key_that_was_revoked(self):
        world.tokens.is_revoked = True
        self.addCleanup(setattr, world.tokens, "is_revoked", False)
        done = self.run_script(
            "admin.lua", GOOGLE_APPLICATION_CREDENTIALS=str(world.folder / "account.json"))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("invalidServiceAccount", done.stderr)
        self.assertIn("make a new key in the console", done.stderr)
        self.assertEqual(self.accounts(), [])

    def test_connections_that_the_server_ends_lose_nothing(self):
        project = world.project(
            "brief", world.front.ports["brief"], world.front.authority.certificate)
        self.ended_well(self.run_script("crowd.lua", "7", "10", project=project), "0 failed\n")
        self.assertEqual(len(self.accounts()), 70)

    # Journeys.

    def journeys(self, *arguments, project=None, **environment):
        return subprocess.Popen(
            [program(), "test", "--project", project or world.good, "--target", "firebase", *arguments],
            env={**os.environ, "LUATH_ALLOW": "demo-tls", **environment},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)

    def test_whom_journeys_make_is_gone_however_they_end(self):
        with self.journeys("--select", "good or bad", HERE / "people_journey.lua") as run:
            output = run.communicate(timeout=PATIENCE)[0]
        self.assertEqual(run.returncode, 1, output)
        self.assertIn("2 passed, 3 failed", output)
        self.assertEqual(self.accounts(), [])
        signed_up = [line for line in world.front.requests() if "signUp" in line[2]]
        self.assertEqual(len(signed_up), 10)

    def test_whom_an_interrupted_journey_made_is_gone(self):
        with self.journeys("--select", "long", HERE / "people_journey.lua") as run:
            for line in run.stdout:
                if "ready" in line:
                    break
            self.assertEqual(len(self.accounts()), 2)
            run.send_signal(signal.SIGINT)
            output = run.communicate(timeout=PATIENCE)[0]
        self.assertEqual(run.returncode, 130, output)
        self.assertEqual(self.accounts(), [])

    def test_an_account_of_the_pool_is_with_one_journey_at_a_time(self):
        text = pathlib.Path(world.good).read_text()
        pool = """accounts = {
          { email = "ada@contoso.example", passwordVariable = "ADA_PASSWORD",
            providers = { "microsoft.com" } },
          { email = "alan@outlook.example", passwordVariable = "ALAN_PASSWORD" },
        }, resolve"""
        project = world.folder / "pool.lua"
        project.write_text(text.replace("resolve", pool, 1))
        with self.journeys(
                "--jobs", "3", HERE / "pool_journey.lua", project=project, ADA_PASSWORD=PASSWORD,
                POOL_FILE=str(world.folder / "taken")) as run:
            output = run.communicate(timeout=PATIENCE)[0]
        self.assertEqual(run.returncode, 0, output)
        self.assertEqual([user["email"] for user in self.accounts()], ["ada@contoso.example"])

    def test_browsers_start_signed_in_by_password_and_by_custom_token(self):
        text = pathlib.Path(world.good).read_text()
        pool = """accounts = {
          { email = "qa1@example.com", passwordVariable = "ADA_PASSWORD" },
          { email = "qa2@example.com", password = "of Microsoft", providers = { "microsoft.com" } },
        }, resolve"""
        project = world.folder / "states.lua"
        project.write_text(text.replace("resolve", pool, 1))
        for email in "qa1@example.com", "qa2@example.com":
            made = self.http.admin(PROJECT, "accounts", {"email": email, "password": PASSWORD})
            self.assertEqual(made.status, 200, made.raw)

        def session(**environment):
            return subprocess.run(
                [program(), "session", "--project", project, "--target", "firebase", "--all", "--yes", "--origin",
                 "https://shop.example", "-o", world.folder / "states"],
                env={**os.environ, "ADA_PASSWORD": PASSWORD, **environment}, stdin=subprocess.DEVNULL,
                capture_output=True, text=True, timeout=PATIENCE)

        done = session()
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("the user signs in at microsoft.com", done.stderr)
        self.assertFalse((world.folder / "states").exists())
        done = session(GOOGLE_APPLICATION_CREDENTIALS=str(world.folder / "account.json"))
        self.assertEqual(done.returncode, 0, done.stderr)
        for email, provider in ("qa1@example.com", "password"), ("qa2@example.com", "custom"):
            state = json.loads((world.folder / f"states/{email}.json").read_text())
            [record] = state["origins"][0]["indexedDB"][0]["stores"][0]["records"]
            self.assertEqual(record["value"]["fbase_key"], f"firebase:authUser:{KEY}:[DEFAULT]")
            user = record["value"]["value"]
            self.assertEqual(user["email"], email)
            claims = json.loads(checks.base64url(user["stsTokenManager"]["accessToken"].split(".")[1]))
            self.assertEqual(claims["firebase"]["sign_in_provider"], provider)

    # What is between.

    def test_an_authority_that_is_not_trusted(self):
        self.refused(world.foreign, "the certificate of identitytoolkit.googleapis.com:443 is refused",
                     "put the issuing authority's certificate in a file")

    def test_no_authority_of_one_s_own(self):
        self.refused(world.project("system", world.front.ports["good"], None), "is refused")

    def test_a_certificate_that_has_expired(self):
        self.refused(
            world.project("expired", world.front.ports["expired"], world.front.authority.certificate),
            "certificate has expired", "check this machine's clock")

    def test_a_certificate_of_another_host(self):
        self.refused(
            world.project("stranger", world.front.ports["stranger"], world.front.authority.certificate),
            "is refused", "another server listens there")

    def test_a_port_without_tls(self):
        self.refused(
            world.project("plain", world.emulator.port, world.front.authority.certificate),
            "the TLS handshake with identitytoolkit.googleapis.com:443 failed",
            "check that the server at the port uses https")

    def test_a_missing_authority_file_is_named(self):
        project = world.project("missing", world.front.ports["good"], "nowhere.pem")
        done = self.run_script("anonymous.lua", "1", project=project)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("needs the file nowhere.pem, which cannot be read", done.stderr)

    def test_an_authority_file_that_holds_none(self):
        (world.folder / "empty.pem").write_text("no certificate\n")
        self.refused(
            world.project("empty", world.front.ports["good"], "empty.pem"), "cannot be read",
            "check caFile of the target")

    # What the project says.

    def test_a_wrong_key(self):
        project = world.project(
            "wrong", world.front.ports["good"], world.front.authority.certificate, apiKey="wrong-key")
        done = self.run_script("anonymous.lua", "1", project=project)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("invalidAPIKey", done.stderr)
        self.assertNotIn("wrong-key", done.stderr)

    def test_a_warning_comes_once_before_the_limit_of_new_accounts(self):
        done = self.run_script("anonymous.lua", "85")
        self.assertEqual((done.stdout, done.returncode), ("done\n", 0), done.stderr)
        self.assertEqual(done.stderr.count("luath: warning:"), 1, done.stderr)
        self.assertIn("number 80 of this run, and a project takes 100 an hour", done.stderr)
        self.assertEqual(len(self.accounts()), 85)

    def test_mails_asked_for_by_hand_are_counted_too(self):
        done = self.run_script("by_hand.lua", KEY)
        self.assertEqual((done.stdout, done.returncode), ("done\n", 0), done.stderr)
        self.assertEqual(done.stderr.count("luath: warning: many sign-in mails"), 1, done.stderr)

    def test_a_lost_answer_is_asked_for_again_only_where_nothing_was_changed(self):
        self.fault(operation="lookup", drop=True, count=2)
        self.ended_well(self.run_script("anonymous.lua", "1"), "done\n")
        self.fault(operation="signUp", drop=True)
        done = self.run_script("anonymous.lua", "1")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("networkError", done.stderr)
        self.assertIn("status 502", done.stderr)
        self.assertEqual(len(self.accounts()), 2)


def service_account(folder, emulator):
    """The key of the emulated project's service account, with Google's token endpoint in it."""
    http = Connection(emulator.port)
    answer = http.send("GET", f"/emulator/v1/projects/{PROJECT}/serviceAccount")
    http.close()
    key = {**answer.body, "token_uri": ADDRESS}
    (folder / "account.json").write_text(json.dumps(key))
    (folder / "account.json").chmod(0o600)
    return key


def main():
    global world
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        emulated = folder / "emulated.lua"
        emulated.write_text(EMULATED)
        with Emulator("--rules", "production", "--project", emulated) as emulator, \
                TokenEndpoint(folder, service_account(folder, emulator)) as tokens, \
                Front(folder, emulator.port, tokens.port, PROJECT) as front:
            world = World(folder, emulator, tokens, front)
            world.good = world.project("good", front.ports["good"], front.authority.certificate)
            world.foreign = world.project(
                "foreign", front.ports["good"], Authority(folder, "foreign").certificate)
            return checks.run([Target], "tls")


if __name__ == "__main__":
    sys.exit(main())
