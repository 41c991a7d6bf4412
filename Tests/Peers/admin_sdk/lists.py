"""Many users at once: import, pages, deletion."""
from firebase_admin import auth

from case import PROJECT, AdminCase


def records(count, prefix="user"):
    return [
        auth.ImportUserRecord(
            f"{prefix}-{number:05}", email=f"{prefix}-{number}@example.com",
            display_name=f"{prefix} {number}")
        for number in range(count)
    ]


class Listing(AdminCase):
    COUNT = 1205

    def setUp(self):
        super().setUp()
        everybody = records(self.COUNT)
        for first in range(0, self.COUNT, 1000):
            result = auth.import_users(everybody[first:first + 1000])
            self.assertEqual(result.failure_count, 0, result.errors)
        self.uids = [record.uid for record in everybody]

    def test_all_pages_hold_everybody_once_in_order(self):
        self.assertEqual([user.uid for user in auth.list_users().iterate_all()], self.uids)

    def test_a_page_is_as_long_as_asked_and_leads_to_the_next(self):
        page = auth.list_users(max_results=1000)
        self.assertEqual(len(page.users), 1000)
        self.assertTrue(page.has_next_page)
        page = page.get_next_page()
        self.assertEqual(len(page.users), self.COUNT - 1000)
        self.assertFalse(page.has_next_page)

    def test_small_pages_come_to_the_same(self):
        seen, page = [], auth.list_users(max_results=97)
        while page:
            self.assertLessEqual(len(page.users), 97)
            seen += [user.uid for user in page.users]
            page = page.get_next_page()
        self.assertEqual(seen, self.uids)

    def test_a_user_deleted_meanwhile_is_not_missed_or_repeated(self):
        page = auth.list_users(max_results=100)
        auth.delete_user(page.users[-1].uid)
        self.assertEqual(page.get_next_page().users[0].uid, self.uids[100])

    def test_a_thousand_are_deleted_at_once(self):
        result = auth.delete_users(self.uids[:1000])
        self.assertEqual((result.success_count, result.failure_count), (1000, 0))
        self.assertEqual([user.uid for user in auth.list_users().iterate_all()], self.uids[1000:])

    def test_deleting_who_is_not_there_counts_as_done(self):
        result = auth.delete_users([self.uids[0], "nobody"])
        self.assertEqual((result.success_count, result.failure_count), (2, 0))

    def test_a_hundred_are_found_at_once(self):
        found = auth.get_users([auth.UidIdentifier(uid) for uid in self.uids[:100]])
        self.assertEqual({user.uid for user in found.users}, set(self.uids[:100]))


class Importing(AdminCase):
    def test_every_field_is_imported(self):
        metadata = auth.UserMetadata(creation_timestamp=1600000000000, last_sign_in_timestamp=1600000001000)
        provider = auth.UserProvider("77", "google.com", "a@gmail.example", "Ada G.")
        result = auth.import_users([auth.ImportUserRecord(
            "ada", email="ada@example.com", email_verified=True, display_name="Ada",
            phone_number="+15555550101", photo_url="https://example.com/a.png", disabled=False,
            user_metadata=metadata, provider_data=[provider], custom_claims={"admin": True})])
        self.assertEqual((result.success_count, result.failure_count), (1, 0), result.errors)
        user = auth.get_user("ada")
        self.assertEqual((user.email, user.email_verified), ("ada@example.com", True))
        self.assertEqual((user.display_name, user.phone_number), ("Ada", "+15555550101"))
        self.assertEqual(user.custom_claims, {"admin": True})
        self.assertEqual(user.user_metadata.creation_timestamp, 1600000000000)
        self.assertEqual(user.user_metadata.last_sign_in_timestamp, 1600000001000)
        ways = {way.provider_id: way.uid for way in user.provider_data}
        self.assertEqual(ways["google.com"], "77")

    def test_each_bad_user_is_named_and_the_others_arrive(self):
        auth.create_user(uid="taken", phone_number="+15555550102")
        result = auth.import_users([
            auth.ImportUserRecord("good", email="good@example.com"),
            auth.ImportUserRecord("bad", provider_data=[auth.UserProvider("1", "google.com")]),
            auth.ImportUserRecord("worse", provider_data=[auth.UserProvider("1", "google.com")]),
        ])
        self.assertEqual((result.success_count, result.failure_count), (2, 1))
        self.assertEqual(result.errors[0].index, 2)
        self.assertTrue(result.errors[0].reason)
        self.assertEqual(auth.get_user("good").email, "good@example.com")
        with self.assertRaises(auth.UserNotFoundError):
            auth.get_user("worse")

    def test_importing_again_replaces(self):
        auth.import_users([auth.ImportUserRecord("ada", display_name="Ada")])
        answer = self.http.admin(
            PROJECT, "accounts:batchCreate",
            {"users": [{"localId": "ada", "displayName": "Lovelace"}], "allowOverwrite": True})
        self.granted(answer)
        self.assertEqual(auth.get_user("ada").display_name, "Lovelace")

    def test_nothing_to_import_is_refused(self):
        self.refused(
            self.http.admin(PROJECT, "accounts:batchCreate", {"users": []}), "MISSING_USER_ACCOUNT")

    def test_of_the_same_id_twice_in_one_call_google_takes_the_last(self):
        answer = self.http.admin(PROJECT, "accounts:batchCreate", {
            "users": [{"localId": "a", "displayName": "A"}, {"localId": "a", "displayName": "B"}]})
        if not self.production:
            return self.refused(answer, "DUPLICATE_LOCAL_ID")
        self.granted(answer)
        self.assertEqual([user.display_name for user in auth.list_users().users], ["B"])
