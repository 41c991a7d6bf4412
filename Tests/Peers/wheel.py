"""Installs the Python wheel into a fresh environment, and runs a suite of pytest with its fixtures."""
import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import checks  # noqa: E402
from emulator import PATIENCE, ROOT, program  # noqa: E402

SUITE = '''\
import functools
import http.server
import json
import os
import stat
import threading
import urllib.request

import firebase_admin
import firebase_admin.auth
import pytest
from playwright.sync_api import sync_playwright

from luath import LuathError

STORED = """async () => {
  const database = await new Promise((done, failed) => {
    const opening = indexedDB.open("firebaseLocalStorageDb");
    opening.onsuccess = () => done(opening.result);
    opening.onerror = () => failed(opening.error);
  });
  const reading = database.transaction("firebaseLocalStorage").objectStore("firebaseLocalStorage").getAll();
  return await new Promise(done => reading.onsuccess = () => done(reading.result.map(entry => entry.value.email)));
}"""


@pytest.fixture(scope="session")
def admin(luath_emulator):
    return firebase_admin.initialize_app(options={"projectId": luath_emulator.project})


def test_the_admin_sdk_finds_the_emulator(luath_project, admin):
    user = firebase_admin.auth.create_user(email="ada@contoso.example")
    assert firebase_admin.auth.get_user(user.uid).email == "ada@contoso.example"


def test_each_test_begins_without_accounts(luath_project, admin):
    assert list(firebase_admin.auth.list_users().iterate_all()) == []


def test_users_are_signed_in(luath_user, admin):
    user = luath_user(email="ada@contoso.example", displayName="Ada")
    assert firebase_admin.auth.verify_id_token(user.id_token)["name"] == "Ada"
    assert user.password not in repr(user) and user.id_token not in repr(user)


def test_what_the_emulator_refuses_is_an_error(luath_user):
    luath_user(email="ada@contoso.example")
    with pytest.raises(LuathError, match="EMAIL_EXISTS"):
        luath_user(email="ada@contoso.example")


def test_a_browser_starts_signed_in(luath_user, luath_browser_state):
    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<p>the app")

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{server.server_port}"
    user = luath_user(email="ada@contoso.example")
    state = luath_browser_state(user, origin)
    assert stat.S_IMODE(state.stat().st_mode) == 0o600
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ["CHROMIUM"], args=["--no-sandbox"])
        page = browser.new_context(storage_state=state).new_page()
        page.goto(origin)
        assert page.evaluate(STORED) == ["ada@contoso.example"]
        browser.close()
    server.shutdown()
'''

# Their passwords are in no text of this file, which pytest's tracebacks quote.
FAILING = '''\
import secrets


def test_a_refused_user(luath_user):
    luath_user(email="ada@contoso.example")
    luath_user(email="ada@contoso.example", password="nesohc-drowssap"[::-1])


def test_a_refused_user_with_a_generated_password(luath_user, monkeypatch):
    luath_user(email="ada@contoso.example")
    monkeypatch.setattr(secrets, "token_urlsafe", lambda size: "detareneg-drowssap"[::-1])
    luath_user(email="ada@contoso.example")


def test_a_wrong_field(luath_user):
    luath_user(pasword="nesohc-drowssap"[::-1])


def test_a_refused_request(luath_project):
    luath_project.request("POST", "/nosuch", {"password": "nesohc-drowssap"[::-1]})


def test_an_emulator_that_has_ended(luath_emulator):
    luath_emulator.stop()
    luath_emulator.create_user(password="nesohc-drowssap"[::-1])
'''

RESET = '''\
import pytest

from luath import LuathError


class Project:
    def __init__(self, emulator):
        self.emulator = emulator
        self.toolkit = f"/identitytoolkit.googleapis.com/v2/projects/{emulator.project}"

    def accounts(self, tenant=""):
        return self.emulator.request(
            "POST", f"{self.toolkit.replace('v2', 'v1')}{tenant}/accounts:query", {}).get("userInfo", [])

    def state(self):
        get = lambda path: self.emulator.request("GET", path)
        state = {path: get(path) for path in (
            f"{self.toolkit}/config", f"{self.toolkit}/tenants", "/emulator/v1/faults",
            f"/emulator/v1/projects/{self.emulator.project}/config")}
        people = get("/emulator/v1/people")["people"]
        state["people"] = sorted(person["email"] for person in people)
        try:
            state["providers"] = get(f"{self.toolkit}/oauthIdpConfigs")
        except LuathError as error:
            assert "501" in str(error)
        return state


@pytest.fixture
def project(luath_project):
    return Project(luath_project)


@pytest.fixture(scope="session")
def at_the_start(luath_emulator):
    return Project(luath_emulator).state()


def test_one_changes_everything(at_the_start, project):
    send = project.emulator.request
    is_private = send("GET", f"{project.toolkit}/config")["emailPrivacyConfig"].get("enableImprovedEmailPrivacy", False)
    mask = "signIn.allowDuplicateEmails,emailPrivacyConfig,blockingFunctions"
    send("PATCH", f"{project.toolkit}/config?updateMask={mask}", {
        "signIn": {"allowDuplicateEmails": True},
        "emailPrivacyConfig": {"enableImprovedEmailPrivacy": not is_private},
        "blockingFunctions": {"triggers": {"beforeCreate": {"functionUri": "http://127.0.0.1:1/"}}}})
    tenant = send("POST", f"{project.toolkit}/tenants", {"displayName": "sales", "allowPasswordSignup": True})
    path = f"/tenants/{tenant['name'].rpartition('/')[2]}"
    send("POST", f"{project.toolkit.replace('v2', 'v1')}{path}/accounts", {
        "email": "ada@contoso.example", "password": "correct horse"})
    assert len(project.accounts(path)) == 1
    if "providers" in at_the_start:
        send("DELETE", f"{project.toolkit}/oauthIdpConfigs/oidc.corp")
        send("PATCH", f"/emulator/v1/projects/{project.emulator.project}/config", {
            "providers": {"google.com": {"enabled": False}}})
        # Without tenants, the project refuses to list or delete them.
        send("PATCH", f"{project.toolkit}/config?updateMask=multiTenant.allowTenants", {
            "multiTenant": {"allowTenants": False}})
    send("DELETE", "/emulator/v1/people?email=ada%40contoso.example")
    send("POST", "/emulator/v1/people", {"email": "new@contoso.example"})
    send("PUT", "/emulator/v1/faults", {"faults": [{"operation": "getConfig", "error": "UNAVAILABLE", "rate": 1}]})


def test_two_finds_nothing_changed(at_the_start, project):
    assert project.accounts() == []
    assert project.state() == at_the_start
'''

FIELDS = '''\
import base64
import json

import pytest


def account_of(project, user):
    return project.request(
        "POST", f"/identitytoolkit.googleapis.com/v1/projects/{project.project}/accounts:lookup",
        {"localId": [user.uid]})["users"][0]


@pytest.mark.parametrize("fields", [
    {"displayName": "Ada", "emailVerified": True, "phoneNumber": "+15555550100", "disabled": True, "uid": "ada",
     "photoURL": "https://contoso.example/ada.png", "customClaims": {"role": "admin"}},
    {"display_name": "Ada", "email_verified": True, "phone_number": "+15555550100", "disabled": True, "uid": "ada",
     "photo_url": "https://contoso.example/ada.png", "custom_claims": {"role": "admin"}}])
def test_fields_reach_the_account(luath_project, luath_user, fields):
    user = luath_user(**fields)
    account = account_of(luath_project, user)
    assert {name: account[name] for name in (
        "displayName", "emailVerified", "phoneNumber", "disabled", "localId", "photoUrl")} == {
        "displayName": "Ada", "emailVerified": True, "phoneNumber": "+15555550100", "disabled": True, "localId": "ada",
        "photoUrl": "https://contoso.example/ada.png"}
    claims = user.id_token.split(".")[1]
    assert json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))["role"] == "admin"


@pytest.mark.parametrize("fields, message", [
    ({"displayname": "Ada"}, "did you mean displayName"), ({"e_mail": "x"}, "did you mean email"),
    ({"zzz": 1}, "use one of displayName"), ({"uid": "a", "localId": "b"}, "given twice"),
    ({"customClaims": "{}"}, "pass a dictionary")])
def test_other_fields_are_refused(luath_user, fields, message):
    with pytest.raises(TypeError, match=message):
        luath_user(**fields)


def test_a_wrong_persistence_has_a_hint_for_python(luath_user, luath_browser_state):
    from luath import LuathError
    for persistence in ("session", "none"):
        with pytest.raises(LuathError, match=f"persistence='{persistence}'") as error:
            luath_browser_state(luath_user(), "http://localhost:3000", persistence=persistence)
        assert 'persistence="local"' in str(error.value) and "--" not in str(error.value)
'''


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        made = tempfile.TemporaryDirectory()
        cls.addClassCleanup(made.cleanup)
        cls.folder = pathlib.Path(made.name)
        cls.wheel = cls.pack("one")
        # Debian's Python and pytest; nothing of luath.
        cls.run_there("/usr/bin/python3", "-m", "venv", "--system-site-packages", "venv")
        cls.run_there("venv/bin/pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", cls.wheel)
        peers = next((ROOT / ".build-peers/venv/lib").glob("python3*/site-packages"))
        own = next((cls.folder / "venv/lib").glob("python3*/site-packages"))
        # What the suite needs beside luath is there already.
        (own / "peers.pth").write_text(f"{peers}\n")

    @classmethod
    def pack(cls, folder):
        done = subprocess.run([ROOT / "Tools/make-wheel", program(), cls.folder / folder], check=True,
                              stdout=subprocess.PIPE, text=True, timeout=PATIENCE)
        return pathlib.Path(done.stdout.strip())

    @classmethod
    def run_there(cls, *command, fails=False, **environment):
        clean = {key: value for key, value in os.environ.items() if key != "LUATH"}
        done = subprocess.run(
            [str(word) for word in command], cwd=cls.folder, env={**clean, **environment}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)
        if (done.returncode != 0) != fails:
            raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}")
        return done.stdout

    def run_pytest(self, name, suite, *options, ini="", fails=False, before=(), **environment):
        """Runs a suite in a folder of its own; returns what pytest prints."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        (folder / "pytest.ini").write_text(f"[pytest]\n{ini}\n")
        (folder / f"test_{name}.py").write_text(suite)
        return self.run_there(
            *before, "venv/bin/python", "-m", "pytest", "-p", "no:cacheprovider", "-q", *options, folder, fails=fails,
            **environment)

    def test_failures_show_no_password(self):
        for options in ([], ["--showlocals"], ["--showlocals", "--full-trace"], ["--tb=native"]):
            with self.subTest(options=options):
                out = self.run_pytest("failing", FAILING, f"--junitxml={self.folder}/junit.xml", *options, fails=True)
                self.assertIn("5 failed", out)
                self.assertIn("create_user: EMAIL_EXISTS", out)
                self.assertIn("did you mean password?", out)
                self.assertIn("no emulator responds at", out)
                for text in (out, (self.folder / "junit.xml").read_text()):
                    self.assertNotIn("password-chosen", text)
                    self.assertNotIn("password-generated", text)
                if not options:
                    self.assertNotIn("_emulator.py:", out)

    def test_the_emulator_ends_with_pytest(self):
        suite = ("import signal\n\n\ndef test_that_waits(luath_project):\n"
                 "    print('emulator', luath_project._process.pid, flush=True)\n    signal.pause()\n")
        (self.folder / "test_waiting.py").write_text(suite)
        for name in ("SIGTERM", "SIGKILL"):
            with self.subTest(signal=name), subprocess.Popen(
                    ["venv/bin/python", "-m", "pytest", "-p", "no:cacheprovider", "-s", "test_waiting.py"],
                    cwd=self.folder, env={key: value for key, value in os.environ.items() if key != "LUATH"},
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as pytest:
                line = next(line for line in pytest.stdout if "emulator " in line)
                emulator = os.pidfd_open(int(line.rpartition("emulator ")[2]))
                pytest.send_signal(getattr(signal, name))
                pytest.wait(PATIENCE)
                ended, _, _ = select.select([emulator], [], [], PATIENCE / 4)
                if not ended:
                    signal.pidfd_send_signal(emulator, signal.SIGKILL)
                os.close(emulator)
                self.assertTrue(ended, "the emulator still runs")

    def test_a_proxy_is_not_used(self):
        suite = ("def test(luath_user, luath_browser_state):\n"
                 "    luath_browser_state(luath_user(), 'http://localhost:3000')\n")
        out = self.run_pytest("proxy", suite, http_proxy="http://127.0.0.1:1", HTTP_PROXY="http://127.0.0.1:1",
                              all_proxy="http://127.0.0.1:1", no_proxy="", NO_PROXY="")
        self.assertIn("1 passed", out)

    def test_each_test_begins_with_the_state_of_the_start(self):
        for rules in ("compatible", "production"):
            with self.subTest(rules=rules):
                out = self.run_pytest("reset", RESET, ini=f"luath_options = --rules {rules}")
                self.assertIn("2 passed", out)

    def test_the_emulator_of_the_environment_is_used(self):
        suite = ("import base64\nimport os\n\nGIVEN = os.environ['FIREBASE_AUTH_EMULATOR_HOST']\n"
                 "PROJECT = os.environ.get('GCLOUD_PROJECT')\n\n\n"
                 "def test(luath_user, luath_emulator):\n"
                 "    assert (luath_emulator.address, luath_emulator.project) == (GIVEN, PROJECT)\n"
                 "    claims = base64.urlsafe_b64decode(luath_user().id_token.split('.')[1] + '===')\n"
                 "    assert f'\"aud\":\"{PROJECT}\"' in claims.decode()\n")
        still_there = ("import os, luath\n"
                       "luath.Emulator.running(os.environ['FIREBASE_AUTH_EMULATOR_HOST'], os.environ['GCLOUD_PROJECT'])")
        out = self.run_pytest("given", suite, before=(
            "venv/bin/luath", "exec", "--", "sh", "-c", '"$@" && exec venv/bin/python -c "$0"', still_there))
        self.assertIn("1 passed", out)
        out = self.run_pytest("given", suite, before=(
            "venv/bin/luath", "exec", "--", "env", "GCLOUD_PROJECT=demo-other"))
        self.assertIn("1 passed", out)
        out = self.run_pytest("given", suite, fails=True, FIREBASE_AUTH_EMULATOR_HOST="127.0.0.1:1")
        self.assertIn("GCLOUD_PROJECT is not set", out)
        out = self.run_pytest("given", suite, fails=True, FIREBASE_AUTH_EMULATOR_HOST="127.0.0.1:1", GCLOUD_PROJECT="a")
        self.assertIn("no emulator responds at 127.0.0.1:1", out)
        self.assertNotIn("Traceback", out)

    def test_the_port_can_be_chosen(self):
        # Even a free port, which is the default, was given twice.
        for option in ("--port 0", "--port=0"):
            with self.subTest(option=option):
                out = self.run_pytest(
                    "port", "def test(luath_user):\n    luath_user()\n", ini=f"luath_options = {option}")
                self.assertIn("1 passed", out)

    def test_fields_of_users(self):
        self.assertIn("8 passed", self.run_pytest("fields", FIELDS))

    def test_only_the_program_is_packed(self):
        elsewhere = self.folder / "elsewhere"
        (self.folder / "no-strip").mkdir()
        for file in pathlib.Path("/usr/bin").iterdir():
            if file.name != "strip":
                (self.folder / "no-strip" / file.name).symlink_to(file)
        for words, message, path in (
                (["/bin/ls", elsewhere], "is not luath", None), (["nosuch", elsewhere], "No such file", None),
                ([self.folder, elsewhere], "Permission denied", None),
                ([program(), "/proc/nosuch/dist"], "/proc/nosuch", None),
                ([program(), elsewhere], "cannot run strip", str(self.folder / "no-strip"))):
            with self.subTest(words=words):
                environment = os.environ if path is None else {**os.environ, "PATH": path}
                done = subprocess.run([sys.executable, ROOT / "Tools/make-wheel", *words], env=environment,
                                      capture_output=True, text=True, timeout=PATIENCE)
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn(message, done.stderr)
                self.assertIn("hint:", done.stderr)
                self.assertNotIn("Traceback", done.stderr)
                self.assertFalse(elsewhere.exists())

    def test_a_suite_of_pytest(self):
        (self.folder / "test_suite.py").write_text(SUITE)
        out = self.run_there("venv/bin/python", "-m", "pytest", "-p", "no:cacheprovider", "-q", "test_suite.py",
                             CHROMIUM="/usr/bin/chromium-headless-shell")
        self.assertIn("5 passed", out)

    def test_options_come_from_the_configuration(self):
        (self.folder / "pytest.ini").write_text("[pytest]\nluath_options = --rules strict\n")
        (self.folder / "test_bad.py").write_text("def test(luath_emulator):\n    pass\n")
        out = self.run_there("venv/bin/python", "-m", "pytest", "-p", "no:cacheprovider", "-q", "test_bad.py", fails=True)
        self.assertIn("--rules", out)
        self.assertIn("strict", out)
        self.assertNotIn("Traceback", out)
        (self.folder / "pytest.ini").unlink()

    def test_the_program_is_in_the_environment(self):
        self.assertTrue(self.run_there("venv/bin/luath", "--version").startswith("luath "))
        self.assertTrue(self.run_there("venv/bin/python", "-m", "luath", "--version").startswith("luath "))

    def test_a_with_block_ends_the_emulator(self):
        out = self.run_there("venv/bin/python", "-c", (
            "import luath, os\n"
            "with luath.Emulator('--rules', 'production') as emulator:\n"
            "    print(emulator.create_user('ada@contoso.example').email)\n"
            "    process = emulator._process.pid\n"
            "try:\n    os.kill(process, 0)\nexcept ProcessLookupError:\n    print('ended')\n"))
        self.assertEqual(out.split(), ["ada@contoso.example", "ended"])

    def test_it_has_its_bill_of_materials(self):
        file = next((self.folder / "venv/lib").glob("python3*/site-packages/luath-*.dist-info/sboms/luath.spdx.json"))
        names = {package["name"] for package in json.loads(file.read_text(encoding="utf-8"))["packages"]}
        self.assertLessEqual({"luath", "swift-runtime", "lua-luassert", "libcurl4", "libc6"}, names)

    def test_one_commit_gives_one_wheel(self):
        self.assertEqual(self.pack("two").read_bytes(), self.wheel.read_bytes())
        self.assertIn("luath", (self.wheel.parent / "SHA256SUMS").read_text())


if __name__ == "__main__":
    sys.exit(checks.run([Wheel], "wheel"))
