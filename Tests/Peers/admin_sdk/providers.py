"""Configurations of OIDC and SAML providers. Firebase's emulator answers 501 to all of them."""
from firebase_admin import auth, exceptions

from case import AdminCase, only

UNIMPLEMENTED = "Firebase's emulator does not implement it"
CERTIFICATE = "-----BEGIN CERTIFICATE-----\nbm8gY2VydGlmaWNhdGU=\n-----END CERTIFICATE-----"


class OIDCProviders(AdminCase):
    def made(self, provider="oidc.peer", **more):
        options = {
            "client_id": "client", "issuer": "https://oidc.example.com", "display_name": "Peer",
            "enabled": True, **more}
        return auth.create_oidc_provider_config(provider, **options)

    def tearDown(self):
        if self.production:
            for config in auth.list_oidc_provider_configs().iterate_all():
                if config.provider_id.startswith("oidc.peer"):
                    auth.delete_oidc_provider_config(config.provider_id)

    @only("compatible", "production knows them")
    def test_they_are_not_implemented(self):
        with self.assertRaises(exceptions.FirebaseError) as refusal:
            self.made()
        self.assertEqual(refusal.exception.http_response.status_code, 501)

    @only("production", UNIMPLEMENTED)
    def test_a_configuration_is_kept(self):
        self.made(client_secret="secret", code_response_type=True, id_token_response_type=False)
        config = auth.get_oidc_provider_config("oidc.peer")
        self.assertEqual(config.provider_id, "oidc.peer")
        self.assertEqual((config.client_id, config.issuer), ("client", "https://oidc.example.com"))
        self.assertEqual((config.display_name, config.enabled), ("Peer", True))
        self.assertTrue(config.code_response_type)

    @only("production", UNIMPLEMENTED)
    def test_a_change_leaves_the_rest(self):
        self.made()
        config = auth.update_oidc_provider_config("oidc.peer", enabled=False, client_id="other")
        self.assertEqual((config.client_id, config.enabled), ("other", False))
        self.assertEqual(config.issuer, "https://oidc.example.com")

    @only("production", UNIMPLEMENTED)
    def test_all_are_listed(self):
        for number in range(3):
            self.made(f"oidc.peer-{number}")
        listed = {
            config.provider_id
            for config in auth.list_oidc_provider_configs(max_results=2).iterate_all()}
        self.assertLessEqual({"oidc.peer-0", "oidc.peer-1", "oidc.peer-2"}, listed)

    @only("production", UNIMPLEMENTED)
    def test_a_deleted_one_is_gone(self):
        self.made()
        auth.delete_oidc_provider_config("oidc.peer")
        with self.assertRaises(auth.ConfigurationNotFoundError):
            auth.get_oidc_provider_config("oidc.peer")

    @only("production", UNIMPLEMENTED)
    def test_a_taken_id_is_refused(self):
        self.made()
        with self.assertRaises(exceptions.FirebaseError):
            self.made()

    @only("production", UNIMPLEMENTED)
    def test_an_unknown_one_is_refused(self):
        with self.assertRaises(auth.ConfigurationNotFoundError):
            auth.get_oidc_provider_config("oidc.nowhere")
        with self.assertRaises(auth.ConfigurationNotFoundError):
            auth.delete_oidc_provider_config("oidc.nowhere")


class SAMLProviders(AdminCase):
    def made(self, provider="saml.peer", **more):
        options = {
            "idp_entity_id": "IDP", "sso_url": "https://saml.example.com/sso",
            "x509_certificates": [CERTIFICATE], "rp_entity_id": "RP",
            "callback_url": "https://demo-luath.example.com/__/auth/handler",
            "display_name": "Peer", "enabled": True, **more}
        return auth.create_saml_provider_config(provider, **options)

    def tearDown(self):
        if self.production:
            for config in auth.list_saml_provider_configs().iterate_all():
                if config.provider_id.startswith("saml.peer"):
                    auth.delete_saml_provider_config(config.provider_id)

    @only("compatible", "production knows them")
    def test_they_are_not_implemented(self):
        with self.assertRaises(exceptions.FirebaseError) as refusal:
            self.made()
        self.assertEqual(refusal.exception.http_response.status_code, 501)

    @only("production", UNIMPLEMENTED)
    def test_a_configuration_is_kept(self):
        self.made()
        config = auth.get_saml_provider_config("saml.peer")
        self.assertEqual((config.idp_entity_id, config.rp_entity_id), ("IDP", "RP"))
        self.assertEqual(config.sso_url, "https://saml.example.com/sso")
        self.assertEqual(config.x509_certificates, [CERTIFICATE])
        self.assertTrue(config.enabled)

    @only("production", UNIMPLEMENTED)
    def test_a_change_leaves_the_rest(self):
        self.made()
        config = auth.update_saml_provider_config("saml.peer", enabled=False)
        self.assertFalse(config.enabled)
        self.assertEqual(config.idp_entity_id, "IDP")

    @only("production", UNIMPLEMENTED)
    def test_a_deleted_one_is_gone(self):
        self.made()
        auth.delete_saml_provider_config("saml.peer")
        with self.assertRaises(auth.ConfigurationNotFoundError):
            auth.get_saml_provider_config("saml.peer")
