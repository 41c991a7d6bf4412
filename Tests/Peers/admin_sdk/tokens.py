"""ID tokens, custom tokens, session cookies, revocation."""
import contextlib
import datetime
import os
import time

import firebase_admin
from firebase_admin import _token_gen, auth, credentials

import case
from case import PROJECT, AdminCase, only

WEEK = datetime.timedelta(days=7)


class IDTokens(AdminCase):
    def test_a_token_tells_who_signed_in(self):
        user = self.a_user(display_name="Ada")
        token = self.signed_in("ada@example.com", "correct horse")["idToken"]
        claims = auth.verify_id_token(token, check_revoked=True)
        self.assertEqual((claims["uid"], claims["aud"]), (user.uid, PROJECT))
        self.assertEqual((claims["name"], claims["email"]), ("Ada", "ada@example.com"))
        self.assertEqual(claims["firebase"]["sign_in_provider"], "password")
        self.assertEqual(claims["exp"] - claims["iat"], 3600)

    def test_a_refreshed_token_is_of_the_same_sign_in(self):
        self.a_user()
        answer = self.signed_in("ada@example.com", "correct horse")
        refreshed = self.granted(self.http.refresh(answer["refreshToken"]))
        before = auth.verify_id_token(answer["idToken"])
        after = auth.verify_id_token(refreshed["id_token"])
        self.assertEqual(
            (before["uid"], before["auth_time"]), (after["uid"], after["auth_time"]))

    def test_garbage_is_no_token(self):
        for token in ("garbage", "a.b.c", "e30.e30."):
            with self.subTest(token=token), self.assertRaises(auth.InvalidIdTokenError):
                auth.verify_id_token(token)

    def test_a_custom_token_is_no_id_token(self):
        with self.assertRaises(auth.InvalidIdTokenError):
            auth.verify_id_token(auth.create_custom_token("ada"))

    def test_the_token_of_a_disabled_user_is_noticed(self):
        user = self.a_user()
        token = self.signed_in("ada@example.com", "correct horse")["idToken"]
        auth.update_user(user.uid, disabled=True)
        auth.verify_id_token(token)
        with self.assertRaises(auth.UserDisabledError):
            auth.verify_id_token(token, check_revoked=True)

    def test_the_token_of_a_deleted_user_is_noticed(self):
        user = self.a_user()
        token = self.signed_in("ada@example.com", "correct horse")["idToken"]
        auth.delete_user(user.uid)
        with self.assertRaises(auth.UserNotFoundError):
            auth.verify_id_token(token, check_revoked=True)


class Revocation(AdminCase):
    def revoked(self, uid):
        """Revokes from the next second on: tokens count seconds, and this one is not over."""
        self.change(uid, validSince=str(int(time.time()) + 1))

    def test_revocation_is_on_the_record(self):
        user = self.a_user()
        before = int(time.time()) * 1000
        auth.revoke_refresh_tokens(user.uid)
        since = auth.get_user(user.uid).tokens_valid_after_timestamp
        self.assertTrue(before <= since <= int(time.time()) * 1000, since)

    def test_a_revoked_token_is_noticed(self):
        user = self.a_user()
        token = self.signed_in("ada@example.com", "correct horse")["idToken"]
        self.revoked(user.uid)
        with self.assertRaises(auth.RevokedIdTokenError):
            auth.verify_id_token(token, check_revoked=True)
        # Without the question nobody is asked.
        self.assertEqual(auth.verify_id_token(token)["uid"], user.uid)

    def test_a_revoked_token_does_nothing_more(self):
        user = self.a_user()
        token = self.signed_in("ada@example.com", "correct horse")["idToken"]
        self.revoked(user.uid)
        self.refused(self.http.client("accounts:lookup", {"idToken": token}), "TOKEN_EXPIRED")

    @only("production", "refresh tokens of Firebase's emulator survive a revocation")
    def test_revocation_ends_refresh_tokens(self):
        user = self.a_user()
        token = self.signed_in("ada@example.com", "correct horse")["refreshToken"]
        self.revoked(user.uid)
        self.refused(self.http.refresh(token), "TOKEN_EXPIRED")

    def test_nobody_cannot_be_revoked(self):
        with self.assertRaises(auth.UserNotFoundError):
            auth.revoke_refresh_tokens("nobody")


class SessionCookies(AdminCase):
    def cookie(self):
        user = self.a_user()
        token = self.signed_in("ada@example.com", "correct horse")["idToken"]
        return user, auth.create_session_cookie(token, expires_in=WEEK)

    def test_a_cookie_tells_who_signed_in_and_lives_as_long_as_asked(self):
        user, cookie = self.cookie()
        claims = auth.verify_session_cookie(cookie, check_revoked=True)
        self.assertEqual((claims["uid"], claims["aud"]), (user.uid, PROJECT))
        self.assertEqual(claims["iss"], f"https://session.firebase.google.com/{PROJECT}")
        self.assertEqual(claims["exp"] - claims["iat"], WEEK.total_seconds())
        self.assertEqual(claims["email"], "ada@example.com")

    def test_a_cookie_is_no_id_token(self):
        _, cookie = self.cookie()
        with self.assertRaises(auth.InvalidIdTokenError):
            auth.verify_id_token(cookie)

    def test_the_cookie_of_a_revoked_user_is_noticed(self):
        user, cookie = self.cookie()
        self.change(user.uid, validSince=str(int(time.time()) + 1))
        with self.assertRaises(auth.RevokedSessionCookieError):
            auth.verify_session_cookie(cookie, check_revoked=True)

    def test_garbage_buys_no_cookie(self):
        with self.assertRaises(auth.InvalidIdTokenError):
            auth.create_session_cookie("garbage", expires_in=WEEK)

    def test_a_cookie_for_too_short_or_too_long_is_refused(self):
        self.a_user()
        token = self.signed_in("ada@example.com", "correct horse")["idToken"]
        for seconds in (299, 14 * 86_400 + 1):
            with self.subTest(seconds=seconds):
                path = f"/identitytoolkit.googleapis.com/v1/projects/{PROJECT}:createSessionCookie"
                answer = self.http.send(
                    "POST", path, {"idToken": token, "validDuration": str(seconds)},
                    {"Authorization": "Bearer owner"})
                self.refused(answer, "INVALID_DURATION")


class CustomTokens(AdminCase):
    @only("compatible", "production wants a signature")
    def test_a_custom_token_signs_in_a_new_user(self):
        token = auth.create_custom_token("ada", {"premium": True, "level": 3})
        answer = self.granted(self.sign_in_with_custom_token(token))
        self.assertTrue(answer["isNewUser"])
        claims = auth.verify_id_token(answer["idToken"])
        self.assertEqual((claims["uid"], claims["premium"], claims["level"]), ("ada", True, 3))
        self.assertEqual(claims["firebase"]["sign_in_provider"], "custom")
        self.assertEqual(auth.get_user("ada").uid, "ada")

    @only("compatible", "production wants a signature")
    def test_a_custom_token_signs_in_a_known_user(self):
        auth.create_user(uid="ada", display_name="Ada")
        answer = self.granted(self.sign_in_with_custom_token(auth.create_custom_token("ada")))
        self.assertFalse(answer["isNewUser"])
        self.assertEqual(auth.verify_id_token(answer["idToken"])["name"], "Ada")

    @only("compatible", "production wants a signature")
    def test_its_claims_stay_in_refreshed_tokens_and_not_on_the_record(self):
        token = auth.create_custom_token("ada", {"premium": True})
        answer = self.granted(self.sign_in_with_custom_token(token))
        refreshed = self.granted(self.http.refresh(answer["refreshToken"]))
        self.assertTrue(auth.verify_id_token(refreshed["id_token"])["premium"])
        self.assertFalse(auth.get_user("ada").custom_claims)

    @only("production", "Firebase's emulator takes unsigned tokens")
    def test_an_unsigned_custom_token_is_refused(self):
        answer = self.sign_in_with_custom_token(auth.create_custom_token("ada"))
        # Its issuer is none of the project's service accounts either.
        self.refused(answer, "INVALID_CUSTOM_TOKEN", "CREDENTIAL_MISMATCH")

    def test_the_custom_token_of_a_disabled_user_is_refused(self):
        auth.create_user(uid="ada", disabled=True)
        token = auth.create_custom_token("ada")
        if self.production:
            token = ServiceAccount(self.http).custom_token("ada")
        self.refused(self.sign_in_with_custom_token(token), "USER_DISABLED")

    def test_garbage_is_no_custom_token(self):
        for token in ("garbage", "a.b.c"):
            with self.subTest(token=token):
                self.refused(self.sign_in_with_custom_token(token), "INVALID_CUSTOM_TOKEN")


class ServiceAccount:
    """The SDK as it is beside Google's servers: with a key of its own, and checking signatures."""

    def __init__(self, http):
        path = f"/emulator/v1/projects/{PROJECT}/serviceAccount"
        key = {
            "type": "service_account", "project_id": PROJECT, "private_key_id": "1",
            "token_uri": "http://localhost/", **http.send("GET", path).body}
        self.certificate = credentials.Certificate(key)

    @contextlib.contextmanager
    def app(self):
        """An app that knows nothing of an emulator, and finds Google's keys where luath has them."""
        host = os.environ.pop("FIREBASE_AUTH_EMULATOR_HOST")
        certificates, _token_gen.ID_TOKEN_CERT_URI = _token_gen.ID_TOKEN_CERT_URI, (
            case.world.emulator.base
            + "/www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com")
        app = firebase_admin.initialize_app(self.certificate, {"projectId": PROJECT}, "real")
        try:
            yield app
        finally:
            firebase_admin.delete_app(app)
            _token_gen.ID_TOKEN_CERT_URI = certificates
            os.environ["FIREBASE_AUTH_EMULATOR_HOST"] = host

    def custom_token(self, uid, claims=None):
        with self.app() as app:
            return auth.create_custom_token(uid, claims, app=app)


class Signatures(AdminCase):
    @only("production", "Firebase's emulator signs nothing")
    def test_a_signed_custom_token_signs_in(self):
        token = ServiceAccount(self.http).custom_token("ada", {"premium": True})
        answer = self.granted(self.sign_in_with_custom_token(token))
        self.assertTrue(auth.verify_id_token(answer["idToken"])["premium"])

    @only("production", "Firebase's emulator signs nothing")
    def test_the_sdk_believes_a_signed_id_token(self):
        user = self.a_user()
        token = self.signed_in("ada@example.com", "correct horse")["idToken"]
        with ServiceAccount(self.http).app() as app:
            self.assertEqual(auth.verify_id_token(token, app=app)["uid"], user.uid)

    @only("production", "Firebase's emulator signs nothing")
    def test_the_sdk_notices_a_changed_id_token(self):
        self.a_user()
        head, body, signature = self.signed_in(
            "ada@example.com", "correct horse")["idToken"].split(".")
        other = self.signed_in("ada@example.com", "correct horse")["idToken"].split(".")[2]
        middle = len(signature) // 2
        flipped = "A" if signature[middle] != "A" else "B"
        changed = signature[:middle] + flipped + signature[middle + 1:]
        self.assertNotEqual((changed, other), (signature, ""))
        with ServiceAccount(self.http).app() as app, self.assertRaises(auth.InvalidIdTokenError):
            auth.verify_id_token(f"{head}.{body}.{changed}", app=app)
