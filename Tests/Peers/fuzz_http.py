"""Sends bytes that are no good HTTP: python fuzz_http.py [CASES [SEED]]

First requests that are wrong in known ways, then CASES random changes of good ones. The server may
answer, close or wait for more, but not answer with 500, and others must be served meanwhile and
afterwards. Ends with a line of counts, of groups of cases.
"""
import itertools
import json
import pathlib
import random
import re
import socket
import sys
from http.client import HTTPException

from emulator import PATIENCE, Connection, Emulator

FACTS = json.loads(
    (pathlib.Path(__file__).resolve().parent / "request-types.json").read_text(encoding="utf-8"))
V1 = "/identitytoolkit.googleapis.com/v1"
# So many connections at once.
BATCH = 50


def request(path, body, *headers, method="POST", version="HTTP/1.1"):
    head = [f"{method} {path} {version}", "Host: localhost", *headers]
    if body is not None and not any(name.lower().startswith(("content-length", "transfer-encoding"))
                                    for name in headers):
        head.append(f"Content-Length: {len(body)}")
    return "\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + (body or b"")


SIGN_UP = f"{V1}/accounts:signUp?key=any"
JSON = "Content-Type: application/json"


def chunked(*chunks):
    return request(SIGN_UP, b"".join(chunks), JSON, "Transfer-Encoding: chunked")


def known():
    """Groups of requests that are wrong in a way that has a name."""
    good = request(SIGN_UP, b"{}", JSON)
    yield "broken chunks", [
        chunked(b"2\r\n{}\r\n0\r\n\r\n"), chunked(b"zz\r\n{}\r\n0\r\n\r\n"), chunked(b"-1\r\n{}\r\n"),
        chunked(b"ffffffffffffffffff\r\n{}"), chunked(b"2\r\n{}\r\n"), chunked(b"2\r\n{}0\r\n\r\n"),
        chunked(b"2;a=b\r\n{}\r\n0\r\nX: y\r\n\r\n"), chunked(b""), chunked(b"0\r\n"),
    ]
    yield "lengths that lie", [
        request(SIGN_UP, b"{}", JSON, f"Content-Length: {length}")
        for length in ("1", "99", "-1", "x", "99999999999999999999", "0x2", "2, 2", "")
    ] + [
        request(SIGN_UP, b"{}", JSON, "Content-Length: 2", "Content-Length: 3"),
        request(SIGN_UP, b"2\r\n{}\r\n0\r\n\r\n", JSON, "Content-Length: 2", "Transfer-Encoding: chunked"),
    ]
    yield "pipelines", [good * 50, good + b"GARBAGE", good[:-1], good + good[:20]]
    yield "paths", [
        request(path, b"{}", JSON)
        for path in (
            "/", "//", "/..", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/%", "/%zz", "/%00",
            "*", "http://other.example/", f"http://localhost{SIGN_UP}", "/" + "a" * 60_000,
            f"{V1}/accounts%3AsignUp?key=any", f"{V1}//accounts:signUp?key=any",
            f"{V1}/accounts:signUp/?key=any", f"{SIGN_UP}&" + "a=b&" * 10_000, f"{SIGN_UP}&key=%ff",
            f"{V1}/projects/../accounts:lookup", f"{V1}/projects/%2e%2e/accounts:lookup",
            f"{V1}/projects/a%2fb/accounts:lookup", f"{V1}/projects//accounts:lookup",
            "/emulator/v1/projects/%00/accounts", "/emulator/action?oobCode=%ff&apiKey=%00&mode=x",
        )
    ]
    yield "methods and versions", [
        request(SIGN_UP, b"{}", JSON, method=method)
        for method in ("GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "G\x00T", "a" * 5000)
    ] + [request(SIGN_UP, b"{}", JSON, version=one) for one in ("HTTP/1.0", "HTTP/2.0", "HTTP/9", "X")]
    yield "headers", [
        request(SIGN_UP, b"{}", JSON, header)
        for header in (
            "X: " + "y" * 100_000, "No colon", ": no name", "X\x00Y: z", "X: \x00", "X: \r\n folded",
            "Authorization: Bearer", "Authorization: Bearer \xff", "Authorization: Basic !!!",
            "Expect: 100-continue", "Expect: the unexpected", "Upgrade: websocket", "Host: other",
            "Origin: \xff", "Content-Encoding: gzip", "Content-Encoding: deflate, br",
            "Content-Type: application/json; charset=utf-32", "Content-Type: ;;;;", "X-Goog-Api-Key: ")
    ] + [request(SIGN_UP, b"{}", *[f"X-{number}: y" for number in range(2000)])]
    yield "json", [
        request(SIGN_UP, body, JSON)
        for body in (
            b'{"email":"a@b.c","email":5}', b'{"email":"\xc3\x28"}', b'{"a":' * 5000 + b"1" + b"}" * 5000,
            b'{"email":"\\u0000@b.c","password":"\\u0000\\u0000\\u0000\\u0000\\u0000\\u0000"}',
            b'{"\\u0065mail":"e@e.e"}', b'{"email":"' + b"a" * 2_000_000 + b'@b.c"}',
            b"{" + b",".join(b'"k%d":1' % number for number in range(50_000)) + b"}",
        )
    ]
    yield "nothing at all", [b"", b"\r\n\r\n", b"\x00" * 1000, b"\x16\x03\x01\x02\x00\x01\x00", b"GET"]


def good_requests():
    """One request for each operation, to change at random."""
    for operation in FACTS["operations"]:
        path = operation["path"].replace("{targetProjectId}", "demo-fuzz").replace("{tenantId}", "t")
        body = {name: "x@example.com" for name in list(FACTS["types"][operation["body"]])[:6]}
        yield request(
            path + "?key=any", json.dumps(body).encode(), JSON, method=operation["method"])
        yield request(
            path, json.dumps(body).encode(), JSON, "Authorization: Bearer owner",
            method=operation["method"])
    for path in ("/", "/emulator/action?apiKey=a&oobCode=b&mode=verifyEmail",
                 "/emulator/auth/handler?apiKey=a&providerId=google.com&appName=x",
                 "/emulator/auth/iframe?apiKey=a&appName=x", f"{V1}/projects?key=any",
                 "/emulator/v1/projects/demo-fuzz/oobCodes", f"{V1}/recaptchaParams?key=any"):
        yield request(path, None, method="GET")


SPLICES = (b"\r\n", b"\x00", b"\xff", b"%00", b"{", b"[", b'"', b":", b"//", b"..", b"0", b"-", b"\\u")


def changed(data, chance):
    data = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        place = chance.randrange(len(data) + 1)
        kind = chance.randrange(5)
        if kind == 0 and place < len(data):
            data[place] = chance.randrange(256)
        elif kind == 1:
            del data[place:place + chance.randint(1, 20)]
        elif kind == 2:
            data[place:place] = chance.choice(SPLICES)
        elif kind == 3:
            data[place:place] = data[place:place + chance.randint(1, 40)]
        elif kind == 4:
            data = data[:place] or data
    return bytes(data)


def sent(port, data):
    """A connection that has sent these bytes, or as many as the server wanted."""
    connection = socket.create_connection(("127.0.0.1", port), PATIENCE)
    try:
        connection.sendall(data)
    except (ConnectionResetError, BrokenPipeError):
        pass
    connection.setblocking(False)
    return connection


def received(connection):
    """What came back so far."""
    got = b""
    try:
        while part := connection.recv(65_536):
            got += part
    except (BlockingIOError, ConnectionResetError):
        # The server waits for the rest of the request, as it may, or has closed.
        pass
    return got


def wrong(emulator, batch):
    """What is wrong with the answers to these requests, each on a connection of its own."""
    connections = []
    for data in batch:
        connections.append((data, sent(emulator.port, data)))
    # The server takes turns: when it has answered this one, it has seen the others.
    if not alive(emulator):
        yield "the emulator does not answer any more"
    for data, connection in connections:
        got = received(connection)
        connection.close()
        if got and not got.startswith(b"HTTP/1."):
            yield f"{data[:300]} … no HTTP: {got[:80]}"
        for status in re.findall(rb"^HTTP/1\.[01] (\d\d\d)", got, re.MULTILINE):
            if status[:1] == b"5" and status not in (b"501", b"505"):
                yield f"{data[:300]} … {status.decode()}: {got[-300:]}"


def alive(emulator):
    """Whether a good request is answered, on a new connection."""
    try:
        http = Connection(emulator.port)
        try:
            return http.send("GET", "/").status == 200
        finally:
            http.close()
    except (OSError, HTTPException):
        return False


def main():
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(2**32)
    chance = random.Random(seed)
    good = list(good_requests())
    groups = [(name, iter(requests)) for name, requests in known()]
    groups.append((
        f"{cases} changed requests of seed {seed}",
        (changed(chance.choice(good), chance) for _ in range(cases))))
    passed = failed = 0
    with Emulator() as emulator:
        for name, requests in groups:
            problems = []
            while batch := list(itertools.islice(requests, BATCH)):
                problems += wrong(emulator, batch)
                if emulator.process.poll() is not None:
                    problems.append(f"the emulator ended with {emulator.process.returncode}")
                    break
            if problems:
                failed += 1
                print(f"✘ {name}", *problems[:8], sep="\n    ", flush=True)
            else:
                passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
