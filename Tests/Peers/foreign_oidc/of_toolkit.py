"""What only django-oauth-toolkit shows."""
import cases
import client_cases
from cases import providers as common

register = cases.register


def providers(_, server):
    return common(server)


class ToolkitChain(cases.Chain):
    domain = "toolkit.example"


class ToolkitInBrowser(ToolkitChain):
    delegate = "webdriver"


class ToolkitClient(client_cases.Client):
    domain = "toolkit.example"


class ToolkitClientInBrowser(client_cases.Pages):
    domain = "toolkit.example"
    delegate = "webdriver"


CASES = [
    ToolkitChain, ToolkitInBrowser, ToolkitClient, ToolkitClientInBrowser, cases.Refusals,
    cases.OwnEmulator]
