"""Links in e-mails: verification, password reset, sign-in."""
import urllib.parse

from firebase_admin import auth, exceptions

from case import AdminCase

CONTINUE = "http://localhost/after?cart=1&x=%26"


def parameters(link):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(link).query))


class Links(AdminCase):
    def follow(self, link):
        """Opens a link as a browser would, without going where it leads."""
        parts = urllib.parse.urlsplit(link)
        return self.http.send("GET", f"{parts.path}?{parts.query}")

    def settings(self, **more):
        return auth.ActionCodeSettings(url=CONTINUE, handle_code_in_app=True, **more)

    def test_a_verification_link_verifies(self):
        user = self.a_user()
        answer = self.follow(auth.generate_email_verification_link("ada@example.com"))
        self.assertEqual(answer.status, 200, answer.raw)
        self.assertTrue(auth.get_user(user.uid).email_verified)

    def test_a_link_works_once(self):
        self.a_user()
        link = auth.generate_email_verification_link("ada@example.com")
        self.follow(link)
        self.assertEqual(self.follow(link).status, 400)

    def test_a_link_leads_on_to_where_its_settings_say(self):
        user = self.a_user()
        link = auth.generate_email_verification_link("ada@example.com", self.settings())
        self.assertEqual(parameters(link)["continueUrl"], CONTINUE)
        answer = self.follow(link)
        self.assertIn(answer.status, (302, 303), answer.raw)
        self.assertTrue(answer.headers["Location"].startswith("http://localhost/after?cart=1"))
        self.assertTrue(auth.get_user(user.uid).email_verified)

    def test_the_code_of_a_verification_link_verifies_by_rest_too(self):
        user = self.a_user()
        code = parameters(auth.generate_email_verification_link("ada@example.com"))["oobCode"]
        self.granted(self.http.client("accounts:update", {"oobCode": code}))
        self.assertTrue(auth.get_user(user.uid).email_verified)

    def test_a_reset_link_sets_a_new_password(self):
        self.a_user()
        link = auth.generate_password_reset_link("ada@example.com", self.settings())
        self.assertEqual(parameters(link)["mode"], "resetPassword")
        code = parameters(link)["oobCode"]
        shown = self.granted(self.http.client("accounts:resetPassword", {"oobCode": code}))
        self.assertEqual(shown["requestType"], "PASSWORD_RESET")
        self.assertEqual(shown["email"], "ada@example.com")
        self.granted(self.http.client(
            "accounts:resetPassword", {"oobCode": code, "newPassword": "battery staple"}))
        self.signed_in("ada@example.com", "battery staple")
        self.refused(
            self.sign_in("ada@example.com", "correct horse"),
            "INVALID_PASSWORD", "INVALID_LOGIN_CREDENTIALS")
        again = {"oobCode": code, "newPassword": "third horse"}
        self.refused(self.http.client("accounts:resetPassword", again), "INVALID_OOB_CODE")

    def test_a_weak_password_does_not_use_the_code_up(self):
        self.a_user()
        code = parameters(auth.generate_password_reset_link("ada@example.com"))["oobCode"]
        weak = {"oobCode": code, "newPassword": "short"}
        self.refused(self.http.client("accounts:resetPassword", weak), "WEAK_PASSWORD")
        self.granted(self.http.client(
            "accounts:resetPassword", {"oobCode": code, "newPassword": "battery staple"}))

    def test_a_sign_in_link_signs_a_known_user_in(self):
        user = self.a_user()
        link = auth.generate_sign_in_with_email_link("ada@example.com", self.settings())
        self.assertEqual(parameters(link)["mode"], "signIn")
        answer = self.granted(self.http.client(
            "accounts:signInWithEmailLink",
            {"email": "ada@example.com", "oobCode": parameters(link)["oobCode"]}))
        self.assertEqual((answer["localId"], answer["isNewUser"]), (user.uid, False))
        self.assertTrue(auth.get_user(user.uid).email_verified)
        self.assertEqual(auth.verify_id_token(answer["idToken"])["uid"], user.uid)

    def test_a_sign_in_link_makes_a_new_user(self):
        link = auth.generate_sign_in_with_email_link("new@example.com", self.settings())
        answer = self.granted(self.http.client(
            "accounts:signInWithEmailLink",
            {"email": "new@example.com", "oobCode": parameters(link)["oobCode"]}))
        self.assertTrue(answer["isNewUser"])
        self.assertEqual(auth.get_user_by_email("new@example.com").uid, answer["localId"])

    def test_a_sign_in_link_of_another_address_is_refused(self):
        link = auth.generate_sign_in_with_email_link("ada@example.com", self.settings())
        answer = self.http.client(
            "accounts:signInWithEmailLink",
            {"email": "eve@example.com", "oobCode": parameters(link)["oobCode"]})
        self.refused(answer, "INVALID_EMAIL")

    def test_settings_of_apps_are_accepted(self):
        self.a_user()
        link = auth.generate_email_verification_link("ada@example.com", self.settings(
            ios_bundle_id="com.example.ios", android_package_name="com.example.android",
            android_install_app=True, android_minimum_version="6"))
        if self.production:
            # The app gets the link to open, wherever the letter is read.
            self.assertTrue(urllib.parse.urlsplit(link).path.endswith("/__/auth/links"), link)
            link = parameters(link)["link"]
        self.assertTrue(parameters(link)["oobCode"])

    def test_links_for_nobody_are_refused(self):
        with self.assertRaises(auth.UserNotFoundError):
            auth.generate_email_verification_link("nobody@example.com")
        with self.assertRaises(exceptions.FirebaseError):
            auth.generate_password_reset_link("nobody@example.com")

    def test_a_link_to_nowhere_is_refused(self):
        self.a_user()
        answer = self.http.admin("demo-luath", "accounts:sendOobCode", {
            "requestType": "VERIFY_EMAIL", "email": "ada@example.com", "returnOobLink": True,
            "continueUrl": "nowhere"})
        self.refused(answer, "INVALID_CONTINUE_URI")

    def test_a_made_up_code_is_refused(self):
        self.refused(
            self.http.client("accounts:resetPassword", {"oobCode": "made-up"}), "INVALID_OOB_CODE")
