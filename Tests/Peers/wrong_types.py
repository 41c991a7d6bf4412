"""Sends every field of every request with every wrong type: python wrong_types.py compatible|production

The types are in request-types.json. Under compatible rules the refusal must be the one that
Firebase's emulator has for it; under production rules fields that nothing reads may be anything. No
answer may be a 5xx other than 501, and after each operation the server must still answer. Ends with a line of counts,
of operations.
"""
import json
import pathlib
import re
import sys

from emulator import Connection, Emulator

HERE = pathlib.Path(__file__).resolve().parent
FACTS = json.loads((HERE / "request-types.json").read_text(encoding="utf-8"))
PROJECT, TENANT = "demo-types", "tenant"
# Requests within requests end somewhere: types may hold themselves.
DEPTH = 4
SHOWN = 8


class Wrong:
    """A value that does not fit its field, and what the refusal says of it; None when not known."""

    def __init__(self, pointer, body, words):
        self.pointer, self.body, self.words = pointer, body, words


def values(kind):
    """Values that are not of this type, and the words for each."""
    if isinstance(kind, dict):
        if "enum" in kind:
            yield from ((value, "must be string") for value in (None, [], {}))
            yield "NO_SUCH_WORD", "must be equal to one of the allowed values"
            yield 99, None
        elif "list" in kind:
            yield from ((value, "must be array") for value in (None, "x", 5, True, {}))
        else:
            yield from ((value, "must be object") for value in (None, "x", 5, True, []))
    elif kind == "string":
        yield from ((value, "must be string") for value in (None, [], {}))
        # Numbers are turned to strings, which may be wrong ones.
        yield from ((value, None) for value in (5, -1.5, 1e300, True))
    elif kind in ("integer", "number"):
        yield from ((value, f"must be {kind}") for value in (None, "x", [], {}))
        yield from ((value, None) for value in (10**30, -1, 1.5, "5"))
    elif kind == "boolean":
        yield from ((value, "must be boolean") for value in (None, "x", [], {}))
        yield 1, None


def wrongs(fields, pointer=(), wrap=lambda inner: inner, depth=0):
    """Bodies with exactly one wrong value, at every place where a value can be."""
    for name, kind in fields.items():
        here = (*pointer, name)
        for wrong in at(kind, here, lambda value, name=name: wrap({name: value}), depth):
            # Firebase's emulator spells keys anew, these as iOsBundleId, and so knows them no more.
            if re.search("[A-Z]{2}", name):
                wrong.words = None
            yield wrong


def at(kind, pointer, wrap, depth):
    for value, words in values(kind):
        yield Wrong("/" + "/".join(pointer), wrap(value), words)
    if not isinstance(kind, dict) or depth == DEPTH:
        return
    if "list" in kind:
        yield from at(kind["list"], (*pointer, "0"), lambda value: wrap([value]), depth + 1)
    elif "map" in kind:
        yield from at(kind["map"], (*pointer, "key"), lambda value: wrap({"key": value}), depth + 1)
    elif "ref" in kind:
        yield from wrongs(FACTS["types"][kind["ref"]], pointer, wrap, depth + 1)
    elif "fields" in kind:
        yield from wrongs(kind["fields"], pointer, wrap, depth + 1)


def whole_bodies():
    """Bodies that are wrong altogether, as bytes; all must be refused."""
    yield from (b"", b"{", b"}", b"[", b'{"a":}', b'{"a":1,}', b"null", b'"text"', b"5", b"[]")
    yield from (b"[" * 100_000, b'{"a":' * 50_000, b'{"a":"\xff\xfe"}', b'\xef\xbb\xbf{}x')
    yield from (b'{"a":"\\ud800"}', b'{"a":"\\x"}', b'{"a":1e999999}', b'{"a":"' + b"x" * 1_000_000)


class Asking:
    """One operation being asked, over one connection that is made anew when it breaks."""

    def __init__(self, emulator, operation, rules):
        self.emulator, self.operation, self.rules = emulator, operation, rules
        self.http = Connection(emulator.port)
        self.sent, self.problems = 0, []

    def send(self, body, owner):
        path = self.operation["path"].replace("{targetProjectId}", PROJECT)
        path = path.replace("{tenantId}", TENANT)
        headers = {"Content-Type": "application/json"}
        if self.operation["asked by"] != "nobody":
            if owner:
                headers["Authorization"] = "Bearer owner"
            else:
                path += "?key=any"
        self.sent += 1
        text = body if isinstance(body, bytes) else json.dumps(body)
        try:
            return self.http.send(self.operation["method"], path, text, headers)
        except OSError as problem:
            self.wrong(body, f"no answer: {problem}")
            self.http = Connection(self.emulator.port)
            return None

    def wrong(self, body, words):
        shown = body[:80] if isinstance(body, bytes) else json.dumps(body)[:200]
        self.problems.append(f"{shown}: {words}")

    def run(self):
        # Whoever has only a key may not name a project, which is told after the types.
        owner = self.operation["asked by"] == "owner"
        for wrong in wrongs(FACTS["types"][self.operation["body"]]):
            answer = self.send(wrong.body, owner)
            if answer is None or not self.possible(wrong.body, answer):
                continue
            expected = f"Invalid JSON payload received. {wrong.pointer} {wrong.words}"
            known = wrong.words is not None and self.rules == "compatible"
            if known and (answer.status, answer.error) != (400, expected):
                self.wrong(wrong.body, f"{answer.status} {answer.error!r}, not {expected!r}")
        for body in whole_bodies():
            answer = self.send(body, owner)
            if answer is not None:
                self.possible(body, answer)
        if self.http.send("GET", "/").status != 200:
            self.problems.append("the server does not answer any more")
        self.http.close()

    def possible(self, body, answer):
        """Whether an answer is one that a request without sense may have."""
        if answer.status in (200, 400, 401, 403, 404, 413, 415, 501):
            return True
        self.wrong(body, f"{answer.status} {answer.raw[:200]}")
        return False


def main():
    rules = sys.argv[1]
    passed = failed = sent = 0
    with Emulator("--rules", rules) as emulator:
        for operation in FACTS["operations"]:
            asking = Asking(emulator, operation, rules)
            asking.run()
            sent += asking.sent
            if asking.problems:
                failed += 1
                print(f"✘ {operation['method']} {operation['path']}: {len(asking.problems)} wrong")
                print("   ", "\n    ".join(asking.problems[:SHOWN]), flush=True)
            else:
                passed += 1
    print(f"{sent} requests")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
