"""Google's admin SDK for Python against `luath emulator`: python admin_sdk compatible|production"""
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import case  # noqa: E402
import checks  # noqa: E402
import hashes  # noqa: E402
import links  # noqa: E402
import lists  # noqa: E402
import providers  # noqa: E402
import scripts  # noqa: E402
import service_accounts  # noqa: E402
import tenants  # noqa: E402
import tokens  # noqa: E402
import users  # noqa: E402
import written  # noqa: E402
from emulator import Emulator  # noqa: E402


def main():
    rules = sys.argv[1]
    modules = [
        users, lists, hashes, links, tokens, tenants, providers, scripts, service_accounts, written]
    cases = [
        kind
        for module in modules
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, case.AdminCase)
        and kind.__module__ == module.__name__
    ]
    with Emulator("--rules", rules, "--allow-server", "https://oidc.example.com") as emulator:
        # The SDK reads it whenever it makes a client.
        os.environ["FIREBASE_AUTH_EMULATOR_HOST"] = emulator.host
        case.begin(emulator, rules)
        return checks.run(cases, f"firebase-admin, {rules} rules")


if __name__ == "__main__":
    sys.exit(main())
