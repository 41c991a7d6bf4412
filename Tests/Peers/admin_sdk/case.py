"""What the checks of the admin SDK share: the emulator, the SDK's app, sign-in as a client."""
import unittest

import firebase_admin
from firebase_admin import _utils, auth, credentials, tenant_mgt

from emulator import Connection

PROJECT = "demo-luath"
world = None


class Owner(credentials.Base):
    """The emulator's administrator."""

    def get_credential(self):
        return _utils.EmulatorAdminCredentials()


class World:
    """The emulator that is asked, under which rules, by which app."""

    def __init__(self, emulator, rules):
        self.emulator, self.rules = emulator, rules
        self.app = firebase_admin.initialize_app(Owner(), {"projectId": PROJECT})
        # The one service of the SDK that does not ask for an emulator's address.
        tenant_mgt._TenantManagementService.TENANT_MGT_URL = (
            f"{emulator.base}/identitytoolkit.googleapis.com/v2")


def begin(emulator, rules):
    """Must come before the first case."""
    global world
    world = World(emulator, rules)


def only(rules, reason):
    """Leaves a check out under the other rules."""

    def decorate(function):
        def check(self):
            if world.rules != rules:
                self.skipTest(reason)
            function(self)

        check.__name__, check.__doc__ = function.__name__, function.__doc__
        return check

    return decorate


class AdminCase(unittest.TestCase):
    """A check that begins with a project without accounts."""

    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.http = Connection(world.emulator.port)

    @classmethod
    def tearDownClass(cls):
        cls.http.close()

    def setUp(self):
        answer = self.http.send("DELETE", f"/emulator/v1/projects/{PROJECT}/accounts")
        self.assertEqual(answer.status, 200, answer.raw)

    @property
    def production(self):
        return world.rules == "production"

    def granted(self, answer):
        """The body of an answer that must be a success."""
        self.assertEqual(answer.status, 200, answer.raw)
        return answer.body

    def refused(self, answer, *messages):
        """Expects a refusal that begins with one of these messages."""
        self.assertEqual(answer.status, 400, answer.raw)
        self.assertTrue(answer.error.startswith(messages), answer.error)

    # As a client.

    def sign_in(self, email, password, **more):
        return self.http.client(
            "accounts:signInWithPassword",
            {"email": email, "password": password, "returnSecureToken": True, **more})

    def signed_in(self, email, password, **more):
        return self.granted(self.sign_in(email, password, **more))

    def sign_in_with_custom_token(self, token, **more):
        token = token.decode() if isinstance(token, bytes) else token
        return self.http.client(
            "accounts:signInWithCustomToken", {"token": token, "returnSecureToken": True, **more})

    def raw_user(self, uid):
        """An account as the administrator's lookup shows it, with what the SDK hides."""
        found = self.granted(
            self.http.admin(PROJECT, "accounts:lookup", {"localId": [uid]}))
        return found["users"][0]

    def change(self, uid, **fields):
        """An administrator's change that the SDK has no word for."""
        return self.granted(
            self.http.admin(PROJECT, "accounts:update", {"localId": uid, **fields}))

    def link(self, uid, provider, raw_id, **more):
        link = {"providerId": provider, "rawId": raw_id, **more}
        return self.change(uid, linkProviderUserInfo=link)

    def a_user(self, email="ada@example.com", password="correct horse", **more):
        return auth.create_user(email=email, password=password, **more)
