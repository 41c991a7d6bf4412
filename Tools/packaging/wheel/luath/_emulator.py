"""An emulator of Firebase Auth: one in a process of its own, or one that is running already."""
import ctypes
import http.client
import json
import os
import pathlib
import re
import secrets
import signal
import subprocess
import tempfile
import threading
import urllib.error
import urllib.request

from luath._program import program
from luath._reset import Reset
from luath._users import account_fields

# Requests go to this machine or to a service container: a proxy from `http_proxy` cannot reach either.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))
PERSISTENCE = ("indexedDB", "local")
PR_SET_PDEATHSIG = 1


class LuathError(Exception):
    """A request or a command that luath or its emulator refused."""


class User:
    """A user with a password, signed in when it was created.

    Attributes: uid, email, password, id_token, refresh_token.
    """

    def __init__(self, uid, email, password, id_token, refresh_token):
        self.uid, self.email, self.password = uid, email, password
        self.id_token, self.refresh_token = id_token, refresh_token

    def __repr__(self):
        # Without password and tokens, which would stand in every report of a failed test.
        return f"User(uid={self.uid!r}, email={self.email!r})"


class Hidden(str):
    """A secret text, which tracebacks with values of variables do not show."""

    def __repr__(self):
        return "'(hidden)'"


def ending_with_parent():
    """A function for the child process between fork and exec: the kernel sends it SIGTERM when this process ends.

    The kernel watches the thread that forks, so another thread than the main one gets None.
    """
    if threading.current_thread() is not threading.main_thread():
        return None
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is None:
        return None
    parent = os.getpid()

    def prepare():
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        # The parent may have ended before the call.
        if os.getppid() != parent:
            os._exit(1)

    return prepare


class Emulator:
    """Serves an emulated project on a free port until `stop` or the end of a `with` block.

    If the main thread starts it, it also ends with this process, even by SIGKILL.

    Attributes: address (127.0.0.1:PORT), url, project (the id), environment (the variables by which admin SDKs find
    it).
    """

    def __init__(self, *options, folder=None):
        """Starts it.

        options: options of `luath emulator`, such as "--rules", "production"; without "--port", a free port.
        folder: where luath looks for luath.lua and firebase.json; the current one when not given.
        """
        self.folder = folder
        self._log = tempfile.TemporaryFile("w+")
        has_port = any(option.split("=")[0] == "--port" for option in options)
        self._process = subprocess.Popen(
            [program(), "emulator", *([] if has_port else ["--port", "0"]), "--quiet", *options], cwd=folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._log, text=True,
            preexec_fn=ending_with_parent())
        line = self._process.stdout.readline()
        found = re.match(r"serving (\S+) on http://(\S+)", line)
        if not found:
            self._process.wait()
            self._log.seek(0)
            raise LuathError(self._log.read().strip() or f"the emulator does not start: {line!r}")
        self._connect(found[2], found[1])

    @classmethod
    def running(cls, address, project, folder=None):
        """An emulator that another program has started, and which `stop` does not end.

        address: HOST:PORT, as in FIREBASE_AUTH_EMULATOR_HOST.
        project: the id of the project.
        """
        emulator = cls.__new__(cls)
        emulator.folder, emulator._process, emulator._log = folder, None, None
        emulator._connect(address, project)
        return emulator

    def _connect(self, address, project):
        __tracebackhide__ = True
        self.project, self.address = project, address
        self.url = f"http://{address}"
        self.environment = {"FIREBASE_AUTH_EMULATOR_HOST": address, "GCLOUD_PROJECT": project}
        try:
            self._reset = Reset(self, LuathError)
        except LuathError:
            self.stop()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """Ends the emulator, unless another program has started it."""
        if self._process is None:
            return
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait()
        self._process.stdout.close()
        self._log.close()

    def request(self, method, path, body=None):
        """Sends a request with the rights of an administrator; returns the decoded response."""
        __tracebackhide__ = True
        request = self._request(method, path, body)
        # The error below comes from this frame, and tracebacks may show its variables.
        del body
        response, status, text = self._send(request)
        if status is not None:
            raise LuathError(f"{method} {path}: {status} {text}".strip())
        return response

    def _request(self, method, path, body):
        __tracebackhide__ = True
        return urllib.request.Request(
            self.url + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": "Bearer owner", "Content-Type": "application/json"})

    def _send(self, request):
        """Returns the decoded response, or None with the status and the text of an error."""
        __tracebackhide__ = True
        try:
            with OPENER.open(request) as response:
                return json.loads(response.read() or b"{}"), None, None
        except urllib.error.HTTPError as error:
            return None, error.code, error.read().decode(errors="replace")
        except (OSError, http.client.HTTPException, ValueError) as error:
            reason = getattr(error, "reason", error)
        raise LuathError(
            f"no emulator responds at {self.address}: {reason}\n"
            "  hint: start the emulator, or correct or unset FIREBASE_AUTH_EMULATOR_HOST")

    def clear(self):
        """Deletes all accounts of the project; those of its tenants stay."""
        __tracebackhide__ = True
        self.request("DELETE", f"/emulator/v1/projects/{self.project}/accounts")

    def reset(self):
        """Deletes all accounts and all new tenants, and restores settings, providers, faults and test users.

        The state to restore is that of the start, or of the call to `running`. The clock, which only moves forward,
        and the lists of sent e-mails and SMS stay.
        """
        __tracebackhide__ = True
        self._reset.run()

    def create_user(self, email=None, password=None, **profile):
        """Creates a user with a password, and signs in.

        profile: displayName, emailVerified, phoneNumber, photoURL, disabled, customClaims (a dictionary) and uid, or
        the same names in Python's spelling: display_name, email_verified, …
        """
        __tracebackhide__ = True
        # Tracebacks may show the variables of this frame.
        password = Hidden(password or secrets.token_urlsafe(12))
        email = email or f"user-{secrets.token_hex(6)}@luath.example"
        fields, fault = account_fields(profile)
        del profile
        if fault:
            raise TypeError(fault)
        later = {name: fields.pop(name) for name in ("customAttributes", "disabled") if name in fields}
        accounts = f"/identitytoolkit.googleapis.com/v1/projects/{self.project}/accounts"
        uid = self._call("create_user", accounts, {"email": email, "password": password, **fields})["localId"]
        if "customAttributes" in later:
            # Before the sign-in, so that the ID token has the claims.
            self._call("create_user", f"{accounts}:update",
                       {"localId": uid, "customAttributes": later["customAttributes"]})
        user = self._sign_in(uid, email, password)
        if "disabled" in later:
            # A disabled user cannot sign in.
            self._call("create_user", f"{accounts}:update", {"localId": uid, "disableUser": later["disabled"]})
        return user

    def _sign_in(self, uid, email, password):
        __tracebackhide__ = True
        answer = self._call(
            "signInWithPassword", "/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=demo-key",
            # An API key alone signs in to the project that the emulator serves.
            {"email": email, "password": password, "returnSecureToken": True, "targetProjectId": self.project})
        return User(uid, email, str(password), answer["idToken"], answer["refreshToken"])

    def _call(self, name, path, body):
        """Posts to Identity Toolkit; an error has the message only."""
        __tracebackhide__ = True
        request = self._request("POST", path, body)
        del body
        response, status, text = self._send(request)
        if status is not None:
            raise LuathError(f"{name}: {message_of(text) or status}")
        return response

    def browser_state(self, user, origin, path, api_key="demo-key", app_name=None, persistence="indexedDB"):
        """Writes Playwright's storage state of a signed-in user to a file, and returns its path.

        user: a User, or an e-mail address, phone number or uid.
        origin: of the app's pages, such as http://localhost:3000.
        persistence: "indexedDB" or "local".
        """
        __tracebackhide__ = True
        if persistence not in PERSISTENCE:
            why = ("Playwright's storage state has no session storage" if persistence == "session"
                   else "there is no such persistence")
            raise LuathError(f'browser_state: persistence={persistence!r}: {why}\n'
                             '  hint: use persistence="indexedDB", the default, or persistence="local"')
        name = user.uid if isinstance(user, User) else user
        command = [
            program(), "session", "--target", f"emulator:{self.address}", "--as", name, "--origin", origin,
            "--api-key", api_key, "--persistence", persistence, "--output", str(path)]
        if app_name is not None:
            command += ["--app-name", app_name]
        done = subprocess.run(
            command, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            env={**os.environ, "GCLOUD_PROJECT": self.project})
        if done.returncode != 0:
            raise LuathError(done.stderr.strip())
        return pathlib.Path(path)


def message_of(text):
    """The message of an error of Identity Toolkit, or None."""
    try:
        return json.loads(text)["error"]["message"]
    except (ValueError, KeyError, TypeError):
        return None
