"""Fixtures for pytest: luath_emulator, luath_project, luath_user and luath_browser_state."""
import os

import pytest

from luath import Emulator, LuathError


def pytest_addoption(parser):
    parser.addini("luath_options", "options of luath emulator, such as: --rules production", type="args", default=[])


@pytest.fixture(scope="session")
def luath_emulator(request):
    """An emulator for the whole run; its variables are set, so that admin SDKs use it."""
    try:
        emulator = Emulator(*request.config.getini("luath_options"), folder=request.config.rootpath)
    except LuathError as error:
        pytest.fail(str(error), pytrace=False)
    before = {name: os.environ.get(name) for name in emulator.environment}
    os.environ.update(emulator.environment)
    yield emulator
    for name, value in before.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    emulator.stop()


@pytest.fixture
def luath_project(luath_emulator):
    """The emulator without accounts, also after the test."""
    luath_emulator.clear()
    yield luath_emulator
    luath_emulator.clear()


@pytest.fixture
def luath_user(luath_project):
    """Creates users: luath_user(), luath_user(email="ada@example.com", displayName="Ada")."""
    return luath_project.create_user


@pytest.fixture
def luath_browser_state(luath_project, tmp_path):
    """Writes browser states: luath_browser_state(user, "http://localhost:3000") returns the file for Playwright."""
    states = []

    def write(user, origin, **options):
        states.append(user)
        return luath_project.browser_state(user, origin, tmp_path / f"state-{len(states)}.json", **options)

    return write
