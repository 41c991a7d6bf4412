"""The same as four_journey.lua for pytest, with requests."""
import os
import time

import pytest
import requests

BASE = os.environ.get("EMULATOR", "") + "/identitytoolkit.googleapis.com/v1/accounts:"
RUN = time.time_ns()


@pytest.fixture(scope="session")
def session():
    with requests.Session() as session:
        yield session


def call(session, operation, body):
    answer = session.post(f"{BASE}{operation}?key=any", json=body)
    assert answer.status_code == 200
    return answer.json()


@pytest.mark.parametrize("number", range(1000))
def test_a_person_comes_and_goes(session, number):
    who = {
        "email": f"pytest-{RUN}-{number}@luath.example", "password": "correct horse",
        "returnSecureToken": True}
    call(session, "signUp", who)
    token = call(session, "signInWithPassword", who)["idToken"]
    user = call(session, "update", {"idToken": token, "displayName": "Ada", "returnSecureToken": True})
    assert user["displayName"] == "Ada"
    call(session, "delete", {"idToken": token})
