"""A signer that nobody here wrote: keys and tokens by PyJWT, cryptography and José's command."""
import base64
import datetime
import hashlib
import hmac
import http.server
import json
import subprocess
import tempfile
import threading
import time

import jwt
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID

PROJECT = "demo-luath"
ID_TOKENS = "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com"
COOKIES = "/identitytoolkit/v3/relyingparty/publicKeys"


def encoded(data):
    """Base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def jose(*arguments, **options):
    """What José's command prints."""
    done = subprocess.run(
        ["jose", *arguments], capture_output=True, check=True, text=True, **options)
    return done.stdout.strip()


class Key:
    """An RSA key under a name; by `jose jwk gen`, or by Python's cryptography."""

    def __init__(self, name, by_jose=False):
        self.name = name
        if by_jose:
            self.jwk = json.loads(jose("jwk", "gen", "-i", json.dumps({"alg": "RS256"})))
            self.private = jwt.algorithms.RSAAlgorithm.from_jwk(json.dumps(self.jwk))
        else:
            self.private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
            self.jwk = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.private))
            # The command refuses a key that is for another operation than its own.
            self.jwk = {name: self.jwk[name] for name in self.jwk if name != "key_ops"}

    @property
    def certificate(self):
        """A certificate of the public half, as PEM."""
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "signer.example")])
        now = datetime.datetime.now(datetime.timezone.utc)
        made = (
            x509.CertificateBuilder().subject_name(name).issuer_name(name)
            .public_key(self.private.public_key()).serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=16))
            .sign(self.private, hashes.SHA256()))
        return made.public_bytes(serialization.Encoding.PEM).decode()

    def public(self, encoding, form):
        return self.private.public_key().public_bytes(encoding, form)

    def by_pyjwt(self, claims, algorithm="RS256", **header):
        header = {"kid": self.name, **header}
        # A name of nobody is one that is left out.
        header = {name: value for name, value in header.items() if value is not None}
        return jwt.encode(claims, self.private, algorithm=algorithm, headers=header)

    def by_jose(self, claims, algorithm="RS256", compact=True, **header):
        protected = {"alg": algorithm, "kid": self.name, **header}
        # What the key says of an algorithm would bind the command.
        key = {name: self.jwk[name] for name in self.jwk if name not in ("alg", "key_ops")}
        with tempfile.NamedTemporaryFile("w", suffix=".jwk") as file:
            json.dump(key, file)
            file.flush()
            return jose(
                "jws", "sig", "-I-", "-k", file.name, "-s", json.dumps({"protected": protected}),
                *(["-c"] if compact else []), input=json.dumps(claims))


def claims(issuer="https://securetoken.google.com/", **changes):
    """What a good token says; None takes a claim away."""
    now = int(time.time())
    good = {
        "iss": issuer + PROJECT, "aud": PROJECT, "sub": "ada", "user_id": "ada",
        "auth_time": now - 100, "iat": now - 50, "exp": now + 3550, "plan": "gold",
        "firebase": {"identities": {}, "sign_in_provider": "password"}, **changes}
    return {name: value for name, value in good.items() if value is not None}


def cookie_claims(**changes):
    return claims("https://session.firebase.google.com/", **changes)


def with_hmac(payload, secret, **header):
    """A token whose signature is an HMAC, as confused verifiers take it."""
    header = {"alg": "HS256", "typ": "JWT", **header}
    text = f"{encoded(json.dumps(header).encode())}.{encoded(json.dumps(payload).encode())}"
    return f"{text}.{encoded(hmac.new(secret, text.encode(), hashlib.sha256).digest())}"


class Server:
    """Publishes certificates where an emulator does, and counts who asks."""

    def __init__(self, id_token_keys, cookie_keys):
        self.pages = {
            "/www.googleapis.com" + path: {key.name: key.certificate for key in keys}
            for path, keys in ((ID_TOKENS, id_token_keys), (COOKIES, cookie_keys))}
        self.asked = []
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                server.asked.append(self.path)
                page = server.pages.get(self.path)
                body = json.dumps(page or {}).encode()
                self.send_response(404 if page is None else 200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Cache-Control", "public, max-age=19000, must-revalidate")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                """Nothing to say."""

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.host = f"127.0.0.1:{self.http.server_port}"
        self.thread = threading.Thread(target=self.http.serve_forever)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()
