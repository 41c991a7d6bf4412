"""An emulator of Firebase Auth in a process of its own."""
import json
import os
import pathlib
import re
import secrets
import signal
import subprocess
import tempfile
import urllib.error
import urllib.request

from luath._program import program


class LuathError(Exception):
    """What luath or its emulator refused, in its words."""


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


class Emulator:
    """Serves an emulated project on a free port until `stop`, or the end of a `with` block.

    Attributes: address (127.0.0.1:PORT), url, project (the id), environment (the variables by which admin SDKs find
    it).
    """

    def __init__(self, *options, folder=None):
        """Starts it.

        options: options of `luath emulator`, such as "--rules", "production".
        folder: where luath looks for luath.lua and firebase.json; the current one when not given.
        """
        self.folder = folder
        self._log = tempfile.TemporaryFile("w+")
        self._process = subprocess.Popen(
            [program(), "emulator", "--port", "0", "--quiet", *options], cwd=folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=self._log, text=True)
        line = self._process.stdout.readline()
        found = re.match(r"serving (\S+) on http://(\S+)", line)
        if not found:
            self._process.wait()
            self._log.seek(0)
            raise LuathError(self._log.read().strip() or f"the emulator does not start: {line!r}")
        self.project, self.address = found[1], found[2]
        self.url = f"http://{self.address}"
        self.environment = {"FIREBASE_AUTH_EMULATOR_HOST": self.address, "GCLOUD_PROJECT": self.project}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """Ends the emulator."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait()
        self._process.stdout.close()
        self._log.close()

    def request(self, method, path, body=None):
        """Sends a request with the rights of an administrator; returns the decoded response."""
        request = urllib.request.Request(
            self.url + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": "Bearer owner", "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request) as response:
                return json.loads(response.read() or b"{}")
        except urllib.error.HTTPError as error:
            raise LuathError(f"{method} {path}: {error.code} {error.read().decode(errors='replace')}") from None

    def clear(self):
        """Deletes all accounts."""
        self.request("DELETE", f"/emulator/v1/projects/{self.project}/accounts")

    def create_user(self, email=None, password=None, **profile):
        """Creates a user with a password, and signs in.

        profile: further members of Identity Toolkit's accounts:signUp, such as displayName.
        """
        email = email or f"user-{secrets.token_hex(6)}@luath.example"
        password = password or secrets.token_urlsafe(12)
        answer = self._toolkit("accounts:signUp", {
            "email": email, "password": password, "returnSecureToken": True, **profile})
        return User(answer["localId"], email, password, answer["idToken"], answer["refreshToken"])

    def _toolkit(self, method, body):
        request = urllib.request.Request(
            f"{self.url}/identitytoolkit.googleapis.com/v1/{method}?key=demo-key", method="POST",
            data=json.dumps(body).encode(), headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request) as response:
                return json.loads(response.read())
        except urllib.error.HTTPError as error:
            message = json.loads(error.read()).get("error", {}).get("message", error.reason)
            raise LuathError(f"{method}: {message}") from None

    def browser_state(self, user, origin, path, api_key="demo-key", app_name=None, persistence="indexedDB"):
        """Writes Playwright's storage state of a signed-in user to a file, and returns its path.

        user: a User, or an e-mail address, phone number or uid.
        origin: of the app's pages, such as http://localhost:3000.
        """
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
