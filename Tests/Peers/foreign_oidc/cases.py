"""What must hold with every foreign server, with every delegate that can pass its pages."""
import pathlib
import tempfile

import serving
from foreign import AFTER_LOGOUT, CALLBACK, HERE, Journey, project


def providers(server):
    """One app that all is right with, and what can be wrong with one."""
    stranger = server.provider("stranger", "whatever")
    return [
        server.provider("plain"), server.provider("elsewhere"), stranger,
        server.provider("plain", "not the secret").replace("oidc.plain", "oidc.wrong")]


def register(server, handler):
    server.client("plain", [handler, CALLBACK], afterLogout=[AFTER_LOGOUT])
    server.client("elsewhere", ["http://127.0.0.1/elsewhere"])


class Accounts(Journey):
    """Foreign server → emulator (`oidc.plain`) → credential → account."""

    domain = None

    def test_a_new_account_and_again_the_same(self):
        first = self.signed_in("oidc.plain", "alice")
        self.assertEqual((first["email"], first["name"]), (f"alice@{self.domain}", "Alice Example"))
        self.assertTrue(first["isNewUser"])
        self.assertEqual(first["signInProvider"], "oidc.plain")
        self.assertEqual([way["id"] for way in first["ways"]], ["oidc.plain"])
        self.assertEqual(first["ways"][0]["uid"], first["profile"]["sub"])
        self.assertEqual(self.header(first["idToken"])["alg"], "RS256")
        self.assertEqual([user["localId"] for user in self.accounts()], [first["uid"]])
        again = self.signed_in("oidc.plain", "alice")
        self.assertEqual((again["uid"], again["isNewUser"]), (first["uid"], False))

    def test_linking_and_signing_in_with_the_link(self):
        linked = self.flow("link", "oidc.plain", "frank", more=["frank@home.example"])
        self.assertEqual({way["id"] for way in linked["ways"]}, {"password", "oidc.plain"})
        self.assertEqual(linked["email"], "frank@home.example")
        told = self.signed_in("oidc.plain", "frank")
        self.assertEqual((told["uid"], told["isNewUser"]), (linked["uid"], False))


class Chain(Accounts):
    """With pages that every delegate can answer by itself."""

    def test_a_wrong_password(self):
        self.refused("webCredentialsRefused", "oidc.plain", "carol", password="not carol's")

    def test_a_denied_consent(self):
        self.refused("webConsentDenied", "oidc.plain", "dave", consent=False)


class OwnEmulator(Journey):
    """`luath run` with its own emulator, at the port of the project file that the server knows."""

    def run_at(self, port):
        with tempfile.TemporaryDirectory(prefix="luath-oidc-") as folder:
            file = pathlib.Path(folder) / "luath.lua"
            text = project([self.server.provider("fixed")])
            file.write_text(text.replace("project = {", f"project = {{ port = {port},", 1), "utf-8")
            return self.run_luath(
                ["--project", file], HERE / "flow.lua", ["signIn", "oidc.fixed", "alice", "true"],
                {"OIDC_PASSWORD": "alice's password"})

    def test_the_registered_port(self):
        port = serving.free_port()
        self.server.client("fixed", [f"http://127.0.0.1:{port}/__/auth/handler"])
        done = self.run_at(port)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn('"signInProvider":"oidc.fixed"', done.stdout)

    def test_a_port_in_use(self):
        done = self.run_at(self.emulator.port)
        self.assertEqual((done.returncode, done.stdout), (4, ""), done.stderr)
        self.assertIn(f"port {self.emulator.port} is taken by another process", done.stderr)
        self.assertIn(f"--target 127.0.0.1:{self.emulator.port}", done.stderr)


class Refusals(Journey):
    """Answers that were changed on their way, and servers that fail in the middle."""

    token_path = "/token"
    # Servers whose page does not name the redirect address have another.
    unregistered = "webRedirectNotRegistered"

    def test_an_unknown_person(self):
        self.refused("webCredentialsRefused", "oidc.plain", "mallory")

    def test_a_wrong_secret_in_the_project(self):
        told = self.refused("invalidCredential", "oidc.wrong", "erin")
        self.assertEqual(told["details"], {"reason": "clientRefused"}, told)
        self.assertIn("client identifier and secret", told["hint"])
        self.assertNotIn("not the secret", told["message"])
        # Also from a server that names itself in its response (RFC 9207).
        self.assertIn(self.server.issuer, told["message"])

    def test_a_client_that_the_server_does_not_know(self):
        self.refused("webSignInUserInteractionFailure", "oidc.stranger", "erin")

    def test_an_address_that_the_app_did_not_register(self):
        """The server may not send the browser there, and says so to the person."""
        told = self.refused(self.unregistered, "oidc.elsewhere", "erin")
        self.assertIn(f"{self.emulator.base}/__/auth/handler", told["hint"], told)

    def test_a_forged_state(self):
        self.refused("webStateMismatch", "oidc.plain", "erin", OIDC_TAMPER="state")

    def test_an_answer_without_state(self):
        self.refused("webStateMismatch", "oidc.plain", "erin", OIDC_TAMPER="noState")

    def test_an_answer_of_an_earlier_sign_in(self):
        """The account is that of the first sign-in; the second one gets nothing."""
        told = self.flow("replay", "oidc.plain", "erin", OIDC_TAMPER="replay")
        self.assertEqual(told["refusal"], "webStateMismatch", told)

    def test_a_code_that_was_used_already(self):
        told = self.flow("replay", "oidc.plain", "erin", OIDC_TAMPER="code")
        self.assertEqual(told["refusal"], "invalidCredential", told)

    def test_an_answer_at_another_address(self):
        for where in ("origin", "path"):
            with self.subTest(where):
                self.refused("webStateMismatch", "oidc.plain", "erin", OIDC_TAMPER=where)

    def test_an_answer_in_the_name_of_another_server(self):
        """Whoever mixes servers up would give the code of one to another (RFC 9207)."""
        self.refused("invalidCredential", "oidc.plain", "erin", OIDC_TAMPER="iss")

    def test_a_code_of_another_server(self):
        self.refused("invalidCredential", "oidc.plain", "erin", OIDC_TAMPER="strangeCode")

    def test_keys_change_in_the_middle(self):
        before = self.signed_in("oidc.plain", "judy")
        self.server.tell(at=self.token_path, do="rotate")
        after = self.signed_in("oidc.plain", "judy")
        self.assertEqual(before["uid"], after["uid"])
        self.assertNotEqual(
            self.header(before["idToken"])["kid"], self.header(after["idToken"])["kid"])

    def test_the_server_goes_in_the_middle_and_comes_back(self):
        self.server.tell(at=self.token_path, do="down")
        try:
            told = self.refused("invalidCredential", "oidc.plain", "erin")
            self.assertIn("could not be redeemed", told["message"])
            self.refused("webNetworkRequestFailed", "oidc.plain", "erin")
        finally:
            self.server.tell(up=True)
        self.signed_in("oidc.plain", "erin")
