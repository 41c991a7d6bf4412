"""Kills `luath emulator --state FILE` under load and looks whether anything acknowledged is lost.

Usage: python kill_under_load.py [ROUNDS [SEED]]

In each round several writers create, change, import and delete accounts, each its own, until
SIGKILL comes after a number of acknowledged writes that the seed tells. Then the emulator is started
again on the same file. What each writer was told must be there, and of the one request that was
under way either all or nothing. Ends with a line of counts, of rounds.
"""
import copy
import http.client
import json
import pathlib
import random
import sys
import tempfile
import threading
import urllib.parse

from emulator import PATIENCE, Connection, Emulator

PROJECT = "demo-luath"
WRITERS = 6
PASSWORD = "correct horse"


class Refused(Exception):
    """The emulator answered a proper request with something else than 200."""


class Writer:
    """One client, and what it knows of its own accounts."""

    def __init__(self, name):
        self.name = name
        self.count = 0
        self.accounts = {}
        # What the request under way would make of them; None between requests.
        self.pending = None
        self.problem = None

    def run(self, port, seed, acknowledged):
        """Writes until the emulator is gone."""
        chance = random.Random(seed)
        try:
            connection = Connection(port)
            while True:
                self.count += 1
                after = copy.deepcopy(self.accounts)
                self.pending = after
                made = self.write(connection, chance, after)
                self.accounts, self.pending = made or after, None
                acknowledged()
        except (OSError, http.client.HTTPException):
            pass
        except Exception as problem:
            self.problem = problem
            acknowledged()

    def write(self, http, chance, after):
        """Sends one request; `after` becomes what the accounts are when it is acknowledged."""
        kinds = [self.sign_up] * 4 + [self.import_many]
        if after:
            kinds += [self.change] * 4 + [self.link] * 2 + [self.new_password] * 2
            kinds += [self.delete] * 2 + [self.delete_many]
        chance.choice(kinds)(http, chance, after)

    def sign_up(self, http, chance, after):
        email = f"{self.name}-{self.count}@example.com"
        # The id is chosen here: of a request under way, no answer told it.
        uid = f"{self.name}-{self.count}"
        after[uid] = {"email": email, "password": PASSWORD, "providers": {"password": email}}
        self.ask(http, "accounts", {"localId": uid, "email": email, "password": PASSWORD})

    def change(self, http, chance, after):
        uid = chance.choice(sorted(after))
        # One request, three fields: half of it would show.
        phone = f"+1555{int(self.name[1:]):02}{self.count:07}"
        after[uid] |= {
            "displayName": f"name {self.count}", "customAttributes": f'{{"n":{self.count}}}',
            "phoneNumber": phone}
        after[uid]["providers"]["phone"] = phone
        self.ask(http, "accounts:update", {
            "localId": uid, "displayName": f"name {self.count}", "phoneNumber": phone,
            "customAttributes": f'{{"n":{self.count}}}'})

    def link(self, http, chance, after):
        uid, raw = chance.choice(sorted(after)), f"{self.name}-{self.count}"
        after[uid]["providers"]["google.com"] = raw
        self.ask(http, "accounts:update", {
            "localId": uid, "linkProviderUserInfo": {"providerId": "google.com", "rawId": raw}})

    def new_password(self, http, chance, after):
        uid = chance.choice(sorted(after))
        after[uid]["password"] = f"{PASSWORD} {self.count}"
        after[uid]["providers"]["password"] = after[uid]["email"]
        self.ask(http, "accounts:update", {"localId": uid, "password": f"{PASSWORD} {self.count}"})

    def import_many(self, http, chance, after):
        uids = [f"{self.name}-{self.count}-{number}" for number in range(20)]
        for uid in uids:
            after[uid] = {"email": f"{uid}@example.com", "providers": {}}
        answer = self.ask(http, "accounts:batchCreate", {
            "users": [{"localId": uid, "email": f"{uid}@example.com"} for uid in uids]})
        if answer.get("error"):
            raise Refused(json.dumps(answer))

    def delete(self, http, chance, after):
        uid = chance.choice(sorted(after))
        del after[uid]
        self.ask(http, "accounts:delete", {"localId": uid})

    def delete_many(self, http, chance, after):
        uids = chance.sample(sorted(after), min(10, len(after)))
        for uid in uids:
            del after[uid]
        self.ask(http, "accounts:batchDelete", {"localIds": uids, "force": True})

    @staticmethod
    def ask(http, operation, body):
        answer = http.admin(PROJECT, operation, body)
        if answer.status != 200:
            raise Refused(f"{operation}: {answer.status} {answer.raw[:300]}")
        return answer.body


def load(port, writers, chance):
    """Lets the writers write; returns after the number of acknowledged writes that chance says."""
    enough = threading.Event()
    lock, left = threading.Lock(), chance.randint(1, 600)

    def acknowledged():
        nonlocal left
        with lock:
            left -= 1
        if left <= 0 or any(writer.problem for writer in writers):
            enough.set()

    threads = [
        threading.Thread(target=writer.run, args=(port, chance.random(), acknowledged))
        for writer in writers
    ]
    for thread in threads:
        thread.start()
    return threads, enough


def stored(http):
    """All accounts of the project, as far as the writers set them."""
    found, token = {}, ""
    while token is not None:
        query = urllib.parse.urlencode({"maxResults": 1000, "nextPageToken": token})
        answer = http.admin(PROJECT, f"accounts:batchGet?{query}", None, "GET")
        if answer.status != 200:
            raise Refused(f"the listing: {answer.status} {answer.raw[:300]}")
        page = answer.body
        for user in page["users"]:
            kept = {
                name: user[name]
                for name in ("email", "displayName", "phoneNumber", "customAttributes")
                if name in user
            }
            kept["providers"] = {
                way["providerId"]: way["rawId"] for way in user.get("providerUserInfo", ())}
            found[user["localId"]] = kept
        token = page.get("nextPageToken") or None
    return found


def shown(accounts):
    """Accounts as a listing shows them: without passwords."""
    return {
        uid: {name: value for name, value in account.items() if name != "password"}
        for uid, account in accounts.items()
    }


def problems(http, writers, chance):
    """What the emulator does not know any more, or knows wrongly; settles what was under way."""
    found = stored(http)
    for writer in writers:
        mine = {uid: user for uid, user in found.items() if uid.split("-")[0] == writer.name}
        if writer.problem:
            yield f"{writer.name}: {type(writer.problem).__name__}: {writer.problem}"
        told, begun = writer.accounts, writer.pending
        if fits(http, told, begun or told, mine):
            now = told
        elif begun is not None and fits(http, begun, told, mine):
            now = begun
        else:
            yield f"{writer.name}: {difference(shown(told), mine)}"
            continue
        writer.accounts, writer.pending = now, None
        yield from unusable(http, chance.sample(sorted(now), min(5, len(now))), now)


def fits(http, accounts, others, found):
    """Whether these accounts are what was found; passwords are asked for where the others differ."""
    return shown(accounts) == found and all(
        signs_in(http, account)
        for uid, account in accounts.items()
        if account.get("password") != others.get(uid, {}).get("password"))


def unusable(http, uids, accounts):
    """What indices or passwords did not come back."""
    for uid in uids:
        account = accounts[uid]
        keys = [{"email": [account["email"]]}]
        if "phoneNumber" in account:
            keys.append({"phoneNumber": [account["phoneNumber"]]})
        for provider, raw in account["providers"].items():
            if provider == "google.com":
                keys.append({"federatedUserId": [{"providerId": provider, "rawId": raw}]})
        for key in keys:
            users = http.admin(PROJECT, "accounts:lookup", key).body.get("users", [])
            if [user["localId"] for user in users] != [uid]:
                yield f"{uid} is not found by {key}"
        if not signs_in(http, account):
            yield f"{uid} cannot sign in"


def signs_in(http, account):
    if "password" not in account:
        return True
    body = {"email": account["email"], "password": account["password"]}
    return http.client("accounts:signInWithPassword", body).status == 200


def difference(told, found):
    lost = sorted(told.keys() - found.keys())
    extra = sorted(found.keys() - told.keys())
    other = sorted(uid for uid in told.keys() & found.keys() if told[uid] != found[uid])
    example = f", such as {told[other[0]]} now {found[other[0]]}" if other else ""
    return f"lost {lost[:5]}, unknown {extra[:5]}, different {other[:5]}{example}"


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(2**32)
    chance = random.Random(seed)
    writers = [Writer(f"w{number}") for number in range(WRITERS)]
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="luath-state-") as folder:
        state = pathlib.Path(folder) / "state.db"
        for number in range(1, rounds + 1):
            emulator = Emulator("--state", state)
            threads, enough = load(emulator.port, writers, chance)
            enough.wait(PATIENCE)
            emulator.kill()
            for thread in threads:
                thread.join(PATIENCE)
            try:
                with Emulator("--state", state) as emulator:
                    http = Connection(emulator.port)
                    found = list(problems(http, writers, chance))
                    http.close()
            except (Refused, RuntimeError, OSError) as problem:
                found = [f"after the restart: {problem}"]
            if found:
                failed += 1
                print(f"✘ round {number} of seed {seed}", *found[:20], sep="\n    ", flush=True)
                break
            passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
