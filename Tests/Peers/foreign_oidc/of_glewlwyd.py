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


CASES = [WithoutBrowser]
