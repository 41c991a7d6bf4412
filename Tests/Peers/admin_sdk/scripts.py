"""What luath writes as an administrator, the SDK reads, and the other way round."""
import json
import pathlib
import subprocess
import tempfile

from firebase_admin import auth

import case
from case import AdminCase, only
from emulator import PATIENCE, program

SCRIPT = pathlib.Path(__file__).resolve().parent / "accounts.lua"


def present(fields):
    return {name: value for name, value in fields.items() if value is not None}


class Scripts(AdminCase):
    def luath(self, *arguments):
        done = subprocess.run(
            [program(), "run", "--target", case.world.emulator.host, str(SCRIPT), "--", *arguments],
            capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def as_luath_has_it(self, user):
        """A record of the SDK under luath's names, without what it has not."""
        metadata = user.user_metadata
        record = {
            "uid": user.uid, "email": user.email, "emailVerified": user.email_verified,
            "displayName": user.display_name, "photoURL": user.photo_url,
            "phoneNumber": user.phone_number, "disabled": user.disabled,
            "customClaims": user.custom_claims or None,
            "tokensValidAfterTime": user.tokens_valid_after_timestamp or None,
            "metadata": present({
                "creationTime": metadata.creation_timestamp,
                "lastSignInTime": metadata.last_sign_in_timestamp}),
            "providerData": [
                present({
                    "providerID": way.provider_id, "uid": way.uid, "email": way.email,
                    "displayName": way.display_name, "photoURL": way.photo_url,
                    "phoneNumber": way.phone_number})
                for way in user.provider_data],
            "multiFactor": {"enrolledFactors": []},
        }
        return present(record)

    def same_on_both_sides(self):
        ours = {user["uid"]: user for user in json.loads(self.luath("read"))}
        theirs = {user.uid: user for user in auth.list_users().iterate_all()}
        self.assertEqual(sorted(ours), sorted(theirs))
        for uid, user in ours.items():
            with self.subTest(uid=uid):
                # The SDK shows a hash that luath leaves out when it is not one.
                self.assertEqual(user.pop("passwordHash", None), theirs[uid].password_hash)
                self.assertEqual(user.pop("passwordSalt", None), theirs[uid].password_salt)
                user["metadata"].pop("lastRefreshTime", None)
                self.assertEqual(user, self.as_luath_has_it(theirs[uid]))
        return theirs

    def test_what_luath_writes_the_sdk_reads(self):
        self.luath("write")
        users = self.same_on_both_sides()
        ada = users["ada"]
        self.assertEqual(ada.custom_claims, {"role": "editor", "level": 3})
        self.assertEqual(ada.display_name, "Zoë ♥")
        self.assertEqual(
            {way.provider_id for way in ada.provider_data}, {"password", "phone", "google.com"})
        self.assertTrue(users["bob"].disabled)
        self.assertEqual(users["eve"].user_metadata.creation_timestamp, 1700000000000)
        found = auth.get_users([auth.ProviderIdentifier("github.com", "43")])
        self.assertEqual([user.uid for user in found.users], ["eve"])

    def test_what_the_sdk_writes_luath_reads(self):
        auth.create_user(
            uid="ada", email="ada@example.com", password="correct horse", phone_number="+15555550100",
            display_name="Zoe\u0308 𝄞", photo_url="https://example.com/a.png", email_verified=True)
        auth.set_custom_user_claims("ada", {"teams": [1, 2], "nested": {"deep": True}})
        auth.create_user(uid="bob", disabled=True)
        auth.import_users([auth.ImportUserRecord(
            "eve", email="eve@example.com",
            provider_data=[auth.UserProvider(uid="42", provider_id="google.com", display_name="Eve")],
            user_metadata=auth.UserMetadata(
                creation_timestamp=1700000000000, last_sign_in_timestamp=1710000000000))])
        self.same_on_both_sides()

    @only("production", "Firebase's emulator keeps hashes and never matches them")
    def test_a_password_that_luath_imported_signs_in(self):
        self.luath("write")
        self.assertEqual(self.signed_in("eve@example.com", "correct horse")["localId"], "eve")

    def test_accounts_come_back_from_a_file_as_they_were(self):
        auth.import_users(
            [auth.ImportUserRecord(
                f"u{index}", email=f"u{index}@example.com", display_name=f"User {index}",
                password_hash=bytes(range(32)), password_salt=b"salt",
                custom_claims={"index": index},
                provider_data=[auth.UserProvider(uid=str(index), provider_id="google.com")],
                user_metadata=auth.UserMetadata(creation_timestamp=1700000000000 + index))
             for index in range(5)],
            hash_alg=auth.UserImportHash.hmac_sha256(key=b"secret of the old system"))
        before = {user["uid"]: user for user in json.loads(self.luath("read"))}
        with tempfile.TemporaryDirectory() as folder:
            self.luath("move", f"{folder}/users.json")
        after = {user["uid"]: user for user in json.loads(self.luath("read"))}
        for user in (*before.values(), *after.values()):
            user.pop("tokensValidAfterTime")
            # One alphabet of base 64 or the other.
            user["passwordHash"] = user["passwordHash"].translate(str.maketrans("+/", "-_"))
            user["passwordSalt"] = user["passwordSalt"].translate(str.maketrans("+/", "-_"))
        self.assertEqual(after, before)
