"""luath.oidc as a client of its own, without the emulator in between."""
import json

from foreign import AFTER_LOGOUT, HERE, Journey


class Pages(Journey):
    """What depends on who shows the pages."""

    domain = None

    def ask(self, action, person, consent=True, password=None, client="plain", **settings):
        return json.loads(self.run_script(
            HERE / "client.lua", action, self.server.issuer, f"luath-{client}", person,
            str(consent).lower(), **{
                "OIDC_SECRET": self.server.secrets[client],
                "OIDC_PASSWORD": password or f"{person}'s password", **settings}))

    def refused_with(self, code, *arguments, word=None, **options):
        told = self.ask(*arguments, **options)
        self.assertEqual((told.get("code"), told.get("providerError")), (code, word), told)
        return told

    def test_sign_in_userinfo_refresh(self):
        told = self.ask("whole", "alice")
        self.assertNotIn("message", told)
        self.assertEqual(told["userinfo"]["email"], f"alice@{self.domain}")
        self.assertEqual({told["sub"], told["checked"], told["userinfo"]["sub"]}, {told["sub"]})
        self.assertTrue(told["freshAccess"])
        self.assertEqual(
            told["usedRefresh"], {"code": "refused", "providerError": "invalid_grant"}, told)

    def test_a_wrong_password(self):
        self.refused_with("webCredentialsRefused", "signIn", "carol", password="not carol's")

    def test_a_denied_consent(self):
        self.refused_with("webConsentDenied", "signIn", "dave", consent=False)

    def test_signing_out_at_the_server(self):
        told = self.ask("logout", "alice", OIDC_KEEPS="yes")
        self.assertEqual(
            (told.get("code"), told.get("word")), ("providerError", "login_required"), told)

    def test_the_lesson(self):
        """Link, sign in again by it, sign out at both: scripts/21-foreign-oidc.lua as it stands."""
        said = self.run_script(
            HERE.parents[2] / "scripts/21-foreign-oidc.lua", self.delegate,
            OIDC_PROVIDER="oidc.plain", OIDC_USERNAME="bob", OIDC_PASSWORD="bob's password",
            OIDC_AFTER_LOGOUT=AFTER_LOGOUT)
        self.assertIn(f"bob@{self.domain} of oidc.plain", said)
        self.assertIn("signed out", said)


class Client(Pages):
    """The rest, with every page answered by forms."""

    token_path = "/token"
    unregistered = "webRedirectNotRegistered"

    def test_a_wrong_secret(self):
        self.refused_with(
            "clientRefused", "signIn", "erin", OIDC_SECRET="not the secret", word="invalid_client")

    def test_an_address_that_is_not_registered(self):
        told = self.refused_with(
            self.unregistered, "signIn", "erin",
            OIDC_CALLBACK="http://127.0.0.1/elsewhere")
        self.assertIn("http://127.0.0.1/elsewhere", told["hint"], told)

    def test_answers_that_were_changed_or_taken_before(self):
        for action, code, word in (
                ("twice", "answerReplayed", None), ("usedCode", "refused", "invalid_grant"),
                ("injectedCode", "refused", "invalid_grant"),
                ("forgedState", "stateMismatch", None), ("forgedIssuer", "wrongIssuer", None),
                ("forgedNonce", "wrongNonce", None)):
            with self.subTest(action):
                self.refused_with(code, action, "erin", word=word)

    def test_keys_change_in_the_middle(self):
        self.server.tell(at=self.token_path, do="rotate")
        self.assertNotIn("message", self.ask("signIn", "judy"))

    def test_the_server_goes_in_the_middle_and_comes_back(self):
        self.server.tell(at=self.token_path, do="down")
        try:
            self.refused_with("transport", "signIn", "erin")
            self.refused_with("issuerUnreachable", "signIn", "erin")
        finally:
            self.server.tell(up=True)
        self.assertNotIn("message", self.ask("signIn", "erin"))
