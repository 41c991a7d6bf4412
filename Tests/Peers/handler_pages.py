"""The pages of SDKs that sign in in a browser: only pages of authorized domains are handed a sign-in.

Usage: handler_pages.py [FOLDER]; with a folder it leaves screenshots there.
"""
import json
import sys
import urllib.parse

import checks
from browser_case import BrowserCase

FLOW = {"apiKey": "k", "appName": "a", "eventId": "e", "providerId": "oidc.corp"}
# What the handler posts to the frame when a pop-up is done.
DONE = {"eventType": "sendAuthEvent", "data": {
    "storageKey": "k:a", "authEvent": {"type": "signInViaPopup", "urlResponse": "the answer"}}}


class HandlerPages(BrowserCase):
    """The app's page is of `localhost`, the emulator's are of `127.0.0.1`: other origins to a browser."""

    def setUp(self):
        super().setUp()
        self.app = f"http://localhost:{self.emulator.port}"

    def tearDown(self):
        self.browser.errors()

    def authorize(self, *domains):
        answer = self.http.send(
            "PATCH", "/identitytoolkit.googleapis.com/v2/projects/demo-luath/config"
            "?updateMask=authorizedDomains", {"authorizedDomains": domains},
            {"Authorization": "Bearer owner"})
        self.assertEqual(answer.status, 200, answer.error)

    def embed(self):
        """Opens the app's page, puts the frame into it, and answers what the frame has sent it."""
        self.browser.open(f"{self.app}/emulator/openapi.json")
        frame = f"{self.emulator.base}/emulator/auth/iframe?" + urllib.parse.urlencode(
            {"apiKey": "k", "appName": "a", "parent": self.app, "id": "I0", "pfname": "p"})
        self.browser.run("""
            window.got = [];
            window.addEventListener("message", (event) => window.got.push(event.data));
            const frame = document.createElement("iframe");
            frame.src = arguments[0];
            document.body.append(frame);""", frame)
        # The first authEvent says that the frame has read its storage.
        self.browser.until(lambda: "authEvent" in self.sent())
        self.browser.call("POST", f"{self.browser.session}/frame", {"id": 0})
        self.browser.run("""
            window.postMessage(arguments[0], location.origin);
            // Comes after it, and is answered to every page.
            window.postMessage("the end", location.origin);
            return new Promise((done) => window.addEventListener("message", (event) => {
              if (event.data === "the end") done(); }));""", DONE)
        self.browser.call("POST", f"{self.browser.session}/frame", {"id": None})
        return self.browser.until(self.sent)

    def sent(self):
        return "".join(map(str, self.browser.run("return window.got")))

    def test_the_frame_hands_a_sign_in_to_an_authorized_page(self):
        self.authorize("localhost")
        sent = self.embed()
        self.assertIn("no-auth-event", sent)
        self.browser.until(lambda: "the answer" in self.sent())

    def test_the_frame_hands_no_sign_in_to_another_page(self):
        self.authorize("app.example")
        sent = self.embed()
        self.assertIn("auth/unauthorized-domain", sent)
        self.assertNotIn("the answer", self.sent())

    def start(self, **parameters):
        self.open("/emulator/auth/handler?" + urllib.parse.urlencode(FLOW | parameters))

    def test_no_sign_in_begins_for_a_page_that_is_not_authorized(self):
        for address in ("https://evil.example/", "https://localhost.evil.example/",
                        "javascript:alert(1)", "data:text/html,x", "//evil.example"):
            with self.subTest(address):
                for kind in ("signInViaRedirect", "signInViaPopup"):
                    self.start(authType=kind, redirectUrl=address)
                    self.wait_for("not among the project's authorized domains", "#problem")
                    self.assertTrue(self.browser.address().startswith(self.home))

    def test_a_sign_in_of_an_authorized_page_begins(self):
        for address in (self.app, "http://app.localhost:3000/a", "http://127.0.0.1:1/"):
            with self.subTest(address):
                self.start(authType="signInViaRedirect", redirectUrl=address)
                self.browser.find("input[name=email]")

    def test_an_app_is_opened_by_a_scheme_of_its_own_alone(self):
        # A provider that is not there is an error at once, which the page hands to the app.
        for name, value in (("ibi", "javascript"), ("ibi", "javascript:alert(1)//"), ("ibi", "data"),
                            ("ibi", "https"), ("clientId", "javascript"), ("clientId", "x.data:"),
                            ("appId", "/../")):
            with self.subTest(f"{name}={value}"):
                flow = {key: FLOW[key] for key in ("apiKey", "eventId")}
                self.open("/emulator/auth/handler?" + urllib.parse.urlencode(
                    flow | {"providerId": "oidc.none", name: value}))
                self.wait_for("does not name how to open the app", "#problem")
                self.assertTrue(self.browser.address().startswith(self.home))


class Widget(BrowserCase):
    """The page on which a tester chooses the identity, in the web SDK's pop-up of 500 by 600 pixels."""

    rules = "compatible"
    options = {"size": (500, 600)}

    def sign_in(self, number, tenant=None):
        claims = {"sub": f"s{number}", "email": f"user{number}@b.example", "name": f"User {number}"}
        body = {"requestUri": "http://localhost", "returnSecureToken": True, "postBody":
                urllib.parse.urlencode({"providerId": "google.com", "id_token": json.dumps(claims)})}
        if tenant:
            body["tenantId"] = tenant
        answer = self.http.client("accounts:signInWithIdp", body)
        self.assertEqual(answer.status, 200, answer.error)

    def start(self, **parameters):
        flow = {"apiKey": "k", "appName": "a", "eventId": "e", "authType": "signInViaPopup",
                "providerId": "google.com"}
        self.open("/emulator/auth/handler?" + urllib.parse.urlencode(flow | parameters))

    def bottom(self, selector):
        return self.browser.run(
            "return document.querySelector(arguments[0]).getBoundingClientRect().bottom", selector)

    def assert_fits(self):
        for selector in ("#sign-in", "#refuse", "#verified", "#verified-hint", "footer"):
            self.assertLessEqual(self.bottom(selector), 600, selector)
        height = self.browser.run("return document.documentElement.scrollHeight")
        self.assertLessEqual(height, 600)

    def test_it_fits_the_pop_up_without_and_with_users(self):
        self.start()
        self.wait_for("Sign in with Google", "h1")
        self.assert_fits()
        self.assert_readable()
        for number in range(12):
            self.sign_in(number)
        self.start()
        self.assert_fits()
        self.assert_narrow()
        self.assert_readable()
        if self.options["size"] == (500, 600):
            self.picture("widget-dark" if self.options.get("dark") else "widget")

    def test_the_buttons_stay_in_sight_when_all_fields_are_open(self):
        self.start(providerId="saml.corp")
        self.wait_for("Sign in with corp", "h1")
        self.browser.click("summary")
        self.browser.find("#attributes")
        self.assertLessEqual(self.bottom("#sign-in"), self.options["size"][1])
        self.assert_readable()

    def test_a_tenant_has_its_name(self):
        made = self.http.send(
            "POST", "/identitytoolkit.googleapis.com/v2/projects/demo-luath/tenants",
            {"displayName": "East"}, {"Authorization": "Bearer owner"})
        tenant = made.body["name"].split("/")[-1]
        self.start(tid=tenant)
        self.wait_for("the tenant East")


class DarkWidget(Widget):
    options = {"size": (500, 600), "dark": True}


class SmallWidget(Widget):
    """A phone: the page may be longer than the screen, but the buttons are in sight."""

    options = {"size": (360, 640)}

    def assert_fits(self):
        self.assertLessEqual(self.bottom("#sign-in"), 640)


def main():
    BrowserCase.keep_pictures(sys.argv[1:])
    return checks.run([HandlerPages, Widget, DarkWidget, SmallWidget], "handler pages")


if __name__ == "__main__":
    sys.exit(main())
