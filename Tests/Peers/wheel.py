"""Installs the Python wheel into a fresh environment, and runs a suite of pytest with its fixtures."""
import os
import pathlib
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

    def test_one_commit_gives_one_wheel(self):
        self.assertEqual(self.pack("two").read_bytes(), self.wheel.read_bytes())
        self.assertIn("luath", (self.wheel.parent / "SHA256SUMS").read_text())


if __name__ == "__main__":
    sys.exit(checks.run([Wheel], "wheel"))
