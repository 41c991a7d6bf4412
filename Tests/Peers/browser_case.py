"""An emulator and a headless browser for each case, and what must hold of all its pages."""
import pathlib
import unittest

from emulator import Connection, Emulator
from webdriver import Browser


class BrowserCase(unittest.TestCase):
    """Starts an emulator and a browser for each case, and looks at both when it is over."""

    options = {}
    rules = "production"
    pictures = None

    @classmethod
    def keep_pictures(cls, arguments):
        """Leaves screenshots in the folder that is named, if one is."""
        if arguments:
            cls.pictures = pathlib.Path(arguments[0])
            cls.pictures.mkdir(parents=True, exist_ok=True)

    def setUp(self):
        self.emulator = Emulator("--rules", self.rules)
        self.addCleanup(self.emulator.stop)
        self.home = self.emulator.base + "/"
        self.http = Connection(self.emulator.port)
        self.addCleanup(self.http.close)
        self.browser = Browser(**self.options)
        self.addCleanup(self.browser.stop)

    def tearDown(self):
        self.assertEqual(self.browser.errors(), [])
        foreign = [
            address for address in self.browser.requests()
            if not address.startswith((self.home, "data:"))]
        self.assertEqual(foreign, [])

    def open(self, path):
        self.browser.open(self.emulator.base + path)

    def wait_for(self, text, selector="main"):
        self.browser.until(lambda: text in self.browser.text(selector))

    def picture(self, name):
        if self.pictures:
            self.browser.screenshot(self.pictures / f"{name}.png")

    def assert_readable(self):
        """Fields have labels, tables heads, buttons words; there is one heading and no id twice."""
        problems = self.browser.run("""
            const bad = [];
            for (const field of document.querySelectorAll("input:not([type=hidden]),textarea,select"))
              if (!field.labels.length) bad.push(field.outerHTML);
            for (const button of document.querySelectorAll("button,a"))
              if (!button.textContent.trim()) bad.push(button.outerHTML);
            for (const table of document.querySelectorAll("table"))
              if (!table.querySelector("thead th[scope=col]")) bad.push("table");
            const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
            for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) bad.push(id);
            if (document.querySelectorAll("main h1").length !== 1) bad.push("h1");
            if (!document.documentElement.lang) bad.push("lang");
            if (!document.title.trim()) bad.push("title");
            return bad;""")
        self.assertEqual(problems, [])

    def assert_narrow(self):
        """Nothing is wider than the window, which a telephone widens for what is."""
        wide, window = self.browser.run(
            "return [document.documentElement.scrollWidth, window.innerWidth]")
        self.assertLessEqual(wide, self.options.get("size", (window,))[0])
