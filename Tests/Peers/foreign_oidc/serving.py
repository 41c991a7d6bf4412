"""What the foreign servers have in common: the lines they obey, and a WSGI server on a free port.

A server prints its issuer when it answers. Then it obeys lines of JSON on standard input, answers
each with a line, and ends when they end:

    {"person": {"name": "alice", "password": "…"}}
    {"client": {"id": "…", "secret": "…", "method": "…", "algorithm": "…", "redirects": ["…"]}}
    {"rotate": true}                          new keys; the old ones are not published any more
    {"at": "/token", "do": "rotate"}          the same when that path is asked for next, before it answers
    {"at": "/token", "do": "down"}            then, and until it is told to come up, nobody listens
    {"up": true}
"""
import contextlib
import json
import random
import socket
import sys
import threading
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer


def free_port():
    """A port that nothing uses, for a program that listens there later, or again.

    It is below the ports that the system gives to others meanwhile (ip(7), ip_local_port_range).
    """
    while True:
        port = random.randrange(20000, 32768)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


class Server(ThreadingMixIn, WSGIServer):
    """A WSGI server on 127.0.0.1 that can go away and come back."""

    daemon_threads = True

    def __init__(self, port):
        super().__init__(("127.0.0.1", port), Handler)
        self.at, self.act = None, None


class Handler(WSGIRequestHandler):
    def parse_request(self):
        if not super().parse_request():
            return False
        server = self.server
        if server.at and self.path.split("?")[0].rstrip("/").endswith(server.at):
            act, server.at, server.act = server.act, None, None
            return act()
        return True

    def log_message(self, *_):
        """The tests tell what goes wrong."""


class Site:
    """An application at a port, with the acts that the lines name."""

    def __init__(self):
        self.server = Server(free_port())
        self.port = self.server.server_port
        self.base = f"http://127.0.0.1:{self.port}"
        self.acts = {}
        self.is_down = False

    def serve(self, app):
        self.server.set_app(app)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def down(self):
        """From now on connections are refused; the request that asked gets no answer."""
        self.is_down = True
        self.server.socket.close()
        threading.Thread(target=self.server.shutdown, daemon=True).start()
        return False

    def up(self):
        if not self.is_down:
            self.server.at, self.server.act = None, None
            return
        self.is_down = False
        app = self.server.get_app()
        self.server = Server(self.port)
        self.serve(app)

    def rotate(self):
        self.acts["rotate"](True)
        return True

    def obey(self, line):
        if "at" in line:
            self.server.act = {"rotate": self.rotate, "down": self.down}[line["do"]]
            self.server.at = line["at"]
        elif "up" in line:
            self.up()
        else:
            for name, value in line.items():
                self.acts[name](value)


def obey_lines(issuer, obey):
    print(issuer, flush=True)
    for line in sys.stdin:
        obey(json.loads(line))
        print("done", flush=True)
