"""Values inside of answers, and how they are written."""

import base64
import binascii
import json
import re
import urllib.parse


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_base64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def decode_jwt(token):
    """A JWT as {"header", "claims", "signed"?}; ValueError when it is not one."""
    segments = token.split(".")
    if len(segments) != 3:
        raise ValueError("not a JWT")
    try:
        header, claims = (json.loads(from_base64url(part)) for part in segments[:2])
    except (binascii.Error, UnicodeDecodeError) as error:
        raise ValueError("not a JWT") from error
    if not isinstance(header, dict) or not isinstance(claims, dict):
        raise ValueError("not a JWT")
    return {"header": header, "claims": claims, **({"signed": True} if segments[2] else {})}


def dig(document, path):
    """The value at a dotted path: `a.0.b`, `-1` for the last row, `\\.` for a dot in a key; "" for the whole."""
    for part in re.split(r"(?<!\\)\.", path) if path else ():
        part = part.replace("\\.", ".")
        document = document[int(part)] if isinstance(document, list) else document[part]
    return document


def found(document, path):
    """The value at a path in a list; an empty list when there is none."""
    try:
        return [dig(document, path)]
    except (KeyError, IndexError, TypeError, ValueError):
        return []


def saved(source, headers, body):
    """What a `save` entry names: `path`, `jwt:path#claim`, `url:path#parameter`, `segment:path`, `header:name`."""
    kind, _, rest = source.partition(":")
    path, _, name = rest.partition("#")
    if kind == "header":
        return headers[rest]
    if kind == "segment":
        return dig(body, rest).rsplit("/", 1)[-1]
    if kind == "jwt":
        return dig(decode_jwt(dig(body, path))["claims"], name)
    if kind == "url":
        query = urllib.parse.urlsplit(dig(body, path)).query
        return urllib.parse.parse_qs(query)[name][0]
    return dig(body, source)


def brief(value, limit=160):
    text = compact(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
