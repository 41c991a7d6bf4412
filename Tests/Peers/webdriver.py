"""Drives a headless Chromium through chromedriver: the WebDriver protocol is JSON over HTTP."""
import base64
import json
import os
import re
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

# Debian's wrapper of the same name does not hand signals on, so the program itself is named.
BROWSER = "/usr/lib/chromium/chromium-headless-shell"
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
PATIENCE = 60


class Problem(Exception):
    """What chromedriver refused, such as an element that is not there."""


class Browser:
    """One headless browser, from `with` to the end of it."""

    def __init__(self, dark=False, size=(1200, 900), scripts=True):
        # The browser leaves files behind wherever it keeps its temporary ones.
        self.folder = tempfile.TemporaryDirectory(prefix="luath-", ignore_cleanup_errors=True)
        self.session = None
        self.base = f"http://127.0.0.1:{self.started()}"
        try:
            self.until(lambda: self.call("GET", "/status")["ready"])
            arguments = [
                "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                "--no-first-run", "--disable-background-networking", "--disable-component-update",
                "--disable-sync", f"--window-size={size[0]},{size[1]}"]
            options = {"binary": BROWSER, "args": arguments}
            made = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
                "browserName": "chrome-headless-shell", "goog:chromeOptions": options,
                "timeouts": {"implicit": 5000, "pageLoad": 30000, "script": 30000},
                "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
            self.session = f"/session/{made['sessionId']}"
            self.command("Emulation.setEmulatedMedia", {"features": [
                {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
            self.command("Emulation.setDeviceMetricsOverride", {
                "width": size[0], "height": size[1], "deviceScaleFactor": 1,
                "mobile": size[0] < 600})
            self.command("Emulation.setScriptExecutionDisabled", {"value": not scripts})
        except BaseException:
            self.stop()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """Ends browser and driver; a driver that ends alone would leave the browser behind."""
        try:
            if self.session:
                self.call("DELETE", self.session)
        finally:
            self.session = None
            self.stop_driver()
            self.folder.cleanup()

    def started(self):
        """Starts the driver; the free port that it took, which it prints when it listens.

        It takes a free port of 127.0.0.1, and ends when another program has the same of ::1.
        """
        for _ in range(10):
            self.driver = subprocess.Popen(
                ["chromedriver", "--port=0", "--log-level=SEVERE"], stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                env=os.environ | {"TMPDIR": self.folder.name})
            for line in self.driver.stdout:
                if found := re.search(r"started successfully on port (\d+)", line):
                    return found[1]
            self.stop_driver()
        self.folder.cleanup()
        raise Problem("chromedriver ended ten times before it listened")

    def stop_driver(self):
        self.driver.terminate()
        self.driver.wait(PATIENCE)
        self.driver.stdout.close()

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            told = json.load(error)["value"]
            raise Problem(f"{told['error']}: {told['message'].splitlines()[0]}") from None

    def until(self, holds):
        """Asks again and again until it holds; answers what it got."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                value = holds()
                if value:
                    return value
                problem = "it never held"
            except (Problem, OSError) as error:
                problem = error
            if time.monotonic() > end:
                raise AssertionError(f"gave up: {problem}")

    def command(self, name, parameters):
        return self.call(
            "POST", f"{self.session}/goog/cdp/execute", {"cmd": name, "params": parameters})

    def open(self, address):
        self.call("POST", f"{self.session}/url", {"url": address})

    def address(self):
        return self.call("GET", f"{self.session}/url")

    def find(self, selector):
        found = self.call(
            "POST", f"{self.session}/element", {"using": "css selector", "value": selector})
        return f"{self.session}/element/{found[ELEMENT]}"

    def do(self, selector, method, action, body=None):
        """Acts on an element, which a page may replace at any time: then on the new one."""
        for _ in range(100):
            try:
                return self.call(method, f"{self.find(selector)}/{action}", body)
            except Problem as error:
                problem = error
                if not str(error).startswith("stale element reference"):
                    raise
        raise problem

    def click(self, selector):
        self.do(selector, "POST", "click", {})

    def type(self, selector, text):
        self.do(selector, "POST", "clear", {})
        self.do(selector, "POST", "value", {"text": text})

    def text(self, selector="main"):
        return self.do(selector, "GET", "text")

    def run(self, script, *arguments):
        return self.call(
            "POST", f"{self.session}/execute/sync", {"script": script, "args": list(arguments)})

    def screenshot(self, path):
        """For a person who wants to look."""
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", f"{self.session}/screenshot")))

    def errors(self):
        """What the console has complained about since it was asked last."""
        entries = self.call("POST", f"{self.session}/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        """The addresses that pages have asked for since it was asked last."""
        found = []
        for entry in self.call("POST", f"{self.session}/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return found
