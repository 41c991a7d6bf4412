"""Tenants, and users inside them."""
from firebase_admin import auth, tenant_mgt

from case import PROJECT, AdminCase, only


class Tenants(AdminCase):
    def setUp(self):
        super().setUp()
        for tenant in tenant_mgt.list_tenants().iterate_all():
            tenant_mgt.delete_tenant(tenant.tenant_id)

    def a_tenant(self, name="first-tenant"):
        return tenant_mgt.create_tenant(
            display_name=name, allow_password_sign_up=True, enable_email_link_sign_in=True)

    def test_a_tenant_keeps_its_settings(self):
        made = self.a_tenant()
        tenant = tenant_mgt.get_tenant(made.tenant_id)
        self.assertEqual(tenant.display_name, "first-tenant")
        self.assertTrue(tenant.allow_password_sign_up)
        self.assertTrue(tenant.enable_email_link_sign_in)

    def test_everything_is_off_in_a_new_tenant(self):
        tenant = tenant_mgt.create_tenant(display_name="bare-tenant")
        self.assertFalse(tenant.allow_password_sign_up)
        self.assertFalse(tenant.enable_email_link_sign_in)
        answer = self.http.client(
            "accounts:signUp",
            {"email": "a@example.com", "password": "correct horse", "tenantId": tenant.tenant_id})
        self.refused(answer, "OPERATION_NOT_ALLOWED")

    def test_a_change_leaves_the_rest(self):
        made = self.a_tenant()
        tenant = tenant_mgt.update_tenant(made.tenant_id, allow_password_sign_up=False)
        self.assertFalse(tenant.allow_password_sign_up)
        self.assertTrue(tenant.enable_email_link_sign_in)
        self.assertEqual(tenant.display_name, "first-tenant")

    def test_tenants_are_listed_in_pages(self):
        ids = {self.a_tenant(f"tenant-{number}").tenant_id for number in range(5)}
        page = tenant_mgt.list_tenants(max_results=2)
        self.assertEqual(len(page.tenants), 2)
        self.assertTrue(page.has_next_page)
        seen = [tenant.tenant_id for tenant in page.iterate_all()]
        self.assertEqual((set(seen), len(seen)), (ids, 5))

    def test_a_deleted_tenant_is_not_listed(self):
        tenant = self.a_tenant()
        tenant_mgt.delete_tenant(tenant.tenant_id)
        self.assertEqual(list(tenant_mgt.list_tenants().iterate_all()), [])

    @only("production", "Firebase's emulator makes any tenant that is asked for")
    def test_an_unknown_tenant_is_refused(self):
        with self.assertRaises(tenant_mgt.TenantNotFoundError):
            tenant_mgt.get_tenant("nowhere")


class UsersOfTenants(AdminCase):
    def setUp(self):
        super().setUp()
        self.tenant = tenant_mgt.create_tenant(
            display_name="first-tenant", allow_password_sign_up=True).tenant_id
        self.client = tenant_mgt.auth_for_tenant(self.tenant)

    def tearDown(self):
        tenant_mgt.delete_tenant(self.tenant)

    def test_a_user_belongs_to_its_tenant_alone(self):
        user = self.client.create_user(email="ada@example.com", password="correct horse")
        self.assertEqual(user.tenant_id, self.tenant)
        self.assertEqual(self.client.get_user(user.uid).uid, user.uid)
        with self.assertRaises(auth.UserNotFoundError):
            auth.get_user(user.uid)

    def test_the_same_email_is_another_user_elsewhere(self):
        inside = self.client.create_user(email="ada@example.com")
        outside = auth.create_user(email="ada@example.com")
        self.assertNotEqual(inside.uid, outside.uid)
        self.assertEqual(self.client.get_user_by_email("ada@example.com").uid, inside.uid)
        self.assertEqual(auth.get_user_by_email("ada@example.com").uid, outside.uid)

    def test_sign_in_names_the_tenant(self):
        self.client.create_user(email="ada@example.com", password="correct horse")
        self.refused(
            self.sign_in("ada@example.com", "correct horse"),
            "EMAIL_NOT_FOUND", "INVALID_LOGIN_CREDENTIALS")
        token = self.signed_in("ada@example.com", "correct horse", tenantId=self.tenant)["idToken"]
        claims = self.client.verify_id_token(token, check_revoked=True)
        self.assertEqual(claims["firebase"]["tenant"], self.tenant)

    def test_the_token_of_another_tenant_is_noticed(self):
        other = tenant_mgt.create_tenant(display_name="other-tenant").tenant_id
        self.client.create_user(email="ada@example.com", password="correct horse")
        token = self.signed_in("ada@example.com", "correct horse", tenantId=self.tenant)["idToken"]
        with self.assertRaises(tenant_mgt.TenantIdMismatchError):
            tenant_mgt.auth_for_tenant(other).verify_id_token(token)
        tenant_mgt.delete_tenant(other)

    def test_import_list_claims_and_deletion_stay_inside(self):
        auth.create_user(uid="outside")
        result = self.client.import_users(
            [auth.ImportUserRecord(f"user-{number}") for number in range(3)])
        self.assertEqual(result.failure_count, 0)
        self.assertEqual(
            [user.uid for user in self.client.list_users().iterate_all()],
            ["user-0", "user-1", "user-2"])
        self.client.set_custom_user_claims("user-0", {"admin": True})
        self.assertEqual(self.client.get_user("user-0").custom_claims, {"admin": True})
        self.assertEqual(self.client.update_user("user-1", display_name="One").display_name, "One")
        self.client.delete_user("user-2")
        self.assertEqual(self.client.delete_users(["user-0", "outside"]).success_count, 2)
        self.assertEqual([user.uid for user in auth.list_users().iterate_all()], ["outside"])

    def test_a_verification_link_of_a_tenant_verifies_its_user(self):
        user = self.client.create_user(email="ada@example.com", password="correct horse")
        link = self.client.generate_email_verification_link("ada@example.com")
        self.assertIn(f"tenantId={self.tenant}", link)
        answer = self.http.send("GET", link[link.index("/", len("http://")):])
        self.assertEqual(answer.status, 200, answer.raw)
        self.assertTrue(self.client.get_user(user.uid).email_verified)

    @only("compatible", "production wants a signature")
    def test_a_custom_token_of_a_tenant_signs_in_there(self):
        token = self.client.create_custom_token("ada")
        answer = self.granted(self.sign_in_with_custom_token(token, tenantId=self.tenant))
        self.assertEqual(self.client.verify_id_token(answer["idToken"])["uid"], "ada")
        self.assertEqual(self.client.get_user("ada").tenant_id, self.tenant)

    def test_clearing_a_tenant_leaves_the_project(self):
        self.client.create_user(uid="inside")
        auth.create_user(uid="outside")
        path = f"/emulator/v1/projects/{PROJECT}/tenants/{self.tenant}/accounts"
        self.assertEqual(self.http.send("DELETE", path).status, 200)
        self.assertEqual(list(self.client.list_users().iterate_all()), [])
        self.assertEqual(auth.get_user("outside").uid, "outside")
