"""TLS in front of an emulator, as Google's hosts have it: nginx, with certificates made for the day."""
import contextlib
import os
import pathlib
import shutil
import signal
import socket
import ssl
import subprocess

PATIENCE = 120
# Google's hosts, which the emulator serves under their names.
HOSTS = [
    "identitytoolkit.googleapis.com", "securetoken.googleapis.com", "www.googleapis.com"]
TOKEN_HOST = "oauth2.googleapis.com"
NGINX = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")


def openssl(*arguments):
    done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"openssl {arguments[0]}: {done.stderr}")


class Authority:
    """A certificate authority that nobody trusts unless told to."""

    KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc")

    def __init__(self, folder, name):
        self.folder, self.name = folder, name
        self.certificate = folder / f"{name}.pem"
        self.key = folder / f"{name}.key"
        openssl("req", "-x509", *self.KEY, "-days", 2, "-subj", f"/CN=throw-away {name}",
                "-keyout", self.key, "-out", self.certificate)

    def issue(self, name, hosts, days=2):
        """Certificate and key of a server; with fewer than no days it has expired."""
        request, names = self.folder / f"{name}.csr", self.folder / f"{name}.names"
        certificate, key = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        names.write_text("subjectAltName=" + ",".join(f"DNS:{host}" for host in hosts) + "\n")
        openssl("req", *self.KEY, "-subj", "/CN=server", "-keyout", key, "-out", request)
        openssl("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self.key,
                "-CAcreateserial", "-days", days, "-extfile", names, "-out", certificate)
        return certificate, key


class Front:
    """nginx on free ports: one as it should be, one that ends connections soon, one with an expired
    certificate, one with another's."""

    def __init__(self, folder, emulator, tokens, project):
        self.folder = folder
        self.emulator, self.tokens = emulator, tokens
        self.log = folder / "requests.log"
        self.authority = Authority(folder, "authority")
        domain = f"{project}.firebaseapp.com"
        self.hosts = [*HOSTS, TOKEN_HOST, domain]
        pairs = {
            "good": self.authority.issue("good", self.hosts),
            "brief": self.authority.issue("brief", self.hosts),
            "expired": self.authority.issue("expired", self.hosts, days=-1),
            "stranger": self.authority.issue("stranger", ["www.example.com"]),
        }
        # They listen before nginx starts, which takes them over: no port is chosen twice.
        listeners = {name: socket.create_server(("127.0.0.1", 0)) for name in pairs}
        for each in listeners.values():
            each.setblocking(False)
        self.ports = {name: each.getsockname()[1] for name, each in listeners.items()}
        servers = "\n".join(
            self._server(self.ports[name], *pair, domain, requests=7 if name == "brief" else 1000)
            for name, pair in pairs.items())
        configuration = folder / "nginx.conf"
        configuration.write_text(self._configuration(servers))
        descriptors = [each.fileno() for each in listeners.values()]
        self.words = open(folder / "nginx.words", "w+")
        self.process = subprocess.Popen(
            [NGINX, "-p", folder, "-e", "stderr", "-c", configuration],
            env={**os.environ, "NGINX": "".join(f"{number};" for number in descriptors)},
            pass_fds=descriptors, stdin=subprocess.DEVNULL, stdout=self.words, stderr=self.words)
        for each in listeners.values():
            each.close()
        self._wait(domain)

    def _configuration(self, servers):
        places = "\n".join(
            f"  {kind}_temp_path {self.folder}/{kind};"
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        # The worker of a root's nginx would be somebody who may not enter the folder.
        user = "user root;" if os.geteuid() == 0 else ""
        return f"""
daemon off;
{user}
worker_processes 1;
pid {self.folder}/nginx.pid;
events {{}}
http {{
  log_format seen '$host $request_method $uri $status $server_protocol "$http_x_ios_bundle_identifier"';
  access_log {self.log} seen;
{places}
  proxy_http_version 1.1;
{servers}
}}
"""

    def _server(self, port, certificate, key, domain, requests):
        """The emulator has each host under its name; only the project's own pages are at the root."""
        common = f"""
    listen 127.0.0.1:{port} ssl http2;
    ssl_certificate {certificate};
    ssl_certificate_key {key};
    keepalive_requests {requests};
"""
        return f"""
  server {{{common}
    server_name {" ".join(HOSTS)};
    location / {{ proxy_pass http://127.0.0.1:{self.emulator}/$host$request_uri; }}
  }}
  server {{{common}
    server_name {TOKEN_HOST};
    location / {{ proxy_pass http://127.0.0.1:{self.tokens}; }}
  }}
  server {{{common}
    server_name {domain};
    location / {{ proxy_pass http://127.0.0.1:{self.emulator}$request_uri; }}
  }}"""

    def _wait(self, domain):
        """The listeners queue what comes, so that one answered handshake says it is ready."""
        context = ssl.create_default_context(cafile=self.authority.certificate)
        try:
            with socket.create_connection(("127.0.0.1", self.ports["good"]), PATIENCE) as plain:
                context.wrap_socket(plain, server_hostname=domain).close()
        except OSError as problem:
            self.process.kill()
            self.words.seek(0)
            raise RuntimeError(f"nginx did not start ({problem}):\n{self.words.read()}") from None

    def requests(self):
        """What came through since the last call: host, method, path, status, protocol, bundle id."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.write_text("")
        return [line.split(" ") for line in lines]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(PATIENCE)
        self.process.kill()
        self.process.wait()
        self.words.close()
