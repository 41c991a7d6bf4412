"""Answers in normal form: what differs from run to run becomes typed, numbered placeholders."""

import base64
import copy
import json
import re
import time
import urllib.parse
from collections import Counter
from datetime import datetime, timezone

from .values import compact, decode_jwt, dig
from .wire import LISTINGS

GENERATED = r"[A-Za-z0-9]{28}"
OPAQUE = r"[A-Za-z0-9_-]{16,}"

# Kind -> what a generated value looks like; a set may name other forms. A value of another look was
# chosen by the scenario and stays as it is.
FORMS = {
    "uid": GENERATED, "factor": GENERATED, "tenant": GENERATED, "oobCode": OPAQUE, "sessionInfo": OPAQUE,
    "temporaryProof": OPAQUE, "sessionId": r"[A-Za-z0-9]{27}", "eventId": OPAQUE,
    "time": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z",
}
# Key -> kind.
IDS = {
    "localId": "uid", "user_id": "uid", "sub": "uid", "uid": "uid",
    "mfaEnrollmentId": "factor", "second_factor_identifier": "factor",
    "tenantId": "tenant", "tenant": "tenant", "tenant_id": "tenant",
    "oobCode": "oobCode", "sessionInfo": "sessionInfo", "temporaryProof": "temporaryProof",
    "sessionId": "sessionId", "event_id": "eventId",
}
# Opaque values that two servers may build quite differently: only their presence is compared.
SEALED = {
    "refreshToken": "<refreshToken>",
    "refresh_token": "<refreshToken>",
    "mfaPendingCredential": "<mfaPendingCredential>",
    "challenge": "<challenge>",
}
JWTS = {"idToken", "id_token", "access_token", "sessionCookie", "jwt"}
LINKS = {"oobLink", "urlTemplate", "location"}
JSON_TEXTS = {"rawUserInfo", "raw_user_info"}
SALT = re.compile(r"fakeSalt[A-Za-z0-9]{20}")
NEAR = 3600  # seconds around a scenario within which a time counts as taken from the clock


class Normaliser:
    """Rewrites answers so that two runs of one scenario give equal documents.

    It keeps the ids it has met, so that `<uid:1>` is the same account all through a scenario.
    """

    def __init__(self, server, fresh, bases, forms):
        self.server, self.project, self.fresh = server, server.project, fresh
        self.ignored = server.issued_codes()
        self.bases = bases  # URL -> placeholder
        self.forms = {**FORMS, **forms}
        self.began = time.time() + server.ahead
        self.symbols, self.counts = {}, Counter()

    def normalise(self, document, unordered=()):
        document = self._open(self.own(document), "")
        for path in unordered:
            for rows in self._arrays(document, path):
                rows.sort(key=lambda row: compact(self._masked(row)))
        self._meet(document, "")
        return self._close(document, "")

    def own(self, document):
        """A copy without the codes that the listings showed before the scenario began."""
        document = copy.deepcopy(document)
        if isinstance(document, dict):
            for listing, key in LISTINGS.items():
                if isinstance(document.get(listing), list):
                    document[listing] = [
                        row
                        for row in document[listing]
                        if not (isinstance(row, dict) and row.get(key) in self.ignored)
                    ]
        return document

    def link(self, url):
        """A link as {"$link": {"to", "query"}}, so that the order of parameters is irrelevant."""
        parts = urllib.parse.urlsplit(url)
        query = {}
        for name, value in urllib.parse.parse_qsl(parts.query, keep_blank_values=True):
            query[name] = [*query[name], value] if name in query else [value]
        link = {"to": urllib.parse.urlunsplit((parts.scheme, parts.netloc, parts.path, "", ""))}
        if query:
            link["query"] = {k: v[0] if len(v) == 1 else v for k, v in query.items()}
        if parts.fragment:
            link["fragment"] = parts.fragment
        return {"$link": link}

    # First pass: take apart what is encoded.

    def _open(self, value, key):
        if isinstance(value, dict):
            return {name: self._open(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [self._open(item, key) for item in value]
        if not isinstance(value, str):
            return value
        if key in JWTS:
            try:
                token = decode_jwt(value)
            except ValueError:
                return value
            claims = token["claims"]
            if isinstance(claims.get("iat"), int) and isinstance(claims.get("exp"), int):
                claims["exp"] = f"<iat+{claims['exp'] - claims['iat']}>"
            return {"$jwt": self._open(token, "")}
        if key in LINKS and "://" in value:
            return self.link(value)
        if key in JSON_TEXTS:
            try:
                return {"$json": json.loads(value)}
            except ValueError:
                return value
        return value

    @staticmethod
    def _arrays(document, path):
        """The array at a path, if there is one."""
        try:
            rows = dig(document, path)
        except (KeyError, IndexError, TypeError, ValueError):
            return
        if isinstance(rows, list):
            yield rows

    def _masked(self, value, key=""):
        """The value with unmet ids left out: what rows of an unordered array are sorted by."""
        if isinstance(value, dict):
            return {k: self._masked(value[k], k) for k in sorted(value)}
        if isinstance(value, list):
            return [self._masked(item, key) for item in value]
        if self._is_new(value, key):
            return "?"
        return self._close(value, key)

    # Second pass: number the ids in the order of sorted keys, which no server can influence.

    def _is_new(self, value, key):
        return (
            key in IDS
            and isinstance(value, str)
            and value not in self.symbols
            and re.fullmatch(self.forms[IDS[key]], value) is not None
        )

    def _meet(self, value, key):
        if isinstance(value, dict):
            for name in sorted(value):
                self._meet(value[name], name)
                if name == "name" and isinstance(value[name], str):
                    tenant = re.search(rf"/tenants/({self.forms['tenant']})(?:/|$)", value[name])
                    self._meet(tenant and tenant[1], "tenantId")
        elif isinstance(value, list):
            for item in value:
                self._meet(item, key)
        elif self._is_new(value, key):
            kind = IDS[key]
            self.counts[kind] += 1
            self.symbols[value] = f"<{kind}:{self.counts[kind]}>"
            if kind == "uid":
                encoded = base64.b64encode(value.encode()).decode()
                self.symbols[encoded] = f"<base64 {kind}:{self.counts[kind]}>"

    # Third pass: write the placeholders.

    def _close(self, value, key):
        if isinstance(value, dict):
            return {name: self._close(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return [self._close(item, key) for item in value]
        if isinstance(value, bool) or value is None:
            return value
        if isinstance(value, (int, float)):
            return self._clock(value, "#") or value
        if value in self.symbols:
            return self.symbols[value]
        if key in SEALED and len(value) >= 16:
            return SEALED[key]
        if key == "code" and re.fullmatch(r"\d{6}", value):
            return "<smsCode>"
        if value.isdecimal() and (told := self._clock(int(value), "")):
            return told
        if re.fullmatch(self.forms["time"], value) and self._near(iso_seconds(value)):
            return "<iso>"
        return self._text(value)

    def _clock(self, number, suffix):
        if self._near(number):
            return f"<seconds{suffix}>"
        if self._near(number / 1000):
            return f"<millis{suffix}>"
        return None

    def _near(self, seconds):
        return self.began - NEAR < seconds < time.time() + self.server.ahead + NEAR

    def _text(self, text):
        text = SALT.sub("<salt>", text)
        text = re.sub(r"^projects/\d{9,14}(?=/)", "projects/<number>", text)
        for raw, symbol in self.symbols.items():
            text = text.replace(raw, symbol)
        for raw, symbol in self.bases.items():
            text = re.sub(re.escape(raw) + r"(?!\d)", symbol, text)
        if self.fresh:
            text = text.replace(self.fresh, "<fresh>")
        return re.sub(rf"(?<![A-Za-z0-9]){re.escape(self.project)}(?![A-Za-z0-9])", "<project>", text)


def iso_seconds(text):
    moment = datetime.strptime(text[:19], "%Y-%m-%dT%H:%M:%S")
    return moment.replace(tzinfo=timezone.utc).timestamp()
