"""The pages of a run and of one under load in a real browser.

Usage: report_pages.py [FOLDER]; with a folder it leaves screenshots there.
"""
import pathlib
import subprocess
import sys
import tempfile
import urllib.parse

import checks
from browser_case import BrowserCase
from emulator import PATIENCE, program
from webdriver import Browser

JOURNEYS = pathlib.Path(__file__).resolve().parent / "reported"
FILE = "sign_in_journey.lua"
PASSWORDS = ("correct horse battery", "correct horse bakery", "not her password")


class ReportCase(BrowserCase):
    """Opens the page of one run of `reported`, which is made once for all cases."""

    folder = None

    @classmethod
    def setUpClass(cls):
        if ReportCase.folder:
            return
        ReportCase.folder = tempfile.TemporaryDirectory(prefix="luath-")
        ReportCase.page = pathlib.Path(ReportCase.folder.name) / "report.html"
        done = subprocess.run(
            [program(), "test", "--retries", "1", "--seed", "7",
             "--report", f"html:{ReportCase.page}", FILE],
            cwd=JOURNEYS, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=PATIENCE)
        assert done.returncode == 1, done.stdout + done.stderr

    def setUp(self):
        self.home = self.page.as_uri()
        self.browser = Browser(**self.options)
        self.addCleanup(self.browser.stop)

    def show(self, **place):
        """Opens the page; at a journey, when one is named by a part of its name."""
        self.browser.open(self.home)
        if "journey" in place:
            place["journey"] = self.browser.run(
                "return run.list.find((row) => row.id.includes(arguments[0])).id",
                place["journey"])
            self.browser.open(f"{self.home}#{urllib.parse.urlencode(place)}")
        self.wait_for("journey")

    def rows(self):
        return self.browser.run(
            "return [...document.querySelectorAll('#list a')].map((row) => row.textContent)")

    def press(self, key):
        keys = {"Enter": "\ue007", "Escape": "\ue00c", "Down": "\ue015"}
        value = keys.get(key, key)
        self.browser.call("POST", f"{self.browser.session}/actions", {"actions": [
            {"type": "key", "id": "keys", "actions": [
                {"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]}]})

    def count(self, selector):
        return self.browser.run(
            "return document.querySelectorAll(arguments[0]).length", selector)


class Page(ReportCase):
    def test_it_opens_with_what_failed(self):
        self.show()
        self.assertEqual(self.browser.text(".summary h1"), "1 of 6 journeys failed")
        self.assertEqual(self.browser.text("#detail .title"), "the wrong code is expected")
        self.assertIn("demo-luath", self.browser.text("header.top"))
        self.assertIn("seed 7", self.browser.text("header.top"))
        self.assertEqual(len(self.rows()), 6)
        self.assert_readable()
        self.picture("report")

    def test_the_filter_finds_words_tags_and_outcomes(self):
        self.show()
        self.browser.type("#search", "#smoke")
        self.assertEqual(len(self.rows()), 1)
        self.assertIn("1 of 6", self.browser.text("#shown"))
        self.browser.type("#search", "signInWithIdp")
        self.assertEqual(len(self.rows()), 1)
        self.browser.type("#search", "no such journey")
        self.assertEqual(self.rows(), [])
        self.assertIn("No journey is like that", self.browser.text("#list"))
        self.press("Escape")
        self.browser.click("[data-outcome=flaky]")
        self.assertEqual(len(self.rows()), 1)
        self.assertIn("the second try works", self.rows()[0])

    def test_the_keyboard_reaches_everything(self):
        self.show()
        self.press("/")
        self.assertEqual(self.browser.run("return document.activeElement.id"), "search")
        self.press("Down")
        self.press("Enter")
        self.wait_for("a merge by hand", "#detail .title")
        self.press("2")
        self.wait_for("Identity Toolkit", ".diagram")
        self.press("n")
        self.wait_for("the wrong code is expected", "#detail .title")
        self.press("n")
        self.wait_for("the second try works", "#detail .title")
        self.press("k")
        self.wait_for("the wrong code is expected", "#detail .title")
        before = self.browser.run("return document.documentElement.dataset.theme")
        self.press("t")
        after = self.browser.run("return document.documentElement.dataset.theme")
        self.assertEqual({before, after}, {"light", "dark"})
        self.press("?")
        self.assertIn("next journey", self.browser.text("dialog"))
        self.press("Escape")

    def test_what_journeys_say_is_text(self):
        self.show(journey="is text", view="log")
        self.assertIn("<b>bold</b> </script>", self.browser.text("#view"))
        self.assertEqual(self.count("#main img, #main script, #detail pre b"), 0)
        self.assertNotEqual(self.browser.run("return document.title"), "owned")

    def test_no_secret_is_in_the_file(self):
        text = self.page.read_text()
        for password in PASSWORDS:
            self.assertNotIn(password, text)
        # A token's beginning: base 64 of `{"alg":` and `{"typ":`.
        for start in ("eyJhbGciOi", "eyJ0eXAiOi"):
            self.assertNotIn(start, text)


class Journey(ReportCase):
    def test_the_timeline_has_exchanges_in_steps(self):
        self.show(journey="a merge by hand")
        steps = self.browser.run(
            "return [...document.querySelectorAll('.row.step .label b')].map((b) => b.textContent)")
        self.assertEqual(steps, [
            "Ada has a password", "she comes with Microsoft", "the two become one",
            "she proves who she is", "the pending credential is linked"])
        self.assertGreaterEqual(self.count(".row.http"), 5)
        self.assertGreaterEqual(self.count(".row.http .phase.wait"), 5)
        self.picture("timeline")

    def test_an_exchange_opens_with_both_halves(self):
        self.show(journey="a merge by hand")
        self.browser.click(".row.http:last-of-type .label, .row.http .label")
        self.assertEqual(self.count(".exchange"), 1)
        detail = self.browser.text(".exchange")
        self.assertIn("Request", detail)
        self.assertIn("Response", detail)
        self.assertIn("waiting for the answer", detail)
        self.browser.click(".row.http .label[aria-expanded=true]")
        self.assertFalse(self.browser.run(
            "return document.querySelector('.exchange').checkVisibility()"))

    def test_the_diagram_leads_to_its_exchanges(self):
        self.show(journey="a merge by hand", view="sequence")
        heads = self.browser.run(
            "return [...document.querySelectorAll('.diagram .head text')]"
            ".map((head) => head.textContent)")
        for head in ("Script", "Browser", "Identity provider", "Identity Toolkit"):
            self.assertIn(head, heads)
        asked = self.count(".message.ask")
        self.assertGreaterEqual(asked, 5)
        self.assertEqual(self.count(".message.answer"), asked)
        self.assertEqual(self.count(".diagram .band"), 5)
        self.picture("sequence")
        labels = self.browser.run(
            "return [...document.querySelectorAll('.message')].map((message) => "
            "[message.getAttribute('class'), message.querySelector(':scope > text').textContent])")
        lookups = [at for at, label in enumerate(labels) if "accounts:lookup" in label[1]]
        self.assertTrue(lookups)
        for at in lookups:
            # The token is sent, not given.
            self.assertIn("idToken", labels[at][1])
            self.assertNotIn("idToken", labels[at + 1][1])
        conflict = [label for label in labels if "needConfirmation" in label[1]]
        self.assertTrue(conflict)
        self.assertTrue(all("refused" in label[0] for label in conflict))
        self.browser.run(
            "document.querySelector('.message.ask').dispatchEvent("
            "new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))")
        self.wait_for("Request", ".exchange")

    def test_tokens_are_decoded_without_signatures(self):
        self.show(journey="a merge by hand", view="tokens")
        text = self.browser.text("#view")
        self.assertIn("https://securetoken.google.com/demo-luath", text)
        self.assertIn("signature removed", text)
        self.assertIn("sign_in_provider", text)
        self.picture("tokens")

    def test_what_was_printed_is_in_the_log(self):
        self.show(journey="a merge by hand", view="log")
        self.assertIn("ways: microsoft.com, password", self.browser.text("#view"))


class Failures(ReportCase):
    def test_a_failure_has_source_difference_step_and_exchanges(self):
        self.show(journey="the wrong code")
        card = self.browser.text(".failure")
        self.assertIn(f"{FILE}:", card)
        self.assertIn("expect.same({ code = err.code", card)
        self.assertIn("wrongPassword", self.browser.text(".failure .diff .minus"))
        self.assertIn("she mistypes her password", card)
        self.assertIn("signInWithPassword", card)
        self.browser.click(".failure .last button:last-of-type")
        self.wait_for("Request", ".exchange")

    def test_attempts_stand_side_by_side(self):
        self.show(journey="the second try works")
        self.assertEqual(self.count(".attempts button"), 3)
        self.browser.click("#compare")
        self.wait_for("Attempt 1", ".compare")
        self.assertIn("failed", self.browser.text(".compare .differs"))
        self.assertIn("passed", self.browser.text(".compare .differs"))
        self.picture("attempts")

    def test_what_was_not_run_says_why(self):
        self.show(journey="Yahoo is not asked")
        self.assertIn("Yahoo is off", self.browser.text("#detail"))


class Telephone(ReportCase):
    options = {"dark": True, "size": (390, 844)}

    def test_nothing_is_wider_than_the_screen(self):
        self.show()
        self.picture("telephone-list")
        self.assert_narrow()
        for journey in ("a merge by hand", "the wrong code", "the second try works", "is text"):
            for view in ("timeline", "sequence", "tokens", "log", "compare"):
                with self.subTest(f"{journey}: {view}"):
                    self.show(journey=journey, view=view)
                    self.assert_narrow()
            self.picture(f"telephone-{journey.replace(' ', '-')}")

    def test_the_list_begins_with_what_failed(self):
        self.show()
        titles = self.browser.run(
            "return [...document.querySelectorAll('#list a')].map((row) => row.title)")
        failed = [title for title in titles if title.startswith("failed")]
        self.assertTrue(failed)
        self.assertEqual(titles[:len(failed)], failed)
        self.assertEqual(self.browser.run("return document.getElementById('order').value"), "outcome")

    def test_the_list_and_a_journey_take_turns(self):
        self.show()
        first = self.browser.run("return document.querySelector('#list a').title")
        self.browser.click("#list a")
        self.wait_for(first.split(": ", 1)[1].split(" › ")[-1], "#detail .title")
        self.assertFalse(self.browser.run(
            "return document.getElementById('list').checkVisibility()"))
        self.browser.click(".back")
        self.browser.until(lambda: self.browser.run(
            "return document.getElementById('list').checkVisibility()"))


class Broken(ReportCase):
    """The page of a run with a file that does not load."""

    page = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = pathlib.Path(ReportCase.folder.name)
        Broken.page = folder / "broken.html"
        (folder / "broken_journey.lua").write_text("this is no Lua")
        done = subprocess.run(
            [program(), "test", "--report", f"html:{cls.page}", JOURNEYS / FILE,
             "broken_journey.lua"],
            cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=PATIENCE)
        assert done.returncode == 1, done.stdout + done.stderr

    def test_a_broken_file_is_no_failed_journey(self):
        self.show()
        self.assertEqual(self.browser.text("#shown"), "6 journeys, 1 broken file")
        self.assertEqual(self.browser.text("[data-outcome=failed] b"), "2")
        self.assertEqual(self.browser.text("[data-outcome=broken] b"), "1")
        self.browser.click("[data-outcome=broken]")
        self.assertEqual(len(self.rows()), 1)
        self.assertIn("the file itself", self.rows()[0])
        self.assertEqual(self.browser.text("#shown"), "0 of 6 journeys, 1 broken file")
        self.browser.click("[data-outcome=broken]")
        self.browser.click("[data-outcome=failed]")
        self.assertEqual(len(self.rows()), 2)


class LongWords(ReportCase):
    """The page of a run whose paths, claims and values have no blank to be broken at."""

    options = {"dark": True, "size": (360, 740)}
    page = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = pathlib.Path(ReportCase.folder.name)
        LongWords.page = folder / "long.html"
        name = "a_file_with_a_very_long_name_without_any_blank_in_it_journey.lua"
        (folder / ("deep" * 12)).mkdir()
        (folder / ("deep" * 12) / name).write_text("""
            local expect = require "luath.expect"
            local word = ("Unbroken"):rep(20)
            require "luath.journey"(word, function(j)
              j.users:new { name = word, providers = { "microsoft.com" } }:signIn "microsoft.com"
              expect.equal(word, { [word] = word }, word)
            end)
            """)
        done = subprocess.run(
            [program(), "test", "--report", f"html:{cls.page}", "deep" * 12],
            cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=PATIENCE)
        assert done.returncode == 1, done.stdout + done.stderr

    def test_nothing_is_wider_than_the_screen(self):
        for view in ("timeline", "sequence", "tokens", "log"):
            with self.subTest(view):
                self.show(journey="Unbroken", view=view)
                self.assert_narrow()
                self.picture(f"long-{view}")


class Evidence(ReportCase):
    """The page of a run that failed at a page in a browser."""

    page = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        Evidence.page = pathlib.Path(ReportCase.folder.name) / "evidence.html"
        if Evidence.page.exists():
            return
        done = subprocess.run(
            [program(), "test", "--report", f"html:{cls.page}", "page_journey.lua"],
            cwd=JOURNEYS, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=PATIENCE)
        assert done.returncode == 1, done.stdout + done.stderr

    def test_the_failure_has_its_page(self):
        self.show(journey="refused")
        self.assertEqual(self.count(".shots figure"), 1)
        figure = self.browser.text(".shots figcaption")
        self.assertIn("failed", figure)
        self.assertIn("/signin?flow=[value 1]", figure)
        self.browser.until(lambda: self.browser.run(
            "return document.querySelector('.shots img').naturalWidth") > 500)
        self.picture("evidence")

    def test_a_picture_is_enlarged_by_mouse_and_keyboard(self):
        self.show(journey="refused")
        shown = "return document.querySelector('#viewer')?.open === true"
        self.browser.click(".shots .thumbnail")
        self.assertTrue(self.browser.run(shown))
        self.assertGreater(self.browser.run(
            "return document.querySelector('#viewer img').width"), 300)
        self.picture("evidence-enlarged")
        self.press("Escape")
        self.assertFalse(self.browser.run(shown))
        self.browser.run("document.querySelector('.shots .thumbnail').focus()")
        self.press("Enter")
        self.assertTrue(self.browser.run(shown))
        self.browser.click("#viewer button")
        self.assertFalse(self.browser.run(shown))

    def test_the_timeline_has_pages_beside_exchanges(self):
        self.show(journey="refused")
        self.assertEqual(self.count(".row.attachment"), 2)
        self.assertGreaterEqual(self.count(".row.http"), 1)
        self.assertIn("uncaught error", self.browser.text(".timeline"))
        self.assertIn("/nowhere", self.browser.text(".timeline"))
        self.browser.click(".row.attachment:last-of-type .label, .row.attachment .label")
        self.assertIn("tea,2", self.browser.text(".row.attachment .inside"))

    def test_the_pages_have_all(self):
        self.show(journey="refused")
        self.press("5")
        self.wait_for("Requests of pages", "#view")
        view = self.browser.text("#view")
        for text in ("basket", "tea,2", "the consent takes long", "uncaught error", "404", "HTML"):
            self.assertIn(text, view)
        self.assertEqual(self.count("#view .thumbnail"), 1)
        self.browser.click("#view summary")
        self.assertIn("<title>", self.browser.text("#view details"))
        self.assertEqual(self.count("#view a[download]"), 3)
        self.picture("evidence-pages")

    def test_no_secret_is_in_the_file(self):
        text = self.page.read_text()
        for secret in ("luath-demo", "eyJhbGciOi"):
            self.assertNotIn(secret, text)


class EvidenceOnTelephone(Evidence):
    options = {"dark": True, "size": (390, 844)}

    def picture(self, name):
        super().picture(f"telephone-{name}")

    def test_nothing_is_wider_than_the_screen(self):
        for view in ("timeline", "pages"):
            with self.subTest(view):
                self.show(journey="refused", view=view)
                self.assert_narrow()
                self.picture(f"evidence-{view}-view")


class EvidenceInTheDark(Evidence):
    options = {"dark": True}

    def picture(self, name):
        super().picture(f"{name}-dark")


class Load(ReportCase):
    """The page of a run under load."""

    page = None

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        Load.page = pathlib.Path(ReportCase.folder.name) / "load.html"
        base = pathlib.Path(ReportCase.folder.name) / "base.json"
        for options in (
                ["--duration", "500ms", "--report", f"json:{base}"],
                ["--duration", "2s", "--threshold", "p95<1ms", "--compare", base,
                 "--report", f"html:{cls.page}"]):
            done = subprocess.run(
                [program(), "load", "--vus", "2", "--name", "a merge by hand", *options, FILE],
                cwd=JOURNEYS, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                timeout=PATIENCE)
        assert cls.page.exists(), done.stdout + done.stderr

    def test_it_has_figures_plots_and_tables(self):
        self.show()
        self.assertEqual(self.browser.text("h1"), "1 of 1 threshold missed")
        self.assertEqual(self.count(".plot svg"), 5)
        self.assertGreaterEqual(self.count(".plot path.line"), 8)
        # Journeys, steps, endpoints, phases, and the changes since the first run.
        self.assertEqual(self.count("table"), 5)
        self.assertIn("Waiting for a free connection", self.browser.text())
        self.assertIn("base.json", self.browser.text("section:last-of-type h2"))
        self.assertIn("accounts:signInWithIdp", self.browser.text())
        self.assert_readable()
        self.picture("load")

    def test_tables_sort_and_plots_are_read_by_keys(self):
        self.show()
        self.browser.click("section:nth-of-type(3) th:nth-child(2) button")
        self.assertEqual(self.browser.run(
            "return document.querySelector('th[aria-sort]').textContent"), "Count ↓")
        self.browser.run("document.querySelector('.canvas svg').focus()")
        self.browser.run(
            "document.querySelector('.canvas svg').dispatchEvent("
            "new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))")
        self.assertIn("p95", self.browser.text(".told"))


class LoadOnTelephone(Load):
    options = {"dark": True, "size": (390, 844)}

    def test_nothing_is_wider_than_the_screen(self):
        self.show()
        self.assert_narrow()
        self.picture("telephone-load")


def main():
    BrowserCase.keep_pictures(sys.argv[1:])
    cases = [
        Page, Journey, Failures, Telephone, Broken, LongWords, Evidence, EvidenceOnTelephone,
        EvidenceInTheDark, Load, LoadOnTelephone]
    return checks.run(cases, "report")


if __name__ == "__main__":
    sys.exit(main())
