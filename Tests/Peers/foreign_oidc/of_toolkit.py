"""What only django-oauth-toolkit shows."""
import cases
from cases import providers as common

register = cases.register


def providers(_, server):
    return common(server)


class ToolkitChain(cases.Chain):
    domain = "toolkit.example"


CASES = [ToolkitChain, cases.Refusals]
