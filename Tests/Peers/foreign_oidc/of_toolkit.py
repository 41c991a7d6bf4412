"""What only django-oauth-toolkit shows."""
import cases
import client_cases
from cases import providers as common

register = cases.register


def providers(_, server):
    return common(server)


class ToolkitChain(cases.Chain):
    domain = "toolkit.example"


class ToolkitClient(client_cases.Client):
    domain = "toolkit.example"


CASES = [
    ToolkitChain, ToolkitClient, cases.Refusals]
