"""Glewlwyd, an OpenID server in C whose pages are nothing without scripts; see serving.py.

Debian's package has the program, but its web pages are links out of their folder, which it refuses
to follow, and its settings name a database of the machine. Both are made anew in a folder that goes
with the process. It publishes one set of keys for good, and cannot be told to rotate them.
"""
import contextlib
import gzip
import http.cookiejar
import json
import pathlib
import secrets
import shutil
import sqlite3
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

import serving
from joserfc.jwk import RSAKey

SETTINGS = pathlib.Path("/etc/glewlwyd")
PAGES = pathlib.Path("/usr/share/glewlwyd/webapp")
TABLES = pathlib.Path("/usr/share/doc/glewlwyd/database/init.sqlite3.sql.gz")
PATIENCE = 30
SCOPES = ("openid", "profile", "email")


class Glewlwyd:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.port = serving.free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.issuer = f"{self.base}/api/oidc"
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.http = urllib.request.build_opener(cookies)

    def __enter__(self):
        self.copy_pages()
        with sqlite3.connect(self.folder / "glewlwyd.db") as database:
            database.executescript(gzip.decompress(TABLES.read_bytes()).decode())
        database.close()
        settings = self.folder / "glewlwyd.conf"
        settings.write_text(self.settings(), encoding="utf-8")
        self.process = subprocess.Popen(
            ["/usr/bin/glewlwyd", f"--config-file={settings}"], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL)
        self.wait_for_answers()
        self.call("POST", "auth/", {"username": "admin", "password": "password"})
        self.call("POST", "mod/plugin/", self.plugin())
        for scope in SCOPES:
            said = {
                "name": scope, "display_name": scope, "description": scope, "scheme": {},
                "password_required": True, "password_max_age": 0}
            self.call(*(("PUT", "scope/openid") if scope == "openid" else ("POST", "scope/")), said)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(PATIENCE)

    def copy_pages(self):
        def without_dead_links(folder, names):
            return [name for name in names if not (pathlib.Path(folder) / name).exists()]

        web = self.folder / "web"
        shutil.copytree(PAGES, web, ignore=lambda folder, names: [
            *without_dead_links(folder, names), *(["config.json"] if folder == str(PAGES) else [])])
        shutil.copy(SETTINGS / "config-2.7.json" / "config.json", web / "config.json")

    def settings(self):
        """Debian's, but for the place, the log and the database."""
        lines = (SETTINGS / "glewlwyd.conf").read_text(encoding="utf-8").splitlines()
        ours = ("port", "external_url", "log_mode", "log_file", "static_files_path", "@include")
        kept = [line for line in lines if not line.strip().startswith(ours)]
        return "\n".join([
            f"port={self.port}", 'bind_address="127.0.0.1"', f'external_url="{self.base}"',
            'log_mode="file"', f'log_file="{self.folder}/log"', f'static_files_path="{self.folder}/web/"',
            f'database = {{ type = "sqlite3" path = "{self.folder}/glewlwyd.db" }};', *kept, ""])

    def plugin(self):
        key = RSAKey.generate_key(2048, auto_kid=True)
        jwk = {**key.as_dict(private=True), "alg": "RS256", "use": "sig"}
        return {"module": "oidc", "name": "oidc", "display_name": "OpenID", "parameters": {
            # Without its name after the address, discovery would not be below the issuer.
            "iss": self.issuer, "jwt-type": "rsa", "jwt-key-size": "256", "key": "", "cert": "",
            "jwks-private": json.dumps({"keys": [jwk]}), "default-kid": "", "jwks-show": True,
            "access-token-duration": 3600, "refresh-token-duration": 86400, "code-duration": 600,
            "refresh-token-rolling": True, "refresh-token-one-use": "always",
            "allow-non-oidc": False, "auth-type-code-enabled": True,
            "auth-type-code-revoke-replayed": True, "auth-type-token-enabled": False,
            "auth-type-id-token-enabled": True, "auth-type-none-enabled": False,
            "auth-type-password-enabled": False, "auth-type-client-enabled": False,
            "auth-type-refresh-enabled": True, "auth-type-device-enabled": True,
            "device-authorization-expiration": 600, "device-authorization-interval": 1,
            "pkce-allowed": True, "pkce-method-plain-allowed": False, "pkce-required": True,
            "subject-type": "public", "scope-claim": "no",
            "name-claim": "on-demand", "name-claim-scope": ["profile"],
            "email-claim": "on-demand", "email-claim-scope": ["email"],
            "introspection-revocation-allowed": True, "register-client-allowed": False,
            "introspection-revocation-allow-target-client": True,
            "session-management-allowed": False, "oauth-dpop-allowed": False}}

    def call(self, method, path, body):
        request = urllib.request.Request(
            f"{self.base}/api/{path}", json.dumps(body).encode(),
            {"Content-Type": "application/json"}, method=method)
        try:
            with self.http.open(request, timeout=PATIENCE) as answer:
                answer.read()
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.code} {error.read()}") from None

    def wait_for_answers(self):
        end = time.monotonic() + PATIENCE
        while True:
            try:
                self.http.open(f"{self.base}/config", timeout=PATIENCE).close()
                return
            except OSError:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.process.wait(0.02)
                if self.process.poll() is not None or time.monotonic() > end:
                    log = self.folder / "log"
                    raise RuntimeError(log.read_text() if log.exists() else "no answer") from None

    def person(self, person):
        name = person["name"]
        self.call("POST", "user/", {
            "username": name, "name": f"{name.title()} Example", "enabled": True,
            "email": f"{name}@glewlwyd.example", "password": person["password"],
            "scope": [*SCOPES, "g_profile"]})

    def client(self, client):
        secret = client.get("secret") or secrets.token_urlsafe()
        self.call("POST", "client/", {
            "client_id": client["id"], "name": client["id"], "enabled": True, "scope": [],
            "confidential": client["method"] != "none", "client_secret": secret,
            "password": secret, "redirect_uri": client["redirects"],
            "authorization_type": ["code", "refresh_token", "device_authorization"],
            "token_endpoint_auth_method": [client["method"]]})

    def obey(self, line):
        for name, value in line.items():
            {"person": self.person, "client": self.client}[name](value)


def main():
    with tempfile.TemporaryDirectory(prefix="glewlwyd-") as folder:
        with Glewlwyd(folder) as glewlwyd:
            serving.obey_lines(glewlwyd.issuer, glewlwyd.obey)


if __name__ == "__main__":
    main()
