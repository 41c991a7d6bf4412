"""Fixtures for pytest: luath_emulator, luath_project, luath_user and luath_browser_state."""
import os

import pytest

from luath import Emulator, LuathError


def pytest_addoption(parser):
    parser.addini("luath_options", "options of luath emulator, such as: --rules production", type="args", default=[])


def find_emulator(config):
    """The emulator of the environment, as under `luath exec -- pytest`, or else a new one."""
    __tracebackhide__ = True
    address = os.environ.get("FIREBASE_AUTH_EMULATOR_HOST")
    if not address:
        return Emulator(*config.getini("luath_options"), folder=config.rootpath)
    project = os.environ.get("GCLOUD_PROJECT")
    if not project:
        raise LuathError(f"FIREBASE_AUTH_EMULATOR_HOST is {address}, and GCLOUD_PROJECT is not set\n"
                         "  hint: set GCLOUD_PROJECT to the id of the emulated project, such as demo-luath")
    return Emulator.running(address, project, folder=config.rootpath)


@pytest.fixture(scope="session")
def luath_emulator(request):
    """An emulator for the whole run; its variables are set, so that admin SDKs use it."""
    try:
        emulator = find_emulator(request.config)
    except (LuathError, OSError) as error:
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
    """The emulator without accounts, and with the tenants and settings of its start, before and after the test."""
    __tracebackhide__ = True
    luath_emulator.reset()
    yield luath_emulator
    luath_emulator.reset()


@pytest.fixture
def luath_user(luath_project):
    """Creates users: luath_user(), luath_user(email="ada@example.com", displayName="Ada")."""
    return luath_project.create_user


@pytest.fixture
def luath_browser_state(luath_project, tmp_path):
    """Writes browser states: luath_browser_state(user, "http://localhost:3000") returns the file for Playwright."""
    states = []

    def write(user, origin, **options):
        __tracebackhide__ = True
        states.append(user)
        return luath_project.browser_state(user, origin, tmp_path / f"state-{len(states)}.json", **options)

    return write
