"""The endpoint at which a service account's signed request becomes an access token (RFC 7523)."""
import base64
import http.server
import json
import subprocess
import threading
import time
import urllib.parse

ADDRESS = "https://oauth2.googleapis.com/token"
SCOPE = "https://www.googleapis.com/auth/identitytoolkit"
GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"


class TokenEndpoint:
    """Checks a request as Google does, the signature with openssl; `with` ends it."""

    def __init__(self, folder, key):
        self.folder, self.key = folder, key
        self.exchanges = 0
        self.is_revoked = False
        self.public = folder / "account.pub"
        (folder / "account.pem").write_text(key["private_key"])
        subprocess.run(
            ["openssl", "pkey", "-in", folder / "account.pem", "-pubout", "-out", self.public],
            check=True, capture_output=True)
        endpoint = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                problem = endpoint.problem(self.path, dict(urllib.parse.parse_qsl(body)))
                answer = {"error": "invalid_grant", "error_description": problem} if problem else {
                    "access_token": "ya29.of-the-test", "expires_in": 3599, "token_type": "Bearer"}
                text = json.dumps(answer).encode()
                self.send_response(400 if problem else 200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                """Its client says what is wrong."""

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def problem(self, path, form):
        """What is wrong with a request, in Google's words where they are known."""
        self.exchanges += 1
        if self.is_revoked:
            return "Invalid JWT Signature."
        if path != "/token" or form.get("grant_type") != GRANT:
            return f"not this endpoint: {path}"
        signed, _, signature = form["assertion"].rpartition(".")
        head, claims = (json.loads(self._bytes(part)) for part in signed.split("."))
        if head.get("alg") != "RS256" or head.get("kid") != self.key["private_key_id"]:
            return f"a head of {head}"
        (self.folder / "signature").write_bytes(self._bytes(signature))
        verified = subprocess.run(
            ["openssl", "dgst", "-sha256", "-verify", self.public, "-signature",
             self.folder / "signature"], input=signed.encode(), capture_output=True)
        if verified.returncode != 0:
            return "Invalid JWT Signature."
        now = time.time()
        if not now - 300 < claims["iat"] <= now + 300 or claims["exp"] - claims["iat"] > 3600:
            return "Invalid JWT: Token must be a short-lived token and in a reasonable timeframe."
        if (claims["iss"], claims["aud"]) != (self.key["client_email"], ADDRESS):
            return f"of {claims['iss']} for {claims['aud']}"
        return None if SCOPE in claims["scope"].split(" ") else f"scopes {claims['scope']}"

    @staticmethod
    def _bytes(text):
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()
