"""Links an identity to each account of a list as people do it: firebase-admin and a pool of 32 threads."""
import concurrent.futures
import csv
import sys

import firebase_admin
from firebase_admin import auth, credentials


class Nobody(credentials.Base):
    """The emulator wants no key."""

    def get_credential(self):
        import google.auth.credentials
        return google.auth.credentials.AnonymousCredentials()


def link(row):
    # The SDK has no argument for it: the client under it sends what it is given.
    client = auth._get_client(None)
    client._user_manager._make_request(
        "post", "/accounts:update",
        json={"localId": row["uid"], "linkProviderUserInfo": {
            "providerId": "microsoft.com", "rawId": row["microsoft_id"]}})


firebase_admin.initialize_app(Nobody())
with open(sys.argv[1]) as file, concurrent.futures.ThreadPoolExecutor(32) as pool:
    rows = list(csv.DictReader(file))
    for done in pool.map(link, rows):
        pass
