"""Sign-in with `oidc.NAME` by production rules, where NAME is a server that nobody here wrote.

Usage: python foreign_oidc canaille|toolkit|glewlwyd
"""
import contextlib
import pathlib
import sys
import tempfile

import of_canaille
import of_glewlwyd
import of_toolkit
from foreign import ForeignServer, Journey, project

import checks
from emulator import Emulator

PEOPLE = ("alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi", "ivan", "judy")
SERVERS = {"canaille": of_canaille, "toolkit": of_toolkit, "glewlwyd": of_glewlwyd}


def main():
    name = sys.argv[1]
    suite = SERVERS[name]
    with contextlib.ExitStack() as stack:
        Journey.server = stack.enter_context(ForeignServer(name))
        for person in PEOPLE:
            Journey.server.person(person)
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="luath-oidc-"))
        Journey.project = pathlib.Path(folder) / "luath.lua"
        Journey.project.write_text(project(suite.providers(stack, Journey.server)), "utf-8")
        Journey.emulator = stack.enter_context(
            Emulator("--rules", "production", "--project", Journey.project))
        suite.register(Journey.server, f"{Journey.emulator.base}/__/auth/handler")
        return checks.run(suite.CASES, f"{name}, production rules")


if __name__ == "__main__":
    sys.exit(main())
