"""Tokens that others make, verified by luath, and luath's, verified by others."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import jwt  # noqa: E402
from cryptography import x509  # noqa: E402
from cryptography.hazmat.primitives.serialization import (  # noqa: E402
    Encoding, PublicFormat, load_pem_private_key)

import checks  # noqa: E402
import signer  # noqa: E402
from emulator import PATIENCE, Emulator, program  # noqa: E402
from signer import PROJECT, Key, claims, cookie_claims, encoded  # noqa: E402

HOUR = 3600
world = None


def luath(script, host, *arguments):
    """What a script prints, as JSON."""
    done = subprocess.run(
        [program(), "run", "--target", host, "--timeout", "1m", HERE / script, "--", *arguments],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
    if (done.returncode, done.stderr) != (0, ""):
        raise AssertionError(f"{script} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout)


class World:
    """The keys of a foreign signer, and luath's emulator."""

    def __init__(self, emulator):
        self.emulator = emulator
        self.python, self.jose = Key("python-1"), Key("jose-1", by_jose=True)
        self.cookies, self.stranger = Key("cookies-1"), Key("stranger-1")


class ForeignTokens(unittest.TestCase):
    """Made by PyJWT and José's command, verified by luath."""

    def verified(self, cases):
        """What luath says of each token, and which pages of the signer it asked for."""
        with signer.Server([world.python, world.jose], [world.cookies]) as server, \
                tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump([
                {"name": name, "kind": "idToken", **(case if isinstance(case, dict) else
                                                     {"token": case})}
                for name, case in cases.items()], file)
            file.flush()
            results = luath("verify.lua", server.host, file.name)
            self.assertEqual(set(results), set(cases))
            return results, server.asked

    def refused(self, code, cases):
        results, asked = self.verified(cases)
        for name, result in results.items():
            with self.subTest(token=name):
                self.assertEqual(result.get("code"), code, result)
                self.assertTrue(result["hint"])
        return results, asked

    def test_good_tokens_of_both(self):
        results, asked = self.verified({
            "PyJWT": world.python.by_pyjwt(claims()),
            "jose": world.jose.by_jose(claims()),
            "PyJWT with the key of jose": world.jose.by_pyjwt(claims()),
            "jose with the key of PyJWT": world.python.by_jose(claims()),
            "cookie by PyJWT": {
                "kind": "cookie", "token": world.cookies.by_pyjwt(cookie_claims())},
            "cookie by jose": {
                "kind": "cookie", "token": world.cookies.by_jose(cookie_claims())},
            "of a tenant": {"tenant": "red", "token": world.python.by_pyjwt(
                claims(firebase={"tenant": "red"}))},
        })
        for name, result in results.items():
            with self.subTest(token=name):
                self.assertEqual(result, {"uid": "ada", "plan": "gold"})
        # Once for each kind, however many tokens there are.
        self.assertEqual(sorted(asked), sorted(set(asked)))

    def test_unsigned(self):
        none = jwt.encode(claims(), None, algorithm="none")
        head, body, _ = world.python.by_pyjwt(claims()).split(".")
        self.refused("invalidIDToken", {
            "by PyJWT": none,
            "with a name": jwt.encode(
                claims(), None, algorithm="none", headers={"kid": "python-1"}),
            "in capitals": encoded(b'{"alg":"NONE","kid":"python-1"}') + f".{body}.",
            "with the signature cut off": f"{head}.{body}.",
        })

    def test_hmac_with_the_public_key_as_secret(self):
        key = world.python
        secrets = {
            "certificate": world.python.certificate.encode(),
            "PEM": key.public(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
            "PEM of PKCS 1": key.public(Encoding.PEM, PublicFormat.PKCS1),
            "DER": key.public(Encoding.DER, PublicFormat.SubjectPublicKeyInfo),
            "modulus": key.jwk["n"].encode(), "nothing": b"",
        }
        cases = {name: signer.with_hmac(claims(), secret, kid=key.name)
                 for name, secret in secrets.items()}
        cases["called RS256"] = signer.with_hmac(
            claims(), secrets["PEM"], kid=key.name, alg="RS256")
        self.refused("invalidIDToken", cases)

    def test_other_algorithms(self):
        cases = {
            f"{algorithm} by PyJWT": world.python.by_pyjwt(claims(), algorithm)
            for algorithm in ("RS384", "RS512", "PS256", "PS512")}
        cases |= {f"{algorithm} by jose": world.jose.by_jose(claims(), algorithm)
                  for algorithm in ("RS384", "RS512", "PS256")}
        self.refused("invalidIDToken", cases)

    def test_other_keys(self):
        stranger = world.stranger
        as_python = {"kid": "python-1"}
        embedded = {name: stranger.jwk[name] for name in ("kty", "n", "e")}
        results, asked = self.refused("invalidIDToken", {
            "under its own name": stranger.by_pyjwt(claims()),
            "under the signer's name": stranger.by_pyjwt(claims(), **as_python),
            "under the signer's name, by jose": stranger.by_jose(claims(), **as_python),
            "that the token brings along": stranger.by_pyjwt(claims(), jwk=embedded, **as_python),
            "that the token says where to get": stranger.by_pyjwt(
                claims(), jku="https://www.googleapis.com/keys", x5u="https://a.example/",
                **as_python),
            "of session cookies": world.cookies.by_pyjwt(claims()),
            "of session cookies under the signer's name": world.cookies.by_pyjwt(
                claims(), **as_python),
            "without a name": world.python.by_pyjwt(claims(), kid=None),
            "of an empty name": world.python.by_pyjwt(claims(), kid=""),
            "named by a path": world.python.by_pyjwt(claims(), kid="../python-1"),
            "of jose under PyJWT's name": world.jose.by_pyjwt(claims(), **as_python),
        })
        # Names of nobody are looked for once more at most.
        self.assertLessEqual(len(asked), 2)
        self.assertEqual(set(asked), {"/www.googleapis.com" + signer.ID_TOKENS})
        self.refused("invalidSessionCookie", {
            "by the key of ID tokens": {
                "kind": "cookie", "token": world.python.by_pyjwt(cookie_claims())},
            "an ID token": {"kind": "cookie", "token": world.python.by_pyjwt(claims())},
        })

    def test_wrong_claims(self):
        now = claims()["iat"] + 50
        wrong = {
            "audience": {"aud": "another"}, "no audience": {"aud": None},
            "two audiences": {"aud": [PROJECT, "another"]},
            "issuer": {"iss": "https://securetoken.google.com/another"},
            "issuer of cookies": {"iss": f"https://session.firebase.google.com/{PROJECT}"},
            "no issuer": {"iss": None}, "no subject": {"sub": None}, "empty subject": {"sub": ""},
            "long subject": {"sub": "u" * 129}, "issued in the future": {"iat": now + 600},
            "not valid yet": {"nbf": now + 600}, "signed in in the future": {"auth_time": now + 600},
            "never issued": {"iat": None}, "never signed in": {"auth_time": None},
            "without an end": {"exp": None}, "of a custom token": {
                "aud": "https://identitytoolkit.googleapis.com/"
                       "google.identity.identitytoolkit.v1.IdentityToolkit"},
        }
        self.refused("invalidIDToken", {
            name: world.python.by_pyjwt(claims(**change)) for name, change in wrong.items()})
        self.refused("idTokenExpired", {
            "a second ago": world.python.by_pyjwt(claims(exp=now - 1)),
            "a day ago, by jose": world.jose.by_jose(claims(exp=now - 86_400)),
        })
        self.refused("sessionCookieExpired", {"cookie": {
            "kind": "cookie", "token": world.cookies.by_pyjwt(cookie_claims(exp=now - 1))}})

    def test_wrong_tenants(self):
        self.refused("tenantIDMismatch", {
            "another": {"tenant": "red", "token": world.python.by_pyjwt(
                claims(firebase={"tenant": "blue"}))},
            "none": {"tenant": "red", "token": world.python.by_pyjwt(claims())},
            "a cookie's": {"tenant": "red", "kind": "cookie", "token": world.cookies.by_pyjwt(
                cookie_claims(firebase={"tenant": "blue"}))},
        })

    def test_bent_tokens(self):
        good = world.python.by_pyjwt(claims())
        head, body, signature = good.split(".")
        other = world.python.by_pyjwt(claims(sub="eve")).split(".")[1]
        self.refused("invalidIDToken", {
            "another payload": f"{head}.{other}.{signature}",
            "another header": f"{encoded(json.dumps({'alg': 'RS256', 'kid': 'jose-1'}).encode())}"
                              f".{body}.{signature}",
            "a bent signature": f"{head}.{body}.{signature[:-8]}AAAAAAAA",
            "a short signature": f"{head}.{body}.{signature[:-4]}",
            "a padded signature": f"{good}==", "two parts": f"{head}.{body}",
            "four parts": f"{good}.{signature}", "a space": f"{good} ", "a line": f"{good}\n",
            "JSON": world.jose.by_jose(claims(), compact=False),
            "what nobody knows": world.python.by_pyjwt(claims(), crit=["exp"], exp=1),
            "words": "garbage", "nothing": "", "dots": "..",
        })


class OwnTokens(unittest.TestCase):
    """Made by luath and its emulator, verified by PyJWT and José's command."""

    @classmethod
    def setUpClass(cls):
        cls.issued = luath("issue.lua", world.emulator.host)

    def page(self, path):
        with urllib.request.urlopen(world.emulator.base + path, timeout=PATIENCE) as answer:
            return json.load(answer)

    def by_pyjwt(self, token, key, audience=PROJECT, **options):
        return jwt.decode(token, key, algorithms=["RS256"], audience=audience, options={
            "require": ["exp", "iat", "aud", "iss", "sub"]}, **options)

    def by_jose(self, token, keys):
        with tempfile.TemporaryDirectory() as folder:
            files = {"token": token, "keys": json.dumps(keys)}
            for name, text in files.items():
                pathlib.Path(folder, name).write_text(text, encoding="utf-8")
            done = subprocess.run(
                ["jose", "jws", "ver", "-i", f"{folder}/token", "-k", f"{folder}/keys", "-O", "-"],
                capture_output=True, text=True)
            return json.loads(done.stdout) if done.returncode == 0 else None

    def check(self, token, keys, certificates, issuer):
        """Both tools agree, by the key set and by the certificates, and refuse it bent."""
        name = jwt.get_unverified_header(token)["kid"]
        by_name = {key["kid"]: jwt.PyJWK(key).key for key in keys["keys"]}
        certificate = x509.load_pem_x509_certificate(certificates[name].encode())
        told = self.by_pyjwt(token, by_name[name], issuer=issuer)
        self.assertEqual(told, self.by_pyjwt(token, certificate.public_key(), issuer=issuer))
        self.assertEqual(told, self.by_jose(token, keys))
        self.assertEqual((told["sub"], told["plan"]), ("yahoo:Ü-1", "gold"))
        bent = token[:-8] + ("AAAAAAAA" if token[-8:] != "AAAAAAAA" else "BBBBBBBB")
        self.assertIsNone(self.by_jose(bent, keys))
        with self.assertRaises(jwt.InvalidSignatureError):
            self.by_pyjwt(bent, by_name[name], issuer=issuer)
        return told

    def test_an_id_token(self):
        signer_ = "securetoken@system.gserviceaccount.com"
        told = self.check(
            self.issued["idToken"],
            self.page(f"/www.googleapis.com/service_accounts/v1/jwk/{signer_}"),
            self.page(f"/www.googleapis.com/robot/v1/metadata/x509/{signer_}"),
            f"https://securetoken.google.com/{PROJECT}")
        self.assertEqual(told["exp"] - told["iat"], HOUR)
        self.assertEqual(told["firebase"]["sign_in_provider"], "custom")

    def test_a_session_cookie(self):
        told = self.check(
            self.issued["cookie"],
            self.page("/identitytoolkit.googleapis.com/v1/sessionCookiePublicKeys"),
            self.page("/www.googleapis.com/identitytoolkit/v3/relyingparty/publicKeys"),
            f"https://session.firebase.google.com/{PROJECT}")
        self.assertEqual(told["exp"] - told["iat"], HOUR)

    def test_a_custom_token(self):
        account = self.page(f"/emulator/v1/projects/{PROJECT}/serviceAccount")
        key = load_pem_private_key(account["private_key"].encode(), None).public_key()
        told = self.by_pyjwt(
            self.issued["custom"], key, issuer=account["client_email"],
            audience="https://identitytoolkit.googleapis.com/"
                     "google.identity.identitytoolkit.v1.IdentityToolkit")
        self.assertEqual((told["uid"], told["claims"]), ("yahoo:Ü-1", {"plan": "gold"}))
        self.assertEqual(told["sub"], account["client_email"])
        jwk = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(key))
        del jwk["key_ops"]
        self.assertEqual(self.by_jose(self.issued["custom"], jwk), told)

    def test_no_key_serves_two_purposes(self):
        names = {
            kind: jwt.get_unverified_header(token)["kid"] for kind, token in self.issued.items()}
        self.assertEqual(len(set(names.values())), 3, names)


def main():
    global world
    os.environ.pop("FIREBASE_AUTH_EMULATOR_HOST", None)
    with Emulator("--rules", "production") as emulator:
        world = World(emulator)
        return checks.run([ForeignTokens, OwnTokens], "tokens of PyJWT, jose and luath")


if __name__ == "__main__":
    sys.exit(main())
