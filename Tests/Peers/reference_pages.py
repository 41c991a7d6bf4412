"""The site of the reference in a real browser, opened from disk.

Usage: reference_pages.py [FOLDER]; with a folder it leaves screenshots there.
"""
import pathlib
import subprocess
import sys
import tempfile

import checks
from browser_case import BrowserCase
from emulator import PATIENCE, program
from webdriver import Browser


class SiteCase(BrowserCase):
    """Opens pages of the site, which is made once for all cases."""

    folder = None

    @classmethod
    def setUpClass(cls):
        if SiteCase.folder:
            return
        SiteCase.folder = tempfile.TemporaryDirectory(prefix="luath-")
        subprocess.run([program(), "__files", SiteCase.folder.name], check=True, timeout=PATIENCE)
        SiteCase.site = pathlib.Path(SiteCase.folder.name) / "site"

    def setUp(self):
        # What is asked for beside these files would come from elsewhere.
        self.home = self.site.as_uri() + "/"
        self.browser = Browser(**self.options)
        self.addCleanup(self.browser.stop)

    def show(self, name):
        self.browser.open(self.home + name)

    def press(self, key):
        keys = {"Enter": "\ue007", "Escape": "\ue00c", "Down": "\ue015"}
        value = keys.get(key, key)
        self.browser.call("POST", f"{self.browser.session}/actions", {"actions": [
            {"type": "key", "id": "keys", "actions": [
                {"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]}]})

    def found(self):
        return self.browser.run(
            "return [...document.querySelectorAll('#found a')].map((one) => one.textContent)")


class Site(SiteCase):
    def test_the_first_page_leads_to_all_others(self):
        self.show("index.html")
        self.assert_readable()
        self.picture("reference")
        links = self.browser.run(
            "return [...document.querySelectorAll('main a')].map((one) => one.getAttribute('href'))")
        self.assertGreater(len(links), 40)
        for link in links:
            self.assertTrue((self.site / link).is_file(), link)

    def test_every_address_of_the_search_is_there(self):
        self.show("index.html")
        addresses = self.browser.run("return entries.map((entry) => entry[3])")
        self.assertGreater(len(addresses), 400)
        texts = {}
        for address in addresses:
            file, _, name = address.partition("#")
            text = texts.setdefault(file, (self.site / file).read_text())
            if name:
                self.assertIn(f'<section id="{name}">', text)

    def test_the_search_finds_names_first(self):
        self.show("index.html")
        self.browser.type("#search", "signIn")
        self.assertIn("signIn(", self.found()[0])
        self.browser.type("#search", "second factor")
        self.assertTrue(any("multiFactor:enroll" in one for one in self.found()))
        self.browser.type("#search", "no such thing at all")
        self.assertEqual(self.found(), [])

    def test_the_keyboard_searches_and_opens(self):
        self.show("index.html")
        self.press("/")
        for letter in "getidtokenresult":
            self.press(letter)
        self.press("Enter")
        self.wait_for("user:getIDTokenResult([forcingRefresh])")
        self.assertTrue(self.browser.run("return location.hash === '#getIDTokenResult'"))

    def test_a_page_shows_arguments_results_errors_and_an_example(self):
        self.show("class-Auth.html#signIn")
        section = self.browser.text("#signIn")
        for words in ("auth:signIn(proof [, delegate])", "AuthDataResult",
                      "accountExistsWithDifferentCredential", 'require "luath.auth"'):
            self.assertIn(words, section)
        self.assert_readable()
        self.picture("reference-class")


class Telephone(SiteCase):
    options = {"dark": True, "size": (390, 844)}

    def test_nothing_is_wider_than_the_screen(self):
        for name in sorted(one.name for one in self.site.glob("*.html")):
            with self.subTest(name):
                self.show(name)
                self.assert_narrow()
        self.show("class-User.html")
        self.picture("reference-telephone")

    def test_the_dark_is_dark(self):
        self.show("index.html")
        colour = self.browser.run("return getComputedStyle(document.body).backgroundColor")
        self.assertEqual(colour, "rgb(20, 23, 29)")


def main():
    BrowserCase.keep_pictures(sys.argv[1:])
    return checks.run([Site, Telephone], "reference")


if __name__ == "__main__":
    sys.exit(main())
