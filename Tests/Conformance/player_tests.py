"""Tests of replay.py against a server that always gives the same answers."""
import http.server
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

HERE = pathlib.Path(__file__).resolve().parent
BROKEN_JSON = {"error": {"code": 400, "message": "Invalid JSON payload received. Unexpected token.", "errors": [
    {"message": "Invalid JSON payload received. Unexpected token.", "reason": "parseError"}]}}
ANSWERS = {"/parse": (400, BROKEN_JSON), "/named": (200, {"url": "https://demo-player.web.app", "id": "demo-players"})}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        status, answer = ANSWERS.get(self.path, (200, {}))
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_PATCH = do_DELETE = do_GET

    def log_message(self, *_):
        """Nothing is printed."""


class Player(unittest.TestCase):
    def setUp(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        folder = tempfile.TemporaryDirectory(prefix="luath-player-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, path, **step):
        scenario = {"name": name, "steps": [{"name": "step", "path": path, **step}]}
        (self.folder / f"{name}.json").write_text(json.dumps(scenario), encoding="utf-8")

    def play(self, *options):
        return subprocess.run(
            [sys.executable, HERE / "replay.py", "--project", "demo-player", *options,
             f"http://127.0.0.1:{self.server.server_port}", self.folder],
            capture_output=True, text=True, check=False)

    def test_an_error_in_one_scenario_does_not_end_the_others(self):
        fine = {"status": 200, "body": {}}
        self.write("builder", "/fine", body={"code": {"$totp": 7}}, expect=fine)
        self.write("fine", "/fine", body={"code": {"$totp": "JBSWY3DPEHPK3PXP"}}, expect=fine)
        (self.folder / "broken.json").write_text("{", encoding="utf-8")
        (self.folder / "empty.json").write_text("{}", encoding="utf-8")
        played = self.play()
        self.assertEqual(played.returncode, 1, played.stderr)
        self.assertIn("scenarios: 1 passed, 3 failed", played.stdout)
        self.assertIn("not run: TypeError", played.stdout)
        self.assertIn("not run: JSONDecodeError", played.stdout)

    def test_the_text_of_an_engine_is_not_compared_where_the_scenario_says_so(self):
        message = "Invalid JSON payload received. "
        for name, detail in (("any", "<detail>"), ("same", "Unexpected token."), ("other", "Expected a value.")):
            text = message + detail
            errors = [{"message": text, "reason": "parseError"}]
            self.write(name, "/parse", expect={
                "status": 400, "body": {"error": {"code": 400, "message": text, "errors": errors}}})
        played = self.play()
        self.assertIn("scenarios: 2 passed, 1 failed", played.stdout)
        self.assertIn("other.json", played.stdout)

    def test_a_recording_has_no_text_of_an_engine_and_no_name_of_the_project(self):
        self.write("parse", "/parse")
        self.write("named", "/named")
        self.play("--record")
        recorded = {path.stem: json.loads(path.read_text())["steps"][0]["expect"]["body"]
                    for path in self.folder.glob("*.json")}
        self.assertEqual(recorded["parse"]["error"]["message"], "Invalid JSON payload received. <detail>")
        self.assertEqual(recorded["named"], {"url": "https://<project>.web.app", "id": "demo-players"})
        self.assertEqual(self.play().returncode, 0)
