"""Glewlwyd's pages are scripts and nothing else: a browser passes them, the form delegate says so."""
import cases
from foreign import Journey

register = cases.register


def providers(_, server):
    return cases.providers(server)


class WithoutBrowser(Journey):
    def test_the_form_delegate_names_the_one_that_can(self):
        told = self.refused("webPageUnusable", "oidc.plain", "alice")
        self.assertIn("script", told["hint"])
        self.assertIn("webdriver", told["hint"])


class InBrowser(cases.Accounts):
    domain = "glewlwyd.example"
    delegate = "webdriver"

    def flow(self, *arguments, **settings):
        return super().flow(*arguments, **{"OIDC_SCRIPT": "glewlwyd", **settings})

    def test_a_wrong_password(self):
        """The login page is one that needs no script of ours; it has no button to deny with."""
        self.refused(
            "webCredentialsRefused", "oidc.plain", "carol", password="not carol's", OIDC_SCRIPT="")

    def test_an_address_that_the_app_did_not_register(self):
        """The status 403 is all that it says, so the hint names what to check."""
        told = self.refused(
            "webSignInUserInteractionFailure", "oidc.elsewhere", "erin", OIDC_SCRIPT="")
        self.assertIn(f"{self.emulator.base}/__/auth/handler", told["hint"], told)

    def test_a_device_without_a_browser(self):
        told = self.flow(
            "device", "oidc.plain", "alice", OIDC_SECRET=self.server.secrets["plain"],
            more=[self.server.issuer, "luath-plain"])
        self.assertNotIn("message", told)
        self.assertEqual(told["email"], "alice@glewlwyd.example")


CASES = [WithoutBrowser, InBrowser]
