"""What luath.admin wrote, as Google's SDK reads it."""
import json
import pathlib
import subprocess

from firebase_admin import auth, tenant_mgt

import case
from case import AdminCase, only
from emulator import PATIENCE, program

HERE = pathlib.Path(__file__).resolve().parent


class WrittenByLuath(AdminCase):
    def setUp(self):
        super().setUp()
        done = subprocess.run(
            [program(), "run", "--target", case.world.emulator.host, "--timeout", "1m",
             HERE / "write.lua", "--", case.world.rules],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.told = json.loads(done.stdout)

    def tearDown(self):
        tenant_mgt.delete_tenant(self.told["tenant"])
        if self.production:
            auth.delete_oidc_provider_config("oidc.written")
            auth.delete_saml_provider_config("saml.written")

    def test_tokens(self):
        claims = auth.verify_id_token(self.told["idToken"], check_revoked=True)
        self.assertEqual((claims["uid"], claims["plan"]), ("written by luath", "gold"))
        cookie = auth.verify_session_cookie(self.told["cookie"], check_revoked=True)
        self.assertEqual((cookie["uid"], cookie["plan"]), ("written by luath", "gold"))
        self.assertEqual(cookie["exp"] - cookie["iat"], 3600)
        inside = tenant_mgt.auth_for_tenant(self.told["tenant"])
        self.assertEqual(inside.verify_id_token(self.told["tenantToken"])["uid"], "inside")
        self.assertEqual(inside.get_user("inside").tenant_id, self.told["tenant"])

    def test_a_tenant(self):
        tenant = tenant_mgt.get_tenant(self.told["tenant"])
        self.assertEqual(tenant.display_name, "rewritten")
        self.assertTrue(tenant.allow_password_sign_up)
        self.assertFalse(tenant.enable_email_link_sign_in)

    @only("production", "Firebase's emulator has no provider configurations")
    def test_providers(self):
        oidc = auth.get_oidc_provider_config("oidc.written")
        self.assertEqual((oidc.client_id, oidc.client_secret), ("client", "secret"))
        self.assertEqual((oidc.display_name, oidc.issuer), ("Written", "https://oidc.example.com"))
        self.assertTrue(oidc.enabled and oidc.code_response_type)
        self.assertFalse(oidc.id_token_response_type)
        saml = auth.get_saml_provider_config("saml.written")
        self.assertEqual((saml.idp_entity_id, saml.rp_entity_id), ("IDP", "RP"))
        self.assertEqual((saml.display_name, saml.enabled), ("Rewritten", True))
        self.assertEqual(saml.x509_certificates, ["one", "two"])
        self.assertEqual(saml.sso_url, "https://saml.example.com/sso")
        self.assertEqual(saml.callback_url, "https://demo.example.com/__/auth/handler")
