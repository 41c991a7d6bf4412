"""The server under test, as HTTP reaches it."""

import dataclasses
import http.client
import json
import urllib.parse

from .values import decode_jwt

ADMIN = {"Authorization": "Bearer owner"}
TOOLKIT = "/identitytoolkit.googleapis.com"
LISTINGS = {"oobCodes": "oobCode", "verificationCodes": "sessionInfo"}
# Whose service account signs a custom token: the default project's, or that of another project.
OTHER_PROJECT = "demo-somebody-else"


class Unreachable(Exception):
    """The server could not be reached or did not speak HTTP."""


@dataclasses.dataclass
class Answer:
    """One HTTP answer; header names in lower case."""

    status: int
    headers: dict
    raw: bytes

    @property
    def media_type(self):
        return self.headers.get("content-type", "").split(";")[0].strip().lower()

    def json(self):
        return json.loads(self.raw)

    def rows(self, name):
        """The objects of the array of that name; none when the answer has no such array."""
        try:
            rows = self.json()[name]
        except (ValueError, KeyError, TypeError):
            return []
        return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


class Server:
    """The server under test."""

    def __init__(self, base_url, timeout=30.0, client=None, project=None):
        parts = urllib.parse.urlsplit(base_url if "//" in base_url else "http://" + base_url)
        if parts.scheme != "http" or not parts.hostname:
            raise Unreachable(f"{base_url} is not an http:// URL")
        self.host, self.port = parts.hostname, parts.port or 80
        self.base = f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"
        self.timeout, self.client = timeout, client
        self.kept = None
        self.accounts = {}
        self.is_new = False  # whether nothing was played there yet, so that nothing need be cleared
        self.project = project or self._default_project()
        self.ahead = self._ahead()  # seconds by which its clock was moved

    def send(self, method, target, headers=None, body=None):
        """The answer to one request, on a connection of its own; a client's stays open."""
        connection = self.kept or http.client.HTTPConnection(
            self.host, self.port, timeout=self.timeout)
        self.kept = connection if self.client else None
        try:
            connection.request(method, target, body, headers or {})
            response = connection.getresponse()
            names = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, names, response.read())
        except (OSError, http.client.HTTPException) as error:
            self.kept = None
            connection.close()
            raise Unreachable(f"{method} {target}: {error!r}") from error
        finally:
            if not self.kept:
                connection.close()

    def send_as_client(self, method, target, headers, body):
        """The answer to a step, sent with the headers that the client sends with every request."""
        return self.client.send(self, method, target, headers, body)

    def send_json(self, method, target, body=None, headers=None):
        headers = {"Content-Type": "application/json", **(headers or {})}
        return self.send(method, target, headers, json.dumps({} if body is None else body).encode())

    def _default_project(self):
        """The project that API keys stand for: the audience of a token issued for a key.

        The account of that token is deleted: some scenarios count the accounts of a fresh server.
        """
        accounts = f"{TOOLKIT}/v1/accounts"
        answer = self.send_json("POST", f"{accounts}:signUp?key=discover-project")
        try:
            token = answer.json()["idToken"]
            self.send_json("POST", f"{accounts}:delete?key=discover-project", {"idToken": token})
            return decode_jwt(token)["claims"]["aud"]
        except (ValueError, KeyError, TypeError) as error:
            raise Unreachable(
                f"cannot find the default project (anonymous sign-up answered {answer.status}); "
                "name it with --project"
            ) from error

    def _ahead(self):
        try:
            return int(self.send("GET", "/emulator/v1/clock").json()["advancedSeconds"])
        except (ValueError, KeyError, TypeError):
            return 0  # a server whose clock cannot be moved

    def advance(self, seconds):
        """Moves the server's clock forward."""
        answer = self.send_json("PATCH", "/emulator/v1/clock", {"advanceSeconds": seconds})
        if answer.status != 200:
            raise Unreachable(f"the clock cannot be moved: {answer.status} {answer.raw[:200]}")
        self.ahead += seconds

    def service_account(self, owner):
        """The key that signs custom tokens, of the default project ("own") or of another ("other")."""
        if owner not in self.accounts:
            project = {"own": self.project, "other": OTHER_PROJECT}[owner]
            answer = self.send("GET", f"/emulator/v1/projects/{project}/serviceAccount")
            self.accounts[owner] = answer.json()
        return self.accounts[owner]

    def reset(self):
        """Empty the default project as far as the API can."""
        self.send("DELETE", f"/emulator/v1/projects/{self.project}/accounts")
        self.send_json("PATCH", f"{TOOLKIT}/v2/projects/{self.project}/config", {}, ADMIN)
        tenants = f"{TOOLKIT}/v2/projects/{self.project}/tenants"
        for tenant in self.send("GET", f"{tenants}?pageSize=1000", ADMIN).rows("tenants"):
            name = urllib.parse.quote(str(tenant.get("tenantId")), safe="")
            self.send("DELETE", f"{tenants}/{name}", ADMIN)

    def configure(self, mask, body):
        """Changes the settings that the mask names, as an administrator."""
        target = f"{TOOLKIT}/v2/projects/{self.project}/config?updateMask={mask}"
        answer = self.send_json("PATCH", target, body, ADMIN)
        if answer.status != 200:
            raise Unreachable(f"settings refused: {answer.status} {mask}: {answer.raw[:200]}")

    def issued_codes(self):
        """The codes the listings already show: resetting a project does not remove these."""
        found = set()
        for listing, key in LISTINGS.items():
            answer = self.send("GET", f"/emulator/v1/projects/{self.project}/{listing}")
            found.update(row.get(key) for row in answer.rows(listing))
        return found
