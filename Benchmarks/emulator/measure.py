"""Measures `luath emulator`: requests a second, memory, start, large projects.

Rates are ratios to `floor.c`, a libmicrohttpd server that only answers, asked in turn in the same
run by the same client. wrk takes one core and the server the other.
"""
import contextlib
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "Tests/Peers"))
os.environ["LUATH"] = str(HERE.parents[1] / "luath")
from emulator import Connection, Emulator  # noqa: E402

PROJECT = "demo-luath"
V1 = "/identitytoolkit.googleapis.com/v1"
JSON, FORM = "application/json", "application/x-www-form-urlencoded"
PEOPLE, PASSWORD = 1000, "correct horse battery staple"
ROUNDS, SECONDS, CONNECTIONS = 5, 2, 16


def rates(build):
    """The five operations that apps call most, under compatible rules, 16 connections."""
    with Emulator("--rules", "compatible") as emulator, floor(build) as port:
        ours, peer = {name: [] for name in work(emulator)}, []
        with tempfile.TemporaryDirectory() as folder:
            requests = {name: saved(folder, name, one) for name, one in work(emulator).items()}
            for _ in range(ROUNDS):
                peer.append(wrk(port, requests["lookup"]))
                for name, request in requests.items():
                    ours[name].append(wrk(emulator.port, request))
    # One good moment of either side says little where both share the processors: medians.
    base = statistics.median(one["rate"] for one in peer)
    figures = []
    for name, rounds in ours.items():
        rate = statistics.median(one["rate"] for one in rounds)
        figures += [
            {
                "name": f"emulator.{name}.rate", "value": rate / base, "median": rate / base,
                "ours": rate, "peer": base, "best": max(one["rate"] for one in rounds),
                "measured": "requests a second", "rounds": ROUNDS,
            },
            # The quietest round: a stall of the machine is not the server's.
            plain(f"emulator.{name}.p99", [one["p99"] for one in rounds], "ms"),
        ]
    return figures


def production(build):
    """Refreshed tokens under production rules, each signed, against openssl's signatures.

    Both in signatures for each second of processor time, so that it does not matter how many cores
    the emulator signs on.
    """
    ours, peer = [], []
    with Emulator("--rules", "production") as emulator, tempfile.TemporaryDirectory() as folder:
        with contextlib.closing(Connection(emulator.port)) as http:
            tokens = [
                http.client("accounts:signUp", {"returnSecureToken": True}).body["refreshToken"]
                for _ in range(50)
            ]
        request = saved(folder, "refresh", refreshing(tokens))
        for _ in range(3):
            began = processor(emulator.process.pid)
            one = wrk(emulator.port, request)
            ours.append(one["requests"] / (processor(emulator.process.pid) - began))
            peer.append(signatures())
    return [
        {
            "name": "emulator.production.signatures",
            "value": statistics.median(ours) / statistics.median(peer),
            "median": statistics.median(mine / theirs for mine, theirs in zip(ours, peer)),
            "ours": statistics.median(ours), "peer": statistics.median(peer),
            "measured": "RS256 a second of a core", "rounds": len(ours),
        }
    ]


def ready(build):
    """From the start of the process to the first answer."""
    times = []
    for _ in range(20):
        began = time.perf_counter()
        with Emulator("--rules", "compatible") as emulator:
            with contextlib.closing(Connection(emulator.port)) as http:
                assert http.send("GET", "/").status == 200
            times.append((time.perf_counter() - began) * 1000)
    return [plain("emulator.ready", times, "ms")]


def memory(build):
    """The resident set, idle and with users, and what a million users do to import and look-up."""
    figures = []
    with Emulator("--rules", "compatible") as large, Emulator("--rules", "compatible") as small:
        with contextlib.closing(Connection(large.port)) as http:
            assert http.send("GET", "/").status == 200
            figures.append(one("emulator.memory.idle", large.resident() / 1e6, "MB"))
            seconds = imported(http, 0, 100)
            figures.append(one("emulator.memory.users", large.resident() / 1e6, "MB, 100,000 users"))
            seconds += imported(http, 100, 1000)
            figures.append(one("emulator.import", seconds, "s for 1,000,000 users"))
            figures.append(one("emulator.memory.million", large.resident() / 1e6, "MB, 1,000,000 users"))
        with contextlib.closing(Connection(small.port)) as http:
            imported(http, 0, 1)
        return figures + lookups(large, small)


def lookups(large, small):
    """Look-ups by each key among a million users and among a thousand, in turn."""
    many, few = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(3):
            for emulator, users, found in ((large, 1_000_000, many), (small, 1000, few)):
                for key, request in keys(folder, users):
                    rate = wrk(emulator.port, request, "Bearer owner")["rate"]
                    found.setdefault(key, []).append(rate)
    return [
        {
            "name": f"emulator.lookup.{key}", "value": max(few[key]) / max(many[key]),
            "median": statistics.median(few[key]) / statistics.median(many[key]),
            "ours": max(many[key]), "peer": max(few[key]),
            "measured": "a second, among 10^6 and 10^3",
        }
        for key in few
    ]


MEASUREMENTS = {
    "emulator-rates": rates,
    "emulator-production": production,
    "emulator-ready": ready,
    "emulator-memory": memory,
}

# What is asked.


def work(emulator):
    """Requests by name: path, content type, bodies."""
    with contextlib.closing(Connection(emulator.port)) as http:
        people = []
        for number in range(PEOPLE):
            email = f"person-{number}@example.com"
            answer = http.client(
                "accounts:signUp",
                {"email": email, "password": PASSWORD, "returnSecureToken": True})
            if answer.status != 200:
                answer = http.client(
                    "accounts:signInWithPassword",
                    {"email": email, "password": PASSWORD, "returnSecureToken": True})
            people.append(answer.body)
    new = {"email": "new-COUNT@example.com", "password": PASSWORD, "returnSecureToken": True}
    return {
        "signUp": (f"{V1}/accounts:signUp?key=any", JSON, [json.dumps(new)]),
        "signInWithPassword": (
            f"{V1}/accounts:signInWithPassword?key=any", JSON,
            [
                json.dumps({"email": one["email"], "password": PASSWORD, "returnSecureToken": True})
                for one in people
            ]),
        "lookup": (
            f"{V1}/accounts:lookup?key=any", JSON,
            [json.dumps({"idToken": one["idToken"]}) for one in people]),
        "signInWithIdp": (
            f"{V1}/accounts:signInWithIdp?key=any", JSON,
            [json.dumps(federated(number)) for number in range(PEOPLE)]),
        "refresh": refreshing([one["refreshToken"] for one in people]),
    }


def federated(number):
    claims = {
        "sub": f"google-{number}", "email": f"google-{number}@gmail.example", "email_verified": True,
        "name": f"Person {number}"}
    post = {"id_token": json.dumps(claims), "providerId": "google.com"}
    return {
        "requestUri": "http://localhost", "postBody": urllib.parse.urlencode(post),
        "returnSecureToken": True, "returnIdpCredential": True}


def refreshing(tokens):
    form = [
        urllib.parse.urlencode({"grant_type": "refresh_token", "refresh_token": token})
        for token in tokens
    ]
    return "/securetoken.googleapis.com/v1/token?key=any", FORM, form


def saved(folder, name, request):
    path, kind, bodies = request
    file = pathlib.Path(folder) / name
    file.write_text("\n".join(bodies) + "\n", encoding="utf-8")
    return path, kind, file


def keys(folder, users):
    """Requests for look-ups by each key, of users from all over the project."""
    names = [number * (users // 1000) for number in range(1000)]
    bodies = {
        "uid": [{"localId": [uid(number)]} for number in names],
        "email": [{"email": [f"{uid(number)}@example.com"]} for number in names],
        "phone": [{"phoneNumber": [phone(number)]} for number in names],
        "provider": [
            {"federatedUserId": [{"providerId": "google.com", "rawId": f"g-{uid(number)}"}]}
            for number in names
        ],
    }
    path = f"{V1}/projects/{PROJECT}/accounts:lookup"
    for key, lines in bodies.items():
        yield key, saved(folder, key, (path, JSON, [json.dumps(line) for line in lines]))


def uid(number):
    return f"user-{number:07}"


def phone(number):
    return f"+1555{number:07}"


def imported(http, first, last):
    """Imports batches of a thousand; the seconds that the emulator took."""
    seconds = 0
    for batch in range(first, last):
        users = [
            {
                "localId": uid(number), "email": f"{uid(number)}@example.com",
                "displayName": f"User {number}", "phoneNumber": phone(number),
                "providerUserInfo": [{"providerId": "google.com", "rawId": f"g-{uid(number)}"}],
                "createdAt": "1600000000000", "lastLoginAt": "1600000000000",
            }
            for number in range(batch * 1000, batch * 1000 + 1000)
        ]
        body = json.dumps({"users": users}).encode()
        headers = {"Content-Type": JSON, "Authorization": "Bearer owner"}
        began = time.perf_counter()
        answer = http.send("POST", f"{V1}/projects/{PROJECT}/accounts:batchCreate", body, headers)
        seconds += time.perf_counter() - began
        assert answer.status == 200 and not answer.body.get("error"), answer.raw[:300]
    return seconds


# Who asks, and whom else.


def wrk(port, request, authorization=None, connections=CONNECTIONS):
    path, kind, file = request
    command = [
        "wrk", "-t1", f"-c{connections}", f"-d{SECONDS}s", "-s", HERE / "post.lua",
        f"http://127.0.0.1:{port}{path}", "--", kind, file, *([authorization] if authorization else [])]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        sys.exit(f"benchmarks: error: wrk failed:\n{done.stdout}{done.stderr}")
    result = json.loads(done.stdout.splitlines()[-1])
    if result["refused"] or result["broken"] or not result["requests"]:
        sys.exit(f"benchmarks: error: {path} was not answered well: {result}")
    result["rate"] = result["requests"] / result["seconds"]
    return result


@contextlib.contextmanager
def floor(build):
    with subprocess.Popen([build / "floor"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        try:
            yield int(server.stdout.readline())
        finally:
            server.stdin.close()


def signatures():
    """RSA signatures a second of one core, by openssl's own measurement."""
    done = subprocess.run(
        ["openssl", "speed", "-seconds", "2", "rsa2048"], capture_output=True, text=True, timeout=60)
    return float(re.search(r"^rsa 2048 bits +\S+ +\S+ +(\S+)", done.stdout, re.MULTILINE)[1])


def processor(pid):
    """Seconds of processor time of a process so far."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def plain(name, values, measured):
    return {
        "name": name, "value": min(values), "median": statistics.median(values),
        "ours": min(values), "measured": measured, "rounds": len(values)}


def one(name, value, measured):
    return {"name": name, "value": value, "median": value, "ours": value, "measured": measured}
