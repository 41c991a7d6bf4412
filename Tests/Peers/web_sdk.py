"""The Firebase JS SDK in a page of http://localhost, with the emulator on another port.

The SDK is the one that streamlit-firebase-auth carries: a sign-in form in a frame, as its authors
built it. The page around it clears and makes accounts at the emulator, as pages of test suites do.
"""
import base64
import functools
import http.server
import importlib.util
import json
import pathlib
import sys
import threading

import checks
from browser_case import BrowserCase
from webdriver import ELEMENT

# Only its files are wanted; what it imports is not installed.
PACKAGE = pathlib.Path(importlib.util.find_spec("streamlit_firebase_auth").origin).parent
# Streamlit's side of its protocol: a component that is ready gets its arguments, then sends values.
PAGE = """<!doctype html><html lang="en"><title>page</title>
<iframe id="form" src="/index.html" width="800" height="700"></iframe><script>
  const values = [], args = JSON.parse(decodeURIComponent(location.hash.slice(1)));
  addEventListener("message", ({ data }) => {
    const form = document.getElementById("form").contentWindow;
    if (data.type === "streamlit:componentReady")
      form.postMessage({ type: "streamlit:render", args }, "*");
    if (data.type === "streamlit:setComponentValue") values.push(data.value);
  });
</script>"""


class Pages(http.server.SimpleHTTPRequestHandler):
    """The page with the SDK's cookie that names an emulator, and the files of the form."""

    emulator = None

    def do_GET(self):
        if self.path != "/page":
            super().do_GET()
            return
        self.send_response(200)
        defaults = json.dumps({"emulatorHosts": {"auth": self.emulator}}).encode()
        self.send_header(
            "Set-Cookie", f"__FIREBASE_DEFAULTS__={base64.b64encode(defaults).decode()}")
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE.encode())

    def log_message(self, *_):
        """Keeps the test's output clean."""


class WebSDK(BrowserCase):
    # The codes of a wrong password and of an address without account.
    refusal = "auth/invalid-credential"
    unknown = "auth/invalid-credential"

    def setUp(self):
        super().setUp()
        pages = type("PagesOf", (Pages,), {"emulator": self.emulator.host})
        server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(pages, directory=PACKAGE / "frontend/build"))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.page = f"http://localhost:{server.server_port}/page"

    def tearDown(self):
        """The checks of other cases are about the emulator's own pages."""

    def show(self, name, **more):
        """Opens the page with a form of that name in it."""
        args = {"name": name, "lang": "en", "providers": ["email"], **more, "firebase_config": {
            "apiKey": "any", "projectId": "demo-luath", "authDomain": "demo-luath.firebaseapp.com"}}
        self.browser.open("about:blank")
        self.browser.open(f"{self.page}#{json.dumps(args)}")

    def in_form(self, act):
        """Acts inside the frame, and returns to the page."""
        session = self.browser.session
        frame = self.browser.find("#form").rsplit("/", 1)[1]
        self.browser.call("POST", f"{session}/frame", {"id": {ELEMENT: frame}})
        act()
        self.browser.call("POST", f"{session}/frame", {"id": None})

    def value(self):
        """The value that the form sent last, once it has sent one."""
        return self.browser.until(
            lambda: self.browser.run("return values.length && [values.at(-1)]"))[0]

    def fetch(self, method, path, body=None, headers=None):
        """A request of the page's script to the emulator: its status and the answer."""
        return self.browser.run("""
            const [address, method, body, headers] = arguments;
            return fetch(address, {
                method, headers: { "Content-Type": "application/json", ...headers },
                body: body === null ? undefined : JSON.stringify(body) })
              .then(async (answer) => [answer.status, await answer.json()]);""",
            self.emulator.base + path, method, body, headers or {})

    def sign_in(self, email, password):
        def fill():
            self.browser.type("input[type=text]", email)
            self.browser.type("input[type=password]", password)
            self.browser.click("button")
        self.show("LoginForm")
        self.in_form(fill)
        return self.value()

    def test_pages_sign_in_keep_the_session_and_clear_accounts(self):
        accounts = "/emulator/v1/projects/demo-luath/accounts"
        self.show("CheckSession")
        self.assertIsNone(self.value())
        self.assertEqual(self.fetch("DELETE", accounts), [200, {}])
        status, made = self.fetch(
            "POST", "/identitytoolkit.googleapis.com/v1/projects/demo-luath/accounts",
            {"email": "ada@b.example", "password": "correct horse", "displayName": "Ada"},
            {"Authorization": "Bearer owner"})
        self.assertEqual(status, 200, made)

        wrong = self.sign_in("ada@b.example", "wrong horse")
        self.assertFalse(wrong["success"])
        self.assertIn(self.refusal, wrong["message"])
        entered = self.sign_in("ada@b.example", "correct horse")
        self.assertTrue(entered["success"], entered)
        self.assertEqual(
            (entered["user"]["uid"], entered["user"]["displayName"]), (made["localId"], "Ada"))

        self.show("CheckSession")
        self.assertEqual(self.value()["email"], "ada@b.example")

        self.show("SendPasswordResetEmail", email="ada@b.example")
        self.in_form(lambda: self.browser.click("button"))
        self.assertTrue(self.value()["success"])
        status, letters = self.fetch("GET", "/emulator/v1/projects/demo-luath/oobCodes")
        self.assertEqual([one["requestType"] for one in letters["oobCodes"]], ["PASSWORD_RESET"])

        self.assertEqual(self.fetch("DELETE", accounts), [200, {}])
        self.show("CheckSession")
        # The account is gone, so the session that the page kept ends.
        self.assertIsNone(self.value())
        self.assertIn(self.unknown, self.sign_in("ada@b.example", "correct horse")["message"])


class CompatibleWebSDK(WebSDK):
    rules = "compatible"
    refusal = "auth/wrong-password"
    unknown = "auth/user-not-found"


if __name__ == "__main__":
    sys.exit(checks.run([WebSDK, CompatibleWebSDK], "web SDK"))
