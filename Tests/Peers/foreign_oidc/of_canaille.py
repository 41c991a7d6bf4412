"""What only Canaille shows: ES256, secrets in the form, two apps of one server."""
import cases
import client_cases
from foreign import CALLBACK, ForeignServer, Journey

other = None


def providers(stack, server):
    """A second server takes secrets in the form alone."""
    global other
    other = stack.enter_context(ForeignServer("canaille", "client_secret_post"))
    other.person("alice")
    return [
        *cases.providers(server), server.provider("curve"), other.provider("post")]


def register(server, handler):
    cases.register(server, handler)
    server.client("curve", [handler, CALLBACK], algorithm="ES256")
    other.client("post", [handler], method="client_secret_post")


class CanailleChain(cases.Chain):
    domain = "canaille.example"


class CanailleInBrowser(CanailleChain):
    delegate = "webdriver"


class CanailleClient(client_cases.Client):
    domain = "canaille.example"
    unregistered = "webSignInUserInteractionFailure"


class CanailleClientInBrowser(client_cases.Pages):
    domain = "canaille.example"
    delegate = "webdriver"


class CanailleRefusals(cases.Refusals):
    # "The request you made is invalid" is all that its page says.
    unregistered = "webSignInUserInteractionFailure"


class CanailleAlone(Journey):
    def test_es256(self):
        told = self.signed_in("oidc.curve", "alice")
        self.assertEqual(self.header(told["idToken"])["alg"], "ES256")

    def test_by_a_secret_in_the_form(self):
        told = self.signed_in("oidc.post", "alice")
        self.assertEqual(told["email"], "alice@canaille.example")

    def test_an_identity_of_another_account_cannot_be_linked(self):
        self.signed_in("oidc.plain", "grace")
        told = self.flow("link", "oidc.plain", "grace", more=["other@home.example"])
        self.assertEqual(told["code"], "credentialAlreadyInUse", told)

    def test_two_registrations_at_one_server_are_two_identities(self):
        one = self.signed_in("oidc.plain", "heidi")
        # The server does not say that the address is verified, so nobody is trusted with it.
        told = self.flow("signIn", "oidc.curve", "heidi")
        if one["profile"].get("email_verified"):
            self.assertEqual(told["uid"], one["uid"])
        else:
            self.assertEqual(told["code"], "accountExistsWithDifferentCredential", told)

    def test_an_id_token_that_the_app_got_itself(self):
        told = self.flow(
            "manual", "oidc.plain", "ivan", OIDC_SECRET=self.server.secrets["plain"],
            more=[self.server.issuer, "luath-plain", "a nonce of the app"])
        self.assertNotIn("message", told)
        self.assertEqual(told["email"], "ivan@canaille.example")
        self.assertEqual(told["refusalOfWrongNonce"], "missingOrInvalidNonce")


CASES = [
    CanailleChain, CanailleInBrowser, CanailleClient, CanailleClientInBrowser, CanailleRefusals,
    CanailleAlone, cases.OwnEmulator]
