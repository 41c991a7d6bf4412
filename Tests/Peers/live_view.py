"""The live view of `luath test --ui` in a real browser: run, fail, edit, run again.

Usage: live_view.py [FOLDER]; with a folder it leaves screenshots there.
"""
import contextlib
import http.client
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.parse

import checks
from browser_case import BrowserCase
from emulator import PATIENCE, program
from webdriver import Browser

JOURNEYS = pathlib.Path(__file__).resolve().parent / "live"
FILE = "sign_in_journey.lua"
ADA = "Ada signs in"
WRONG = "a wrong password is refused"
WAITS = "it waits for a file"
PASSWORDS = ("correct horse battery", "correct horse bakery")


class Live:
    """`luath test --ui`, or another command that serves the view, in a folder."""

    def __init__(self, folder, *command):
        self.output = open(folder / "output.txt", "wb")
        self.process = subprocess.Popen(
            [program(), *command], cwd=folder, stdin=subprocess.DEVNULL, stdout=self.output,
            stderr=subprocess.PIPE, text=True,
            env=os.environ | {"LUATH_TEST_GO": str(folder / "go")})
        self.said = [self.process.stderr.readline()]
        found = re.search(r"http://127\.0\.0\.1:(\d+)/([\w-]{43})/", self.said[0])
        if not found:
            self.process.kill()
            raise RuntimeError("no address: " + self.said[0] + self.process.stderr.read())
        self.home, self.port, self.token = found[0], int(found[1]), found[2]

    def stop(self):
        """Ends it as Ctrl-C does; the exit code."""
        if self.process.returncode is not None:
            return self.process.returncode
        self.process.send_signal(signal.SIGINT)
        try:
            self.said += self.process.communicate(timeout=PATIENCE)[1].splitlines(True)
        finally:
            self.process.kill()
            self.output.close()
        return self.process.returncode

    def request(self, method, path, headers=None, body=None):
        """The status and the body of a response."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            return response.status, response.read().decode()


class LiveCase(BrowserCase):
    """Serves a copy of the journeys and opens the page, for each case."""

    command = ("test", "--ui", "--seed", "7")

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="luath-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for file in JOURNEYS.glob("*.lua"):
            shutil.copy(file, self.folder)
        self.prepare()
        self.live = Live(self.folder, *self.command)
        self.addCleanup(self.live.stop)
        self.home = self.live.home
        self.browser = Browser(**self.options)
        self.addCleanup(self.browser.stop)
        self.browser.open(self.home)

    def prepare(self):
        """What the folder needs before the program starts."""

    def go(self):
        (self.folder / "go").touch()

    def edit(self, old, new):
        path = self.folder / FILE
        text = path.read_text()
        self.assertIn(old, text)
        # A new file of another size, as editors write it: no reader sees half of it.
        fresh = self.folder / "fresh"
        fresh.write_text(text.replace(old, new))
        fresh.rename(path)

    def outcomes(self):
        """The outcome of each journey in the list."""
        titles = self.browser.run(
            "return [...document.querySelectorAll('#list a')].map((row) => row.title)")
        pairs = [title.split(": ", 1) for title in titles]
        return {name.split(" › ")[-1]: outcome for outcome, name in pairs}

    def wait_until(self, **wanted):
        """Waits until journeys have these outcomes; `_` stands for a blank."""
        names = {"ada": ADA, "wrong": WRONG, "waits": WAITS}
        expected = {names[name]: outcome for name, outcome in wanted.items()}
        self.browser.until(lambda: expected.items() <= self.outcomes().items())

    def wait_for_phase(self, phase):
        self.wait_for(phase, "#phase")

    def click(self, command):
        """Presses a button of the bar as soon as it is enabled."""
        self.browser.until(lambda: self.browser.run(
            "const button = document.getElementById(arguments[0]);"
            "if (!button || button.disabled) return false; button.click(); return true;",
            f"do-{command}"))

    def told(self):
        """The line below the title."""
        return self.browser.text(".summary .verdict > p")

    def open_journey(self, name):
        self.browser.run(
            "location.hash = address({ journey: run.list.find((row) => row.own === arguments[0]).id })",
            name)
        self.wait_for(name, "#detail .title")

    def end(self):
        """Ends the program, and leaves the page, which reports that nobody is there; the exit code."""
        code = self.live.stop()
        self.wait_for_phase("Not connected")
        self.browser.open("data:,")
        self.browser.errors()
        return code

    def press(self, key):
        self.browser.call("POST", f"{self.browser.session}/actions", {"actions": [
            {"type": "key", "id": "keys", "actions": [
                {"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]}]})


class Runs(LiveCase):
    def test_run_fail_edit_run_again(self):
        self.wait_until(ada="not run", wrong="not run", waits="not run")
        self.assertEqual(self.browser.text(".summary h1"), "3 journeys, none was run yet")
        self.assert_readable()
        self.go()
        self.click("all")
        self.wait_until(ada="passed", wrong="failed", waits="passed")
        self.wait_for_phase("Ready")
        self.assertEqual(self.browser.text(".summary h1"), "1 of 3 journeys failed")
        # The failure with its source, and the panels of the report.
        self.wait_for(WRONG, "#detail .title")
        self.assertIn("wrongPasswort", self.browser.text(".failure"))
        self.assertIn("signInWithPassword", self.browser.text("#detail"))
        self.assert_readable()
        self.picture("live-failed")
        self.edit("wrongPasswort", "invalidCredential")
        self.wait_for("Changed 1", "#do-changed")
        self.click("failed")
        self.wait_until(ada="passed", wrong="passed", waits="passed")
        self.wait_for_phase("Ready")
        self.assertEqual(self.browser.text(".summary h1"), "All 3 journeys passed")
        self.assertEqual(self.browser.run("return document.querySelectorAll('.failure').length"), 0)
        for view, sign in (
                ("2", "Identity Toolkit"), ("3", "signature removed"), ("1", "she mistypes it")):
            self.press(view)
            self.wait_for(sign, "#view")
        self.assertEqual(self.end(), 0)

    def test_a_saved_file_runs_again(self):
        self.browser.until(lambda: self.outcomes())
        self.browser.click("#on-save")
        self.browser.until(lambda: self.browser.run("return live.state.runsOnSave"))
        self.edit("wrongPasswort", "invalidCredential")
        self.wait_until(ada="passed", wrong="passed", waits="not run")
        self.edit('journey("Ada signs in"', 'journey("Ada is here"')
        self.browser.until(lambda: self.outcomes().get("Ada is here") == "passed")
        self.assertNotIn(ADA, self.outcomes())
        self.edit("local expect", "local local expect")
        self.browser.until(lambda: self.outcomes().get("the file itself") == "failed")
        self.edit("local local expect", "local expect")
        self.browser.until(lambda: "the file itself" not in self.outcomes())
        self.browser.until(lambda: self.outcomes().get("Ada is here") == "passed")

    def test_it_is_live_and_stops(self):
        self.click("all")
        self.wait_until(ada="passed", wrong="failed", waits="running")
        self.wait_for_phase("Running")
        self.assertEqual(self.browser.text(".summary h1"), "2 of 3 journeys done, 1 failed")
        self.open_journey(WAITS)
        self.wait_for("until the file is there", "#view")
        self.picture("live-running")
        # The panels of a journey that is over, while another one runs.
        self.open_journey(ADA)
        self.press("2")
        self.wait_for("Identity provider", ".diagram")
        self.assertEqual(self.live.request(
            "POST", f"/{self.live.token}/run", {"Content-Type": "application/json"},
            '{"select":"all"}')[0], 409)
        self.assertIn(WAITS, self.told())
        self.press("r")
        self.wait_for("A run is in progress", "#problem")
        self.press("s")
        self.wait_until(waits="interrupted")
        self.wait_for_phase("Ready")
        self.assertEqual(
            self.browser.text(".summary h1"), "1 of 3 journeys failed, 1 interrupted")
        self.assertIn("Last run interrupted: 1 failed, 1 interrupted, 1 passed", self.told())
        self.open_journey(WAITS)
        self.press("1")
        self.wait_for("until the file is there", "#view")
        self.assertEqual(self.browser.run(
            "return document.querySelector('#view .row.step').classList[2]"), "interrupted")
        # One journey alone, by the keyboard; the others keep their outcomes.
        self.go()
        self.open_journey(WAITS)
        self.press("r")
        self.wait_until(ada="passed", wrong="failed", waits="passed")
        self.wait_for_phase("Ready")
        self.assertEqual(self.browser.text(".summary h1"), "1 of 3 journeys failed")
        self.assertIn("Last run: 1 passed", self.told())
        self.assertEqual(self.end(), 0)

    def test_the_projects_stay_alive(self):
        self.go()
        self.click("all")
        self.wait_until(ada="passed", wrong="failed", waits="passed")
        self.wait_for_phase("Ready")
        for name, is_linked in ((ADA, True), (WRONG, False)):
            self.open_journey(name)
            self.wait_for("Open its project", "#project")
            link = self.browser.run("return document.getElementById('project').href")
            status, _ = self.live.request("GET", urllib.parse.urlsplit(link).path + "?journey=none")
            self.assertEqual(status, 404)
            page = self.project(link)
            self.assertIn("1 user<", page)
            self.assertEqual("Microsoft" in page, is_linked)
        self.live.stop()
        self.wait_for_phase("Not connected")
        self.browser.until(
            lambda: self.browser.run("return document.getElementById('project') === null"))
        self.browser.open("data:,")
        self.browser.errors()

    def project(self, link):
        """The page of the users of the project that a link leads to."""
        parts = urllib.parse.urlsplit(link)
        connection = http.client.HTTPConnection("127.0.0.1", self.live.port, timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.request("GET", f"{parts.path}?{parts.query}")
            response = connection.getresponse()
            self.assertEqual(response.status, 303)
            place = urllib.parse.urlsplit(response.headers["Location"])
        connection = http.client.HTTPConnection(place.hostname, place.port, timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.request("GET", "/emulator/ui/projects/demo-luath/users")
            return connection.getresponse().read().decode()


class Files(LiveCase):
    """What the page shows when files change."""

    def changed(self):
        return self.browser.text("#do-changed")

    def test_a_renamed_journey_is_followed(self):
        self.wait_until(ada="not run", wrong="not run", waits="not run")
        self.open_journey(ADA)
        self.edit('journey("Ada signs in"', 'journey("Ada is here"')
        self.wait_for("Ada is here", "#detail .title")
        self.press("r")
        self.browser.until(lambda: self.outcomes().get("Ada is here") == "passed")
        self.wait_for_phase("Ready")
        self.wait_until(wrong="not run", waits="not run")
        # Broken, the file is shown; repaired, the journey is again.
        self.edit("local expect", "local local expect")
        self.wait_for("the file itself", "#detail .title")
        self.edit("local local expect", "local expect")
        self.wait_for("Ada is here", "#detail .title")
        self.edit('journey("Ada is here"', 'local function _(_, _, _) end; _("Ada is here"')
        self.wait_for("This journey is gone", "#detail")
        self.press("r")
        self.wait_for("This journey is gone", "#problem")
        self.wait_until(wrong="not run", waits="not run")
        (self.folder / FILE).unlink()
        self.browser.until(lambda: len(self.outcomes()) == 1)
        self.wait_for("This journey is gone", "#detail")

    def test_deleted_files_are_forgotten(self):
        self.wait_until(ada="not run", wrong="not run", waits="not run")
        files = sorted(path.name for path in self.folder.glob("*_journey.lua"))
        listed = "return live.files.map((file) => file.file)"
        self.assertEqual(self.browser.run(listed), files)
        self.edit("wrongPasswort", "invalidCredential")
        self.browser.until(lambda: self.changed() == "Changed 1")
        first, text = self.folder / files[0], (self.folder / files[0]).read_text()
        for name in files:
            (self.folder / name).unlink()
        self.browser.until(lambda: not self.browser.run(listed))
        self.browser.until(lambda: self.changed() == "Changed")
        self.wait_for("No journeys", ".summary h1")
        self.wait_for("no journeys were found", "#problem")
        (self.folder / "z_journey.lua").write_text(text)
        self.browser.until(lambda: self.browser.run(listed) == ["z_journey.lua"])
        first.write_text(text)
        self.browser.until(lambda: self.browser.run(listed) == [files[0], "z_journey.lua"])
        self.assertEqual(self.browser.text("#problem"), "")
        (self.folder / "notes.json").write_text("{}")
        self.browser.until(lambda: self.changed() == "Changed: all")

    def test_a_repaired_file_is_not_broken(self):
        self.wait_until(ada="not run", wrong="not run", waits="not run")
        self.edit("local expect", "local local expect")
        self.browser.until(lambda: self.outcomes().get("the file itself") == "failed")
        self.go()
        self.click("all")
        self.wait_until(waits="passed")
        self.wait_for_phase("Ready")
        self.assertEqual(
            self.browser.text(".summary h1"), "1 broken file, 1 of 1 journey passed")
        self.edit("local local expect", "local expect")
        self.wait_until(ada="not run", wrong="not run", waits="passed")
        self.assertNotIn("the file itself", self.outcomes())
        self.assertEqual(self.browser.text(".summary h1"), "1 of 3 journeys passed")


class Loops(LiveCase):
    """A file that loops at its top level, and a journey that does."""

    def prepare(self):
        (self.folder / "a_loop_journey.lua").write_text("while true do end\n")
        (self.folder / "spin_journey.lua").write_text(
            'require "luath.journey" ("it spins", function()\n  while true do end\nend)\n')

    def test_it_delays_nothing_and_stops(self):
        self.wait_until(ada="not run", wrong="not run", waits="not run")
        self.wait_for_phase("Reading the files…")
        self.browser.until(lambda: "a_loop_journey.lua takes long" in self.told())
        # Meanwhile others are read and run.
        self.edit('journey("Ada signs in"', 'journey("Ada is here"')
        self.browser.until(lambda: "Ada is here" in self.outcomes())
        self.open_journey("Ada is here")
        self.press("r")
        self.browser.until(lambda: self.outcomes()["Ada is here"] == "passed")
        self.wait_for_phase("Reading the files…")
        self.press("s")
        self.browser.until(lambda: self.outcomes().get("the file itself") == "failed")
        self.wait_for_phase("Ready")
        self.open_journey("the file itself")
        self.wait_for("the file was stopped while luath read it", ".failure")
        self.assertIn("1 broken file", self.browser.text(".summary h1"))
        # Saved again, it is read again.
        (self.folder / "a_loop_journey.lua").write_text("while true do end --\n")
        self.wait_for_phase("Reading the files…")
        (self.folder / "a_loop_journey.lua").write_text("-- nothing\n")
        self.wait_for_phase("Ready")
        self.browser.until(lambda: "the file itself" not in self.outcomes())
        self.open_journey("it spins")
        self.press("r")
        self.browser.until(lambda: self.outcomes()["it spins"] == "running")
        self.press("s")
        self.browser.until(lambda: self.outcomes()["it spins"] == "interrupted")
        self.wait_for("stopped at spin_journey.lua:2", "#detail")
        self.wait_for("stopped before it did anything", "#view")
        self.wait_for_phase("Ready")
        self.assertEqual(self.end(), 130)


class Filter(LiveCase):
    def test_it_is_left_and_runs_what_it_shows(self):
        self.wait_until(ada="not run", wrong="not run", waits="not run")
        search = "return [document.activeElement.id, document.getElementById('search').value]"
        self.press("/")
        self.browser.until(lambda: self.browser.run(search) == ["search", ""])
        for letter in "ada":
            self.press(letter)
        self.wait_for("Run the 1 shown", "#do-all")
        self.press("\ue00c")
        self.assertEqual(self.browser.run(search), ["", ""])
        self.wait_for("Run all", "#do-all")
        self.press("/")
        for letter in "ada":
            self.press(letter)
        self.press("\ue007")
        self.press("a")
        self.wait_until(ada="passed")
        self.wait_for_phase("Ready")
        self.press("/")
        self.press("\ue00c")
        self.wait_until(ada="passed", wrong="not run", waits="not run")
        # One file, by its button and by the key.
        run_file = "document.querySelector(`.run-file[data-file='${arguments[0]}']`).click()"
        self.browser.run(run_file, FILE)
        self.wait_until(ada="passed", wrong="failed", waits="not run")
        self.wait_for_phase("Ready")
        self.go()
        self.open_journey(WAITS)
        self.press("R")
        self.wait_until(ada="passed", wrong="failed", waits="passed")
        self.assert_readable()


class Doors(LiveCase):
    def test_only_the_address_opens_it(self):
        token = f"/{self.live.token}/"
        json = {"Content-Type": "application/json"}
        for expected, method, path, headers in (
                (200, "GET", token, {}),
                (200, "GET", token, {"Host": f"localhost:{self.live.port}"}),
                (308, "GET", token[:-1], {}),
                (403, "GET", "/", {}),
                (403, "GET", "/events?after=0", {}),
                (403, "GET", f"/{self.live.token[:-1]}x/", {}),
                (403, "GET", token, {"Host": "luath.example"}),
                (403, "GET", token + "events?after=0", {"Origin": "https://luath.example"}),
                (403, "POST", token + "run", json | {"Origin": "null"}),
                (403, "POST", token + "run", json | {"Origin": "http://127.0.0.1:1"}),
                (415, "POST", token + "run", {"Content-Type": "text/plain"}),
                (400, "POST", token + "run", json),
                (405, "GET", token + "run", {}),
                (404, "GET", token + "other", {}),
                (400, "GET", token + "events?after=x", {})):
            with self.subTest(f"{method} {path} {headers}"):
                self.assertEqual(self.live.request(method, path, headers)[0], expected)

    def test_no_secret_is_shown(self):
        self.go()
        self.click("all")
        self.wait_until(ada="passed", wrong="failed", waits="passed")
        self.wait_for_phase("Ready")
        _, entries = self.live.request("GET", f"/{self.live.token}/events?after=0")
        _, page = self.live.request("GET", f"/{self.live.token}/")
        self.end()
        output = (self.folder / "output.txt").read_text()
        for text in (entries, page, output, "".join(self.live.said)):
            for secret in PASSWORDS + ("eyJhbGciOi", "eyJ0eXAiOi"):
                self.assertNotIn(secret, text)
        for text in (entries, page, output):
            self.assertNotIn(self.live.token, text)
        self.assertEqual("".join(self.live.said).count(self.live.token), 1)


class Telephone(LiveCase):
    options = {"dark": True, "size": (390, 844)}

    def test_it_runs_and_fits(self):
        self.browser.until(lambda: len(self.outcomes()) == 3)
        self.assert_narrow()
        self.go()
        self.click("all")
        self.wait_until(ada="passed", wrong="failed", waits="passed")
        self.wait_for_phase("Ready")
        self.assert_narrow()
        self.picture("live-telephone")
        self.open_journey(WRONG)
        self.assert_narrow()
        self.picture("live-telephone-journey")
        self.click("one")
        self.wait_for_phase("Ready")


class Dark(LiveCase):
    options = {"dark": True}

    def test_it_is_readable_while_it_runs(self):
        self.click("all")
        self.wait_until(ada="passed", wrong="failed", waits="running")
        self.open_journey(ADA)
        self.press("2")
        self.wait_for("Identity provider", ".diagram")
        self.picture("live-dark")
        self.press("s")
        self.wait_for_phase("Ready")


class Light(Dark):
    options = {}

    def picture(self, name):
        super().picture(name.replace("dark", "light"))


class Finished(LiveCase):
    """`luath show` with the events of a run that is over."""

    command = ("show", "events.ndjson")

    def prepare(self):
        self.go()
        done = subprocess.run(
            [program(), "test", "--report", "json:events.ndjson"], cwd=self.folder,
            env=os.environ | {"LUATH_TEST_GO": str(self.folder / "go")},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode == 1, done.stdout + done.stderr

    def test_it_shows_the_run_without_commands(self):
        self.wait_until(ada="passed", wrong="failed", waits="passed")
        self.assertEqual(self.browser.text(".summary h1"), "1 of 3 journeys failed")
        self.assertIn("wrongPasswort", self.browser.text(".failure"))
        self.assertEqual(
            self.browser.run("return document.querySelectorAll('.controls, #do-one').length"), 0)
        self.assert_readable()
        self.browser.open("data:,")
        self.assertEqual(self.live.stop(), 0)


def main():
    BrowserCase.keep_pictures(sys.argv[1:])
    return checks.run([Runs, Files, Loops, Filter, Doors, Telephone, Dark, Light, Finished], "live")


if __name__ == "__main__":
    sys.exit(main())
