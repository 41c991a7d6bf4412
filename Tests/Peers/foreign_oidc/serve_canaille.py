"""Canaille, an OpenID server of Yaal Coop, on a free port of 127.0.0.1; see serving.py.

Usage: python serve_canaille.py [METHOD...]

METHODs are the ways clients may prove themselves, as discovery names them; all that Canaille knows
when none is given.
"""
import json
import os
import secrets
import sys
import tempfile
import uuid
import warnings

import serving

# It is made for https; between two processes of one machine there is nothing to hide.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
warnings.simplefilter("ignore")

from canaille import create_app  # noqa: E402
from canaille.app import models  # noqa: E402
from canaille.backends import Backend  # noqa: E402
from canaille.oidc import provider  # noqa: E402
from joserfc.jwk import ECKey, RSAKey  # noqa: E402


def opaque(client, grant_type, user, scope):
    """An access token. Canaille's own are alike within a second, which its database refuses."""
    return secrets.token_urlsafe(36)


provider.generate_access_token = opaque


def keys():
    made = ((RSAKey.generate_key(2048, auto_kid=True), "RS256"),
            (ECKey.generate_key("P-256", auto_kid=True), "ES256"))
    return [{**key.as_dict(private=True), "use": "sig", "alg": name} for key, name in made]


def configuration(port, folder):
    return {
        "SECRET_KEY": str(uuid.uuid4()), "SERVER_NAME": f"127.0.0.1:{port}",
        "PREFERRED_URL_SCHEME": "http",
        "CANAILLE_SQL": {"DATABASE_URI": f"sqlite:///{folder}/canaille.sqlite", "AUTO_MIGRATE": True},
        "CANAILLE": {
            # The store in memory takes one person's consent for everybody's.
            "DATABASE": "sql", "JAVASCRIPT": False, "HTMX": False, "LANGUAGE": "en",
            "ACL": {"DEFAULT": {"PERMISSIONS": ["edit_self", "use_oidc"]}},
            "LOGGING": {"version": 1, "disable_existing_loggers": False}},
        # Clients of trusted domains see no consent page, and this machine is one by default.
        "CANAILLE_OIDC": {"TRUSTED_DOMAINS": ["trusted.invalid"], "ACTIVE_JWKS": keys()},
    }


def limited(app, methods):
    """The application with fewer ways for clients to prove themselves in its discovery."""

    def answer(environ, start_response):
        if not environ["PATH_INFO"].startswith("/.well-known/"):
            return app(environ, start_response)
        held = []
        body = b"".join(app(environ, lambda *head: held.append(head)))
        document = json.loads(body)
        document["token_endpoint_auth_methods_supported"] = methods
        body = json.dumps(document).encode()
        status, headers = held[0][:2]
        headers = [pair for pair in headers if pair[0].lower() != "content-length"]
        start_response(status, [*headers, ("Content-Length", str(len(body)))])
        return [body]

    return answer


def add_person(app, name, password):
    with app.app_context():
        Backend.instance.save(models.User(
            user_name=name, password=password, given_name=name.title(), family_name="Example",
            formatted_name=f"{name.title()} Example", emails=[f"{name}@canaille.example"]))


def add_client(app, id, secret, method, algorithm, redirects, afterLogout=()):
    with app.app_context():
        client = models.Client(
            client_id=id, client_secret=secret, client_name=id,
            client_uri="https://luath.example", redirect_uris=redirects,
            post_logout_redirect_uris=list(afterLogout),
            token_endpoint_auth_method=method, id_token_signed_response_alg=algorithm,
            grant_types=["authorization_code", "refresh_token"], response_types=["code"],
            scope=["openid", "profile", "email"])
        Backend.instance.save(client)
        Backend.instance.update(client, audience=[client])
        Backend.instance.save(client)


def main():
    site = serving.Site()
    with tempfile.TemporaryDirectory(prefix="canaille-") as folder:
        app = create_app(
            config=configuration(site.port, folder), env_file=None, init_backend=True)
        site.acts = {
            "person": lambda person: add_person(app, **person),
            "client": lambda client: add_client(app, **client),
            "rotate": lambda _: app.config["CANAILLE_OIDC"].update(ACTIVE_JWKS=keys()),
        }
        site.serve(limited(app, sys.argv[1:]) if len(sys.argv) > 1 else app)
        serving.obey_lines(site.base, site.obey)


if __name__ == "__main__":
    main()
