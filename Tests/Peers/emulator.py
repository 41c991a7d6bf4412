"""Starts `luath emulator` for the tests of this folder, and speaks to it."""
import collections
import contextlib
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import threading
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Long enough for a sanitizer's build on a busy machine; nothing waits for it otherwise.
PATIENCE = 120


def program():
    """The program under test: the one that LUATH names, else the build of the tests."""
    return os.environ.get("LUATH", str(ROOT / ".build/debug/luath"))


class Emulator:
    """`luath emulator` on a free port, from `with` to the end of it."""

    def __init__(self, *options, port=0, **settings):
        self.process = subprocess.Popen(
            [program(), "emulator", "--port", str(port), *map(str, options)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            **settings)
        # What it said last; it may print more than a pipe holds, so somebody has to read it.
        self.words = collections.deque(maxlen=200)
        self.ready = threading.Event()
        self.port = None
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        if not self.ready.wait(PATIENCE) or self.port is None:
            self.process.kill()
            self.reader.join(PATIENCE)
            raise RuntimeError("luath emulator did not start:\n" + "".join(self.words))
        self.host = f"127.0.0.1:{self.port}"
        self.base = f"http://{self.host}"

    def _read(self):
        for line in self.process.stdout:
            self.words.append(line)
            found = re.search(r"http://[^ /]+:(\d+)", line)
            if found and not self.ready.is_set():
                self.port = int(found[1])
                self.ready.set()
        self.ready.set()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """Ends it as Ctrl-C does, and raises if it does not end well."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(PATIENCE)
        if self.process.poll() is None:
            self.process.kill()
        self.reader.join(PATIENCE)
        if self.process.wait() != 0:
            raise RuntimeError(
                f"luath emulator ended with {self.process.returncode}:\n" + "".join(self.words))

    def kill(self):
        """Ends it as a power cut does."""
        self.process.kill()
        self.process.wait()
        self.reader.join(PATIENCE)

    def resident(self):
        """Bytes of memory it holds."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            for line in status:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) * 1024
        raise RuntimeError("the system does not tell the memory of a process")


class Answer:
    """What came back: status, headers, body."""

    def __init__(self, status, headers, raw):
        self.status, self.headers, self.raw = status, headers, raw

    @property
    def body(self):
        return json.loads(self.raw)

    @property
    def error(self):
        """The message of a refusal, or None."""
        try:
            return self.body["error"]["message"]
        except (ValueError, KeyError, TypeError):
            return None


class Connection:
    """One kept-alive connection to an emulator; not for several threads."""

    def __init__(self, port, timeout=PATIENCE):
        self.http = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
        self.http.connect()
        self.http.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def close(self):
        self.http.close()

    def send(self, method, path, body=None, headers=None):
        """Sends bytes, or a value as JSON."""
        headers = dict(headers or {})
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
            headers.setdefault("Content-Type", "application/json")
        self.http.request(method, path, body, headers)
        answer = self.http.getresponse()
        return Answer(answer.status, answer.headers, answer.read())

    def client(self, operation, body, version="v1"):
        """An operation as a client's SDK calls it: `accounts:signUp`."""
        return self.send(
            "POST", f"/identitytoolkit.googleapis.com/{version}/{operation}?key=any", body)

    def admin(self, project, operation, body, method="POST"):
        """An operation as an administrator calls it, in a project."""
        path = f"/identitytoolkit.googleapis.com/v1/projects/{project}/{operation}"
        return self.send(method, path, body, {"Authorization": "Bearer owner"})

    def refresh(self, token):
        form = urllib.parse.urlencode({"grant_type": "refresh_token", "refresh_token": token})
        return self.send(
            "POST", "/securetoken.googleapis.com/v1/token?key=any", form,
            {"Content-Type": "application/x-www-form-urlencoded"})
