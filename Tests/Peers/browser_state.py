"""Browsers that luath signs in: the files of `luath session` in Playwright, and its script in a page.

The page is the Firebase JS SDK's, as streamlit-firebase-auth carries it (web_sdk.py): it reports the user that
onAuthStateChanged reports. Playwright drives Debian's headless Chromium.
"""
import functools
import http.server
import json
import os
import pathlib
import re
import stat
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest

import playwright
from playwright.sync_api import sync_playwright

import checks
from emulator import PATIENCE, ROOT, Connection, Emulator, program
from web_sdk import PACKAGE, Pages
from webdriver import BROWSER, Browser

PROJECT = "demo-luath"
KEY = "any"
RECORD = f"firebase:authUser:{KEY}:[DEFAULT]"
GUIDE = ROOT / "docs/guides/browser-sessions.md"
# What the form of the SDK's package is asked for: the user, once onAuthStateChanged has reported one or none.
CHECK = {"name": "CheckSession", "lang": "en", "providers": ["email"], "firebase_config": {
    "apiKey": KEY, "projectId": PROJECT, "authDomain": f"{PROJECT}.firebaseapp.com"}}
NODE = pathlib.Path(playwright.__file__).parent / "driver/node"
# An app that shows the address of the user whom it finds where the SDK looks first.
APP = f"""<!doctype html><html lang="en"><title>app</title><p></p><script>
  const opening = indexedDB.open("firebaseLocalStorageDb", 1), store = "firebaseLocalStorage";
  opening.onupgradeneeded = () => opening.result.createObjectStore(store, {{ keyPath: "fbase_key" }});
  opening.onsuccess = () => {{
    const reading = opening.result.transaction(store).objectStore(store).get("{RECORD}");
    reading.onsuccess = () => {{ document.querySelector("p").textContent = reading.result?.value.email ?? "nobody"; }};
  }};
</script></html>"""
PEOPLE = [f"user{number}@luath.example" for number in range(10)]


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def serve(case, emulator):
    """The pages of the SDK, and another page at /; returns their origin."""
    class App(Pages):
        def do_GET(self):
            if self.path.split("?")[0] != "/":
                super().do_GET()
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(APP.encode())
    App.emulator = emulator
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(App, directory=PACKAGE / "frontend/build"))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    case.addCleanup(server.server_close)
    case.addCleanup(server.shutdown)
    return f"http://localhost:{server.server_port}"


class SessionCase(unittest.TestCase):
    rules = "production"

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="luath-state-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        people = ", ".join(f'{{ email = "{one}" }}' for one in PEOPLE)
        (self.folder / "luath.lua").write_text(f"return {{ project = {{ people = {{ {people} }} }} }}")
        self.emulator = Emulator("--rules", self.rules, cwd=self.folder)
        self.addCleanup(self.emulator.stop)
        self.http = Connection(self.emulator.port)
        self.addCleanup(self.http.close)
        self.origin = serve(self, self.emulator.host)

    def luath(self, *arguments, **environment):
        environment = {
            name: value for name, value in os.environ.items()
            if name != "CI" and not name.startswith(("FIREBASE_", "LUATH_", "GOOGLE_"))
        } | {"NO_COLOR": "1", "LC_ALL": "C.UTF-8"} | environment
        return subprocess.run(
            [program(), *arguments], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=PATIENCE)

    def session(self, *arguments):
        """Runs `luath session` for the app; it must succeed and print no token."""
        began = time.monotonic()
        result = self.luath(
            "session", "--target", self.emulator.host, "--origin", self.origin, "--api-key", KEY, *arguments)
        self.seconds = time.monotonic() - began
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def account(self, **fields):
        answer = self.http.admin(PROJECT, "accounts", fields)
        self.assertEqual(answer.status, 200, answer.raw)
        return answer.body["localId"]

    def record(self, file):
        """The record in a file for Playwright, with what the SDK requires of it."""
        [origin] = json.loads((self.folder / file).read_text())["origins"]
        self.assertEqual(origin["origin"], self.origin)
        [stored] = origin["indexedDB"][0]["stores"][0]["records"]
        self.assertEqual(stored["value"]["fbase_key"], RECORD)
        return stored["value"]["value"]

    def lookup(self, record):
        """The account that the backend finds for the token of a record."""
        answer = self.http.client(
            "accounts:lookup", {"idToken": record["stsTokenManager"]["accessToken"]})
        self.assertEqual(answer.status, 200, answer.raw)
        return answer.body["users"][0]


class InPlaywright(SessionCase):
    def setUp(self):
        super().setUp()
        driver = sync_playwright().start()
        self.addCleanup(driver.stop)
        self.browser = driver.chromium.launch(executable_path=BROWSER)
        self.addCleanup(self.browser.close)

    def reported(self, page):
        """The user that the SDK reports in a new load of its page, or None."""
        page.goto("about:blank")
        page.goto(f"{self.origin}/page#{json.dumps(CHECK)}")
        page.wait_for_function("values.length > 0")
        return page.evaluate("values.at(-1)")

    def signed_in(self, file):
        """The user that the SDK reports in a new context with the state."""
        context = self.browser.new_context(storage_state=self.folder / file)
        page = context.new_page()
        calls = []
        page.on("request", lambda request: calls.append(request.url.split("?")[0].rsplit("/", 1)[-1]))
        user = self.reported(page)
        self.assertIn("accounts:lookup", calls)
        kept = context.storage_state(indexed_db=True)
        context.close()
        return user, kept

    def node(self, code):
        result = subprocess.run(
            [NODE, "--experimental-vm-modules", "--no-warnings", "-e", code], cwd=self.folder, capture_output=True,
            text=True, timeout=PATIENCE, env=os.environ | {"PATH": f"{self.folder}:{os.environ['PATH']}"})
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_three_users_are_signed_in_for_the_sdk(self):
        ada = self.account(email="ada@b.example", password="correct horse", displayName="Ada")
        bob = self.account(
            email="bob@b.example", password="correct horse", emailVerified=True, mfaInfo=[
                {"phoneInfo": "+15555550100", "displayName": "phone"}])
        carol = self.account(phoneNumber="+15555550101")
        output = self.session(
            "--as", "ada@b.example", "--as", bob, "--as", "+15555550101", "-o", "states")
        self.assertEqual(output, textwrap.dedent(f"""\
            ada@b.example                 states/ada@b.example.json
            {bob}  states/{bob}.json
            +15555550101                  states/+15555550101.json
            """))
        for name, uid in ("ada@b.example", ada), (bob, bob), ("+15555550101", carol):
            file = f"states/{name}.json"
            self.assertEqual(mode(self.folder / file), 0o600)
            self.assertEqual(self.lookup(self.record(file))["localId"], uid)
            user, kept = self.signed_in(file)
            self.assertEqual(user["uid"], uid, user)
            self.assertEqual(user["isAnonymous"], False)
            # The SDK has kept the record where it was.
            self.assertIn(RECORD, json.dumps(kept["origins"][0]["indexedDB"]))
        self.assertEqual(mode(self.folder / "states"), 0o700)

    def test_users_of_scripts_with_every_persistence(self):
        (self.folder / "states.lua").write_text("""
            local Auth, totp = require "luath.auth", require "luath.totp"
            local auth, tenant = Auth.auth(), require("luath.admin").admin():createTenant {
              displayName = "team", emailSignInConfig = { enabled = true } }
            local function save(name, of, persistence)
              of:browserState({ origin = arg[1], apiKey = "any", persistence = persistence }):save(name)
              print(of.currentUser.uid)
            end
            auth:signInAnonymously()
            save("anonymous.json", auth, "local")
            local other = Auth.session { tenantID = tenant.tenantID }
            other:createUser("team@b.example", "correct horse")
            save("tenant.json", other)
            local grace = Auth.session()
            local google = Auth.OAuthProvider "google.com"
            google.customParameters = { login_hint = "user1@luath.example" }
            if arg[2] == "production" then
              grace:signIn(google)
            else -- compatible rules have no pages of providers
              grace:createUser("user1@luath.example", "correct horse")
            end
            save("google.json", grace)
            local script = grace:browserState { origin = arg[1], apiKey = "any", persistence = "session" }
            io.open("session.js", "w"):write(script:script()):close()
            """)
        result = self.luath("run", "--target", self.emulator.host, "states.lua", self.origin, self.rules)
        self.assertEqual(result.returncode, 0, result.stderr)
        anonymous, team, grace = result.stdout.split()
        for name, uid in ("anonymous", anonymous), ("tenant", team), ("google", grace):
            user, kept = self.signed_in(f"{name}.json")
            self.assertEqual(user["uid"], uid, name)
            self.assertEqual(user["isAnonymous"], name == "anonymous")
            # getAuth() moves a user from localStorage to IndexedDB.
            self.assertEqual(kept["origins"][0]["localStorage"], [])
        page = self.browser.new_context().new_page()
        self.assertIsNone(self.reported(page))
        page.goto(f"{self.origin}/favicon.ico")
        page.evaluate((self.folder / "session.js").read_text())
        self.assertEqual(self.reported(page)["uid"], grace)
        self.assertIn("user1@luath.example", page.evaluate(f"sessionStorage.getItem('{RECORD}')"))

    def test_a_user_takes_the_place_of_another_in_an_open_browser(self):
        self.account(email="ada@b.example", password="correct horse")
        self.account(email="bob@b.example", password="correct horse")
        page = self.browser.new_context().new_page()
        for name, persistence in ("ada", "indexedDB"), ("bob", "local"), ("ada", "session"):
            self.session("--as", f"{name}@b.example", "--format", "script", "--persistence", persistence,
                         "-o", "state.js")
            page.goto(f"{self.origin}/favicon.ico")
            self.assertEqual(page.evaluate((self.folder / "state.js").read_text()), 1)
            self.assertEqual(self.reported(page)["email"], f"{name}@b.example")

    def test_another_key_or_a_deleted_account_is_signed_out(self):
        uid = self.account(email="ada@b.example", password="correct horse")
        self.session("--as", uid, "-o", "ada.json")
        other = self.luath(
            "session", "--target", self.emulator.host, "--origin", self.origin, "--api-key", "other",
            "--as", uid, "-o", "other.json")
        self.assertEqual(other.returncode, 0, other.stderr)
        context = self.browser.new_context(storage_state=self.folder / "other.json")
        self.assertIsNone(self.reported(context.new_page()))
        self.assertEqual(self.http.admin(PROJECT, "accounts:delete", {"localId": uid}).status, 200)
        context = self.browser.new_context(storage_state=self.folder / "ada.json")
        self.assertIsNone(self.reported(context.new_page()))

    def test_the_guide_s_files_work(self):
        text = GUIDE.read_text(encoding="utf-8")
        files = dict(re.findall(r"<!-- run: file (\S+) -->\n```\w+\n(.*?)```", text, re.S))
        (self.folder / ".auth").mkdir()
        for name, content in files.items():
            for example, actual in (
                    ("http://localhost:3000", self.origin), ("127.0.0.1:9099", self.emulator.host),
                    ("demo-key", KEY)):
                content = content.replace(example, actual)
            (self.folder / name).write_text(content)
        self.account(email="ada@contoso.example", password="correct horse", displayName="Ada")
        self.session("--as", "ada@contoso.example", "-o", ".auth/ada.json")
        self.session("--as", "ada@contoso.example", "--format", "script", "-o", ".auth/ada.js")

        browser = f"launch(executable_path={BROWSER!r})"
        script = (self.folder / "signed_in.py").read_text().replace("launch()", browser)
        result = subprocess.run(
            [sys.executable, "-c", script], cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)

        # Selenium's driver sends the same commands of WebDriver.
        with Browser() as chromium:
            class Driver:
                get = staticmethod(chromium.open)
                execute_script = staticmethod(chromium.run)
            names = {}
            home = os.getcwd()
            os.chdir(self.folder)
            try:
                exec((self.folder / "selenium_sign_in.py").read_text(), names)
                names["sign_in"](Driver)
            finally:
                os.chdir(home)
            chromium.open(f"{self.origin}/page#{json.dumps(CHECK)}")
            user = chromium.until(lambda: chromium.run("return values.length && [values.at(-1)]"))[0]
            self.assertEqual(user["displayName"], "Ada")

        result = self.luath("test", "--target", self.emulator.host, "signed_in_journey.lua")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

        # Playwright's Node runs what needs no test runner, and parses the rest.
        (self.folder / "luath").symlink_to(program())
        self.node("import('./global-setup.ts').then(module => module.default())")
        self.assertEqual(self.signed_in(f".auth/{PEOPLE[9]}.json")[0]["email"], PEOPLE[9])
        self.node("""const { readFileSync } = require("node:fs"), { stripTypeScriptTypes } = require("node:module");
            const { SourceTextModule } = require("node:vm");
            new SourceTextModule(stripTypeScriptTypes(readFileSync("shop.spec.ts", "utf8")));""")

        # Cypress runs a command before the app's scripts, as a script of Playwright's context does.
        self.account(email="bob@b.example", password="correct horse")
        self.session("--as", "bob@b.example", "--format", "script", "-o", ".auth/bob.js")
        self.session("--as", "ada@contoso.example", "--persistence", "local", "-o", ".auth/ada.json")
        page = self.browser.new_context().new_page()
        page.goto(f"{self.origin}/favicon.ico")
        page.evaluate((self.folder / ".auth/bob.js").read_text())
        self.assertEqual(self.reported(page)["email"], "bob@b.example")
        page.add_init_script(f"""{{
            const state = {(self.folder / ".auth/ada.json").read_text()}, commands = {{}};
            const Cypress = {{ Commands: {{ add: (name, command) => commands[name] = command }} }};
            const cy = {{
              session: (name, setUp) => setUp(), readFile: () => ({{ then: use => use(state) }}),
              visit: (url, {{ onBeforeLoad }}) => onBeforeLoad(window),
            }};
            {(self.folder / "commands.js").read_text()}
            if (location.protocol === "http:") commands.signInAs("ada");
        }}""")
        self.assertEqual(self.reported(page)["email"], "ada@contoso.example")


class CompatibleInPlaywright(InPlaywright):
    rules = "compatible"


class Files(SessionCase):
    def refused(self, code, words, *arguments, **environment):
        before = sorted(self.folder.rglob("*"))
        result = self.luath("session", *arguments, **environment)
        self.assertEqual((result.returncode, result.stdout), (code, ""), result.stderr)
        self.assertIn(words, result.stderr)
        self.assertIn("  hint: ", result.stderr)
        self.assertEqual(sorted(self.folder.rglob("*")), before)
        return result.stderr

    def test_all_test_users_sign_in_and_the_second_time_too(self):
        times = []
        for _ in range(2):
            output = self.session("--all", "-o", "states/")
            times.append(self.seconds)
            self.assertEqual(len(output.splitlines()), len(PEOPLE))
            for email in PEOPLE:
                record = self.record(f"states/{email}.json")
                self.assertEqual(self.lookup(record)["email"], email)
                self.assertEqual(record["providerData"][0]["providerId"], "google.com")
                self.assertEqual(mode(self.folder / f"states/{email}.json"), 0o600)
        print("ten users: " + ", ".join(f"{one * 1000:.0f} ms" for one in times), file=sys.stderr)

    def test_several_origins_and_the_variable_for_the_target(self):
        self.account(email="ada@b.example", password="correct horse")
        result = self.luath(
            "session", "--as", "ada@b.example", "--origin", "http://localhost:3000", "--origin",
            "https://shop.example/", "--api-key", KEY, "--persistence", "local", "--app-name", "shop", "-o",
            "ada.json", FIREBASE_AUTH_EMULATOR_HOST=self.emulator.host)
        self.assertEqual(result.returncode, 0, result.stderr)
        state = json.loads((self.folder / "ada.json").read_text())
        self.assertEqual(state["cookies"], [])
        self.assertEqual(
            [(one["origin"], one["localStorage"][0]["name"]) for one in state["origins"]],
            [("http://localhost:3000", f"firebase:authUser:{KEY}:shop"),
             ("https://shop.example", f"firebase:authUser:{KEY}:shop")])
        self.assertNotIn("indexedDB", state["origins"][0])

    def test_wrong_command_lines(self):
        target = "--target", self.emulator.host
        app = "--origin", "http://localhost:3000", "--api-key", KEY
        ada = "--as", "ada@b.example"
        file = "-o", "ada.json"
        for words, arguments in (
                ("needs a user", (*target, *app, *file)),
                ("exclude each other", (*target, *app, *file, *ada, "--all")),
                ("takes no operand", (*target, *app, *file, *ada, "ada")),
                ("needs the origin", (*target, *ada, *file, "--api-key", KEY)),
                ("needs a file", (*target, *ada, *app)),
                ("needs a file", (*target, *ada, *app, "-o", "-")),
                ("add --api-key with the apiKey", (*target, *ada, *file, "--origin", "http://localhost:3000")),
                ("write only http://localhost:3000", (*target, *ada, *file, "--api-key", KEY, "--origin",
                                                      "http://localhost:3000/app")),
                ("write http://localhost:3000, or https", (*target, *ada, *file, "--api-key", KEY, "--origin",
                                                           "localhost:3000")),
                ("takes one of indexedDB, local, session", (*target, *ada, *file, *app, "--persistence", "cookie")),
                ("add --format script", (*target, *ada, *file, *app, "--persistence", "session")),
                ("takes one of playwright, script", (*target, *ada, *file, *app, "--format", "cypress")),
                ("is a file, and several users", (*target, *app, "--all", "-o", "luath.lua")),
                ("ends with the command", (*ada, *app, *file)),
                ("ends with the command", (*ada, *app, *file, "--target", "emulator")),
                ("there is no target", (*ada, *app, *file, "--target", "staging"))):
            with self.subTest(words):
                self.refused(2, words, *arguments)

    def test_users_who_cannot_sign_in(self):
        self.account(email="ada@b.example", password="correct horse")
        uid = self.account(email="gone@b.example", password="correct horse")
        self.http.admin(PROJECT, "accounts:update", {"localId": uid, "disableUser": True})
        usual = ("--target", self.emulator.host, "--origin", "http://localhost:3000", "--api-key", KEY,
                 "-o", "states", "--as", "ada@b.example")
        errors = self.refused(
            1, "no account with this e-mail address", *usual, "--as", "nobody@b.example", "--as",
            "gone@b.example", "--as", "+15555550199", "--as", "nobody")
        self.assertEqual(errors.count("luath: error: "), 4)
        self.assertIn("gone@b.example: an administrator disabled this account", errors)
        self.assertIn("no account with this phone number", errors)
        self.assertIn("no account with this uid", errors)
        self.refused(1, "check --tenant", *usual, "--tenant", "nowhere")
        self.refused(4, "cannot write", *usual[:-3], "/proc/ada.json", "--as", "ada@b.example")
        self.refused(4, "nothing accepts connections", "--target", "127.0.0.1:9", *usual[2:])

    def test_the_key_of_an_emulator_that_takes_one_only(self):
        (self.folder / "strict.lua").write_text('return { project = { apiKey = "the-key-of-the-app" } }')
        with Emulator("--rules", "production", "--project", "strict.lua", cwd=self.folder) as strict:
            usual = ("--target", strict.host, "--as", "ada@contoso.example", "--origin",
                     "http://localhost:3000", "-o", "ada.json")
            self.refused(2, "not the one of the project", *usual, "--project", "strict.lua", "--api-key", "other")
            connection = Connection(strict.port)
            self.addCleanup(connection.close)
            made = connection.admin(PROJECT, "accounts", {"email": "ada@contoso.example"})
            self.assertEqual(made.status, 200, made.raw)
            self.refused(1, "the API key", *usual, "--api-key", "other")
            result = self.luath("session", *usual, "--project", "strict.lua")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("firebase:authUser:the-key-of-the-app:", (self.folder / "ada.json").read_text())

    def test_real_projects(self):
        (self.folder / "luath.lua").write_text("""
            local nowhere = { ["identitytoolkit.googleapis.com"] = "127.0.0.1:9" }
            return { targets = {
              empty = { projectId = "shop", apiKey = "k", resolve = nowhere },
              staging = { projectId = "shop", apiKey = "k", resolve = nowhere, accounts = {
                { email = "qa1@example.com", password = "correct horse" },
                { email = "qa2@example.com", passwordVariable = "QA2" } } } } }""")
        usual = "--origin", "https://shop.example", "-o", "states"
        self.refused(5, "no test users for this target", *usual, "--target", "empty", "--all")
        self.refused(1, "no password of this user", *usual, "--target", "empty", "--as", "qa1@example.com")
        self.refused(1, "the password's environment variable QA2 is not set", *usual, "--target", "staging",
                     "--as", "qa2@example.com", "--yes")
        self.refused(2, "add --yes", *usual, "--target", "staging", "--as", "qa1@example.com")
        errors = self.refused(4, "nothing accepts connections", *usual, "--target", "staging", "--all", "--yes", QA2="secret")
        self.assertEqual(errors.count("luath: error: "), 2)
        self.refused(2, "not the one of the project shop", *usual, "--target", "staging", "--all", "--yes",
                     "--api-key", "other", QA2="secret")

    def test_no_report_has_a_token(self):
        (self.folder / "state_journey.lua").write_text("""
            local journey = require "luath.journey"
            journey("Ada", function(j)
              local auth = require("luath.auth").session()
              auth:createUser("ada@b.example", "correct horse")
              local state = auth:browserState { origin = "http://localhost:3000", apiKey = "any" }
              state:save "ada.json"
              print(state:json())
              print(state, state:script())
              error(state:json())
            end)""")
        result = self.luath(
            "test", "--target", self.emulator.host, "--report", "json:events.ndjson", "state_journey.lua")
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        tokens = json.loads((self.folder / "ada.json").read_text())[
            "origins"][0]["indexedDB"][0]["stores"][0]["records"][0]["value"]["value"]["stsTokenManager"]
        shown = result.stdout + result.stderr + "".join(
            path.read_text() for path in self.folder.glob("events*"))
        self.assertIn("BrowserState(ada@b.example at http://localhost:3000)", shown)
        for name in "refreshToken", "accessToken":
            self.assertNotIn(tokens[name], shown)


if __name__ == "__main__":
    sys.exit(checks.run([InPlaywright, CompatibleInPlaywright, Files], "browser state"))
