"""The pages of the emulator's identity providers in a real browser: light and dark, large and small.

Usage: provider_pages.py [FOLDER]; with a folder it leaves screenshots there.
"""
import re
import sys
import urllib.parse

import checks
from browser_case import BrowserCase

PASSWORD = "luath-demo"
# Somebody whom each provider knows, in the project every emulator begins with.
PEOPLE = {
    "microsoft.com": "ada@contoso.example", "yahoo.com": "yuki@yahoo.example",
    "google.com": "grace@fabrikam.example", "oidc.corp": "barbara@corp.example"}


class ProviderPages(BrowserCase):
    def begin(self, provider, **parameters):
        """Opens the provider's page as an app does, by `createAuthUri`."""
        answer = self.http.client("accounts:createAuthUri", {
            "providerId": provider, "continueUri": f"{self.emulator.base}/__/auth/handler",
            "customParameter": parameters})
        self.assertEqual(answer.status, 200, answer.error)
        self.page, self.session = answer.body["authUri"], answer.body["sessionId"]
        self.browser.open(self.page)

    def looked_at(self, name):
        """One more page that a person sees."""
        with self.subTest(name):
            self.assert_readable()
            self.assert_narrow()
        self.picture(f"{self.prefix}{name}")

    def log_in(self, provider, name=None, password=PASSWORD):
        if provider == "microsoft.com":
            self.browser.type("input[name=loginfmt]", PEOPLE[provider])
            self.browser.click("button[type=submit]")
            self.browser.find("input[name=passwd]")
            if name:
                self.looked_at(f"{name}-password")
            self.browser.type("input[name=passwd]", password)
        else:
            self.browser.type("input[name=email]", PEOPLE[provider])
            self.browser.type("input[name=password]", password)
        self.browser.click("button[type=submit]")

    def finished(self):
        """The final address, from the page that the provider came back to, well or not."""
        self.wait_for("final address")
        return self.browser.run("return document.getElementById('address').value")

    def sign_in(self, address):
        return self.http.client("accounts:signInWithIdp", {
            "requestUri": address, "sessionId": self.session, "returnSecureToken": True,
            "returnIdpCredential": True})

    prefix = ""

    def test_login_consent_and_the_way_back(self):
        for provider, person in PEOPLE.items():
            with self.subTest(provider):
                name = re.sub(r"\W", "-", provider)
                self.begin(provider)
                self.looked_at(f"{name}-login")
                self.log_in(provider, name)
                self.browser.find("button[value=accept]")
                self.looked_at(f"{name}-consent")
                self.browser.click("button[value=accept]")
                address = self.finished()
                self.looked_at(f"{name}-finished")
                answer = self.sign_in(address)
                self.assertEqual(answer.status, 200, answer.error)
                self.assertEqual(answer.body["email"], person)

    def test_a_denial_comes_back_as_one(self):
        for provider in PEOPLE:
            with self.subTest(provider):
                self.begin(provider)
                self.log_in(provider)
                self.browser.click("button[value=deny]")
                address = self.finished()
                self.wait_for("The sign-in failed")
                self.assertIn("error=access_denied", address)
                self.assertNotEqual(self.sign_in(address).status, 200)

    def test_cancelling_instead_of_logging_in(self):
        self.begin("oidc.corp")
        self.browser.click("button[value=cancel]")
        self.assertIn("error=access_denied", self.finished())

    def test_a_wrong_password_is_said_at_the_field(self):
        for provider in PEOPLE:
            with self.subTest(provider):
                self.begin(provider)
                self.log_in(provider, password="not it")
                self.assertTrue(self.browser.text("[role=alert]"))
                field = "input[type=password][aria-invalid=true][aria-describedby=problem]"
                self.browser.find(field)
                self.looked_at(f"{provider.split('.')[0]}-wrong-password")

    def test_the_chooser_offers_whom_the_browser_knows(self):
        provider = "google.com"
        self.begin(provider)
        self.log_in(provider)
        self.browser.click("button[value=accept]")
        self.finished()
        self.begin(provider, prompt="select_account")
        self.browser.find("button[name=account]")
        self.looked_at("chooser")
        self.browser.click(f"button[name=account][value='{PEOPLE[provider]}']")
        answer = self.sign_in(self.finished())
        self.assertEqual((answer.status, answer.body.get("email")), (200, PEOPLE[provider]))
        self.begin(provider, prompt="select_account")
        self.browser.click("button[name=other]")
        self.browser.find("input[name=email]")

    def test_the_error_page_sends_nobody_anywhere(self):
        """An address that nobody registered is told to the person, and not gone to."""
        for provider in PEOPLE:
            with self.subTest(provider):
                self.begin(provider)
                parts = urllib.parse.urlsplit(self.page)
                fields = dict(urllib.parse.parse_qsl(parts.query))
                fields["redirect_uri"] = "https://evil.example/callback"
                self.browser.open(parts._replace(query=urllib.parse.urlencode(fields)).geturl())
                self.assertTrue(self.browser.text("[role=alert]"))
                self.looked_at(f"{provider.split('.')[0]}-error")
                self.assertTrue(self.browser.address().startswith(self.emulator.base))
        # That a page answers 400 is what the browser's console calls an error.
        told = self.browser.errors()
        self.assertEqual([line for line in told if "status of 400" not in line], [])

    def test_the_keyboard_alone_is_enough(self):
        """The first field has the focus, Tab leads to the next, and Enter sends the form."""
        self.begin("oidc.corp")
        self.press(f"{PEOPLE['oidc.corp']}\ue004{PASSWORD}\ue007")
        self.browser.find("button[value=accept]")
        self.press("\ue004\ue007")
        self.assertIn("code=", self.finished())

    def press(self, keys):
        actions = [
            {"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.browser.call("POST", f"{self.browser.session}/actions", {
            "actions": [{"type": "key", "id": "keys", "actions": actions}]})


class DarkTelephone(ProviderPages):
    """The same on a telephone at night."""

    options = {"dark": True, "size": (390, 844)}
    prefix = "telephone-"


if __name__ == "__main__":
    BrowserCase.keep_pictures(sys.argv[1:])
    sys.exit(checks.run([ProviderPages, DarkTelephone], "provider pages"))
