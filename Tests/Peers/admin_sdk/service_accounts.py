"""The exchange that every client library of Google's begins with, at the emulator's own endpoint."""
import time

import google.auth.transport.requests
import jwt
from google.auth.exceptions import RefreshError
from google.oauth2 import service_account

import case
from case import PROJECT, AdminCase

SCOPES = ["https://www.googleapis.com/auth/identitytoolkit"]


class ServiceAccounts(AdminCase):
    def key(self, **changes):
        answer = self.http.send("GET", f"/emulator/v1/projects/{PROJECT}/serviceAccount")
        return {**self.granted(answer), **changes}

    def credentials(self, **changes):
        return service_account.Credentials.from_service_account_info(
            self.key(**changes), scopes=SCOPES)

    def refresh(self, credentials):
        credentials.refresh(google.auth.transport.requests.Request())
        return credentials.token

    def test_the_token_lets_an_administrator_in(self):
        token = self.refresh(self.credentials())
        answer = self.http.send(
            "POST", f"/identitytoolkit.googleapis.com/v1/projects/{PROJECT}/accounts",
            {"localId": "ada"}, {"Authorization": f"Bearer {token}"})
        self.assertEqual(self.granted(answer)["localId"], "ada")

    def test_a_stranger_gets_none(self):
        with self.assertRaisesRegex(RefreshError, "account not found"):
            self.refresh(self.credentials(client_email="robot@other.iam.gserviceaccount.com"))

    def test_an_old_or_endless_request_gets_none(self):
        key = self.key()
        now = int(time.time())
        for issued, ends in ((now - 7200, now - 3600), (now, now + 7200), (now + 900, now + 1000)):
            with self.subTest(issued=issued - now, ends=ends - now):
                signed = jwt.encode(
                    {"iss": key["client_email"], "aud": key["token_uri"], "scope": SCOPES[0],
                     "iat": issued, "exp": ends}, key["private_key"], "RS256")
                answer = self.exchange(signed)
                self.assertEqual(answer.status, 400, answer.raw)
                self.assertIn("reasonable timeframe", answer.body["error_description"])

    def test_what_the_key_did_not_sign_gets_none(self):
        key = self.key()
        now = int(time.time())
        claims = {"iss": key["client_email"], "aud": key["token_uri"], "scope": SCOPES[0],
                  "iat": now, "exp": now + 3600}
        forged = [
            jwt.encode(claims, None, "none"), jwt.encode(claims, "x" * 32, "HS256"),
            jwt.encode({**claims, "aud": "https://example.com"}, key["private_key"], "RS256"),
            "a.b.c", ""]
        for token in forged:
            with self.subTest(token=token[:20]):
                answer = self.exchange(token)
                self.assertEqual(answer.status, 400, answer.raw)
                self.assertIn(answer.body["error"], ("invalid_grant", "invalid_request"))

    def exchange(self, signed):
        form = f"grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion={signed}"
        path = self.key()["token_uri"].removeprefix(case.world.emulator.base)
        return self.http.send(
            "POST", path, form, {"Content-Type": "application/x-www-form-urlencoded"})
