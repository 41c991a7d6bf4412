"""The emulator's page for people in a real browser: live, in both colour schemes, on a telephone.

Usage: dashboard_browser.py [FOLDER]; with a folder it leaves screenshots there.
"""
import pathlib
import subprocess
import sys
import unittest

import checks
from browser_case import BrowserCase
from emulator import PATIENCE, Emulator, program

HERE = pathlib.Path(__file__).resolve().parent

PROJECT = "/emulator/ui/projects/demo-luath"


class DashboardCase(BrowserCase):
    rules = "compatible"

    def sign_up(self, email, password="correct horse"):
        answer = self.http.client("accounts:signUp", {
            "email": email, "password": password, "returnSecureToken": True})
        self.assertEqual(answer.status, 200, answer.error)
        return answer.body["localId"]

    def user(self, uid):
        users = self.http.admin("demo-luath", "accounts:lookup", {"localId": [uid]}).body
        return users.get("users", [None])[0]


class Live(DashboardCase):
    def test_a_sign_up_appears_without_loading_the_page_again(self):
        self.open("/")
        self.wait_for("Live", "#live")
        self.assertIn("Nothing yet", self.browser.text())
        self.browser.run("window.untouched = true")
        self.sign_up("ada@b.example")
        self.wait_for("ada@b.example signed up")
        self.assertEqual(self.browser.text("#projects td.num"), "1")
        self.assertTrue(self.browser.run("return window.untouched"))
        self.picture("overview")

    def test_requests_and_users_appear_in_their_lists(self):
        self.open("/emulator/ui/log")
        self.wait_for("Live", "#live")
        self.sign_up("ada@b.example")
        self.wait_for("signUp", "#log")
        self.picture("requests")
        self.browser.click("#log tbody a")
        self.wait_for("idToken")
        self.assertNotIn("correct horse", self.browser.run("return document.body.innerHTML"))
        self.picture("request")
        self.open(f"{PROJECT}/users")
        self.wait_for("Live", "#live")
        self.sign_up("grace@b.example")
        self.wait_for("grace@b.example", "#users")
        self.picture("users")

    def test_what_somebody_types_stays_when_something_happens(self):
        uid = self.sign_up("ada@b.example")
        self.open(f"{PROJECT}/user?uid={uid}")
        self.wait_for("Live", "#live")
        self.browser.type("#f-displayName", "half a na")
        self.http.client("accounts:signInWithPassword", {
            "email": "ada@b.example", "password": "correct horse"})
        self.http.admin("demo-luath", "accounts:update", {
            "localId": uid, "validSince": "1999999999"})
        self.wait_for("2033", "#facts")
        self.assertEqual(
            self.browser.run("return document.getElementById('f-displayName').value"), "half a na")

    def test_pause_holds_the_page_still(self):
        self.open("/")
        self.wait_for("Live", "#live")
        self.browser.click("#pause")
        self.wait_for("Paused", "#live")
        self.sign_up("ada@b.example")
        self.assertIn("Nothing yet", self.browser.text())
        self.browser.click("#pause")
        self.wait_for("ada@b.example signed up")

    def test_a_hostile_name_is_text_in_a_live_list(self):
        self.open(f"{PROJECT}/users")
        self.wait_for("Live", "#live")
        name = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
        self.http.admin("demo-luath", "accounts", {"displayName": name})
        self.wait_for(name, "#users")
        self.assertEqual(self.browser.run("return document.querySelectorAll('#users img').length"), 0)
        self.assertNotEqual(self.browser.run("return document.title"), "owned")


class Changes(DashboardCase):
    def test_a_user_is_edited_disabled_and_deleted(self):
        uid = self.sign_up("ada@b.example")
        self.open(f"{PROJECT}/users")
        self.browser.click("#users tbody a")
        self.browser.type("#f-displayName", "Ada Lovelace")
        self.browser.click("input[name=emailVerified]")
        self.picture("user")
        self.browser.click("button[value=profile]")
        self.wait_for("Saved.")
        self.wait_for("Ada Lovelace", "h1")
        self.assertEqual(self.user(uid)["displayName"], "Ada Lovelace")
        self.assertTrue(self.user(uid)["emailVerified"])
        self.browser.click("button[value=disable]")
        self.wait_for("is disabled")
        self.assertTrue(self.user(uid)["disabled"])
        refused = self.http.client("accounts:signInWithPassword", {
            "email": "ada@b.example", "password": "correct horse"})
        self.assertEqual(refused.error, "USER_DISABLED")
        self.browser.click("form:last-of-type summary")
        self.browser.click("button[value=delete]")
        self.wait_for("has been deleted")
        self.assertIsNone(self.user(uid))

    def test_a_moved_clock_is_seen_at_once_and_faults_are_edited(self):
        self.open("/emulator/ui/faults")
        self.wait_for("Live", "#live")
        self.assertEqual(self.browser.text("#clock"), "")
        self.http.send("PATCH", "/emulator/v1/clock", {"advanceSeconds": 7500})
        self.wait_for("Clock +2 h 5 min", "#clock")
        self.browser.type("#f-operation", "signUp")
        self.browser.type("#f-error", "QUOTA_EXCEEDED")
        self.browser.click("button[value=add]")
        self.wait_for("QUOTA_EXCEEDED", "#faults")
        self.assert_readable()
        self.picture("faults")
        refused = self.http.client("accounts:signUp", {})
        self.assertIn("QUOTA_EXCEEDED", refused.error)
        self.wait_for("1", "#faults tbody td:nth-child(4)")
        self.browser.click("#faults button[value=remove]")
        self.wait_for("No faults", "#faults")

    def test_an_e_mail_is_shown_as_text_and_as_html(self):
        self.sign_up("ada@b.example")
        self.http.client("accounts:sendOobCode", {
            "requestType": "PASSWORD_RESET", "email": "ada@b.example"})
        self.open(f"{PROJECT}/codes")
        self.picture("messages")
        self.browser.click("#mails tbody a")
        self.wait_for("Your demo-luath team")
        self.assert_readable()
        self.picture("message")
        self.browser.call("POST", f"{self.browser.session}/frame", {"id": 0})
        self.browser.until(lambda: "Your demo-luath team" in self.browser.text("body"))
        self.browser.call("POST", f"{self.browser.session}/frame", {"id": None})

    def test_the_keyboard_reaches_the_content_first(self):
        self.open("/")
        self.wait_for("Live", "#live")
        tab = {"actions": [{"type": "key", "id": "keys", "actions": [
            {"type": "keyDown", "value": "\ue004"}, {"type": "keyUp", "value": "\ue004"}]}]}
        self.browser.call("POST", f"{self.browser.session}/actions", tab)
        self.assertEqual(self.browser.run("return document.activeElement.className"), "skip")

    def test_every_field_has_a_label_and_every_table_heads(self):
        uid = self.sign_up("ada@b.example")
        self.http.client("accounts:sendOobCode", {
            "requestType": "PASSWORD_RESET", "email": "ada@b.example"})
        for path in ("/", "/emulator/ui/log", f"{PROJECT}/users", f"{PROJECT}/user?uid={uid}",
                     f"{PROJECT}/codes", f"{PROJECT}/settings", f"{PROJECT}/new-user",
                     "/emulator/ui/rules", "/emulator/ui/faults"):
            with self.subTest(path):
                self.open(path)
                self.assert_readable()


class Telephone(DashboardCase):
    options = {"dark": True, "size": (390, 844)}

    def test_no_page_is_wider_than_the_screen(self):
        uid = self.sign_up("a.rather.long.address.of.somebody@department.contoso.example")
        self.http.client("accounts:sendOobCode", {
            "requestType": "PASSWORD_RESET",
            "email": "a.rather.long.address.of.somebody@department.contoso.example"})
        for name, path in (
                ("overview", "/"), ("requests", "/emulator/ui/log"), ("users", f"{PROJECT}/users"),
                ("user", f"{PROJECT}/user?uid={uid}"), ("codes", f"{PROJECT}/codes"),
                ("request", "/emulator/ui/log/1"), ("rules", "/emulator/ui/rules"),
                ("faults", "/emulator/ui/faults"),
                ("message", f"{PROJECT}/message?number=1")):
            with self.subTest(path):
                self.open(path)
                self.picture(f"telephone-{name}")
                self.assertLessEqual(
                    self.browser.run("return document.documentElement.scrollWidth"), 390)


class ByLuath(unittest.TestCase):
    def test_luath_finds_and_changes_somebody_there(self):
        with Emulator("--rules", "compatible") as emulator:
            done = subprocess.run(
                [program(), "run", "--target", emulator.host, HERE / "console.lua"],
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "done\n", ""))


class WithoutScripts(DashboardCase):
    options = {"scripts": False}

    def test_forms_work(self):
        uid = self.sign_up("ada@b.example")
        self.open(f"{PROJECT}/user?uid={uid}")
        self.browser.type("#f-displayName", "Ada")
        self.browser.click("button[value=profile]")
        self.wait_for("Saved.")
        self.assertEqual(self.user(uid)["displayName"], "Ada")
        self.assertEqual(self.browser.text("#live"), "")


def main():
    BrowserCase.keep_pictures(sys.argv[1:])
    return checks.run([Live, Changes, Telephone, WithoutScripts, ByLuath], "browser")


if __name__ == "__main__":
    sys.exit(main())
