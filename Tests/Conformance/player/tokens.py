"""Tokens and codes that scenarios make themselves."""

import base64
import hashlib
import hmac
import json
import struct
import subprocess
import tempfile
import time

from .values import base64url, compact, from_base64url

AUDIENCE = "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"


def build_jwt(parts):
    """{"claims", "header"?, "signature"?} as a JWT."""
    header = {"alg": "none", "typ": "JWT", **parts.get("header", {})}
    segments = [base64url(compact(part).encode()) for part in (header, parts["claims"])]
    return ".".join([*segments, parts.get("signature", "")])


def custom_token(spec, server):
    """A custom token, signed with a service account: README.md lists the members of `spec`."""
    account = spec.get("account") or server.service_account(spec.get("signer", "own"))
    now = int(time.time() + server.ahead) + spec.get("iat_offset", 0)
    claims = {
        "iss": account["client_email"], "sub": account["client_email"], "aud": AUDIENCE,
        "iat": now, "exp": now + spec.get("lifetime", 3600),
        **{name: spec[name] for name in ("uid", "claims", "tenant_id") if name in spec},
        **spec.get("set", {}),
    }
    for name in spec.get("omit", ()):
        claims.pop(name, None)
    header = {"alg": "RS256", "kid": account["private_key_id"], "typ": "JWT"}
    head = ".".join(base64url(compact(part).encode()) for part in (header, claims))
    signed = f"{head}.{base64url(rs256(account['private_key'], head.encode()))}"
    return damaged([signed, spec["damage"]]) if "damage" in spec else signed


def rs256(private_key, data):
    with tempfile.NamedTemporaryFile("w", suffix=".pem") as key:
        key.write(private_key)
        key.flush()
        command = ["openssl", "dgst", "-sha256", "-sign", key.name]
        return subprocess.run(command, input=data, capture_output=True, check=True).stdout


def damaged(argument):
    """[JWT, how]: the JWT broken in one way: strip, signature, none or payload."""
    token, how = argument
    header, payload, signature = token.split(".")
    if how == "strip":
        signature = ""
    elif how == "signature":
        raw = bytearray(from_base64url(signature))
        raw[len(raw) // 2] ^= 0xFF
        signature = base64url(bytes(raw))
    elif how == "none":
        header, signature = with_member(header, "alg", "none"), ""
    elif how == "payload":
        payload = with_member(payload, "extra", True)
    else:
        raise ValueError(f"$damage: {how!r} is none of strip, signature, none, payload")
    return f"{header}.{payload}.{signature}"


def with_member(segment, name, value):
    document = {**json.loads(from_base64url(segment)), name: value}
    return base64url(compact(document).encode())


def totp(argument):
    """[secret in base 32, steps from now, seconds by which the server is ahead], or the secret, as a six-digit code."""
    if isinstance(argument, str):
        argument = [argument]
    secret, steps, ahead = (*argument, 0, 0)[:3]
    key = base64.b32decode(secret.upper() + "=" * (-len(secret) % 8))
    counter = struct.pack(">Q", int((time.time() + ahead) // 30) + steps)
    digest = hmac.new(key, counter, hashlib.sha1).digest()
    at = digest[-1] & 15
    return f"{(int.from_bytes(digest[at:at + 4], 'big') & 0x7FFFFFFF) % 10**6:06d}"


def wrong_totp(secret):
    """Six digits that are no code of the secret within seven minutes."""
    near = {totp([secret, steps]) for steps in range(-14, 15)}
    return next(code for code in (f"{n:06d}" for n in range(100, 200)) if code not in near)
