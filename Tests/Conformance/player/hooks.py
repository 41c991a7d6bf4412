"""A stand-in for the servers of blocking functions."""

import http.server
import json
import threading
import time


class Hooks:
    """A small local server that stands in for blocking functions and keeps what it was sent."""

    def __init__(self, routes):
        self.routes, self.seen = routes, []
        hooks = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                try:
                    body = json.loads(sent)
                except ValueError:
                    body = sent.decode("utf-8", "replace")
                media_type = self.headers.get("Content-Type", "").split(";")[0]
                hooks.seen.append({"path": self.path, "type": media_type, "body": body})
                route = hooks.routes.get(self.path, {"status": 404, "text": "no such hook"})
                # A deadline is what such a scenario is about: only time passing shows it.
                time.sleep(route.get("delay_ms", 0) / 1000)
                answer = route["text"] if "text" in route else json.dumps(route.get("json", {}))
                try:
                    self.send_response(route.get("status", 200))
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(answer.encode())))
                    self.end_headers()
                    self.wfile.write(answer.encode())
                except OSError:
                    pass  # the caller gave up before

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.server.server_port}"
        # Closing waits for the end of an interval.
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def take(self):
        seen, self.seen = self.seen, []
        return seen

    def close(self):
        self.server.shutdown()
        self.server.server_close()
