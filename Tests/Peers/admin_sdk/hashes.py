"""Import of users with password hashes that other systems made.

Under production rules whoever is imported signs in with the old password. What is hashed in which
order is what Google's own integration tests of its SDKs show: HMAC takes the password first, plain
digests take the salt first, and MD5 comes as hexadecimal text.
"""
import base64
import hashlib
import hmac

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from firebase_admin import auth

from case import PROJECT, AdminCase, only

PASSWORD, SALT, KEY = b"correct horse", b"NaCl and pepper", b"secret of the old system"
NOT_KEPT = "Firebase's emulator keeps hashes and never matches them"


def firebase_scrypt(password, salt, signer_key, separator, rounds, memory_cost):
    """Firebase's own scheme: scrypt's result is the AES key that the signer key is encrypted with."""
    key = hashlib.scrypt(
        password, salt=salt + separator, n=2**memory_cost, r=rounds, p=1, dklen=64,
        maxmem=2**28)[:32]
    encryptor = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor()
    return encryptor.update(signer_key) + encryptor.finalize()


def bcrypt_vector():
    """A published pair of Openwall's bcrypt, so that no library of ours has made it."""
    return b"U*U", b"$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"


class Hashes(AdminCase):
    def imported(self, algorithm, digest, salt=SALT):
        result = auth.import_users(
            [auth.ImportUserRecord(
                "ada", email="ada@example.com", password_hash=digest, password_salt=salt)],
            hash_alg=algorithm)
        self.assertEqual(result.failure_count, 0, [error.reason for error in result.errors])

    def signs_in(self, algorithm, digest, salt=SALT, password=PASSWORD):
        self.imported(algorithm, digest, salt)
        answer = self.signed_in("ada@example.com", password.decode())
        self.assertEqual(answer["localId"], "ada")
        self.refused(
            self.sign_in("ada@example.com", "battery staple"),
            "INVALID_PASSWORD", "INVALID_LOGIN_CREDENTIALS")
        # A second time: the server may have replaced the hash with one of its own.
        self.signed_in("ada@example.com", password.decode())

    def hmac_signs_in(self, name, algorithm):
        self.signs_in(algorithm(key=KEY), hmac.digest(KEY, PASSWORD + SALT, name))

    def digest_signs_in(self, name, algorithm):
        self.signs_in(algorithm(rounds=1), hashlib.new(name, SALT + PASSWORD).digest())

    @only("compatible", "production verifies hashes instead of showing them")
    def test_an_imported_hash_is_kept_as_it_came(self):
        self.imported(auth.UserImportHash.hmac_sha256(key=KEY), b"\x00\xffhash")
        row = next(auth.list_users().iterate_all())
        self.assertEqual(base64.urlsafe_b64decode(row.password_hash), b"\x00\xffhash")
        self.assertEqual(base64.urlsafe_b64decode(row.password_salt), SALT)

    @only("production", NOT_KEPT)
    def test_hmac_sha512(self):
        self.hmac_signs_in("sha512", auth.UserImportHash.hmac_sha512)

    @only("production", NOT_KEPT)
    def test_hmac_sha256(self):
        self.hmac_signs_in("sha256", auth.UserImportHash.hmac_sha256)

    @only("production", NOT_KEPT)
    def test_hmac_sha1(self):
        self.hmac_signs_in("sha1", auth.UserImportHash.hmac_sha1)

    @only("production", NOT_KEPT)
    def test_hmac_md5(self):
        self.hmac_signs_in("md5", auth.UserImportHash.hmac_md5)

    @only("production", NOT_KEPT)
    def test_sha512(self):
        self.digest_signs_in("sha512", auth.UserImportHash.sha512)

    @only("production", NOT_KEPT)
    def test_sha256(self):
        self.digest_signs_in("sha256", auth.UserImportHash.sha256)

    @only("production", NOT_KEPT)
    def test_sha1(self):
        self.digest_signs_in("sha1", auth.UserImportHash.sha1)

    @only("production", NOT_KEPT)
    def test_md5(self):
        digest = hashlib.md5(SALT + PASSWORD).hexdigest().encode()
        self.signs_in(auth.UserImportHash.md5(rounds=0), digest)

    @only("production", NOT_KEPT)
    def test_pbkdf_sha1(self):
        digest = hashlib.pbkdf2_hmac("sha1", PASSWORD, SALT, 1000)
        self.signs_in(auth.UserImportHash.pbkdf_sha1(rounds=1000), digest)

    @only("production", NOT_KEPT)
    def test_pbkdf2_sha256(self):
        digest = hashlib.pbkdf2_hmac("sha256", PASSWORD, SALT, 1000, dklen=64)
        self.signs_in(auth.UserImportHash.pbkdf2_sha256(rounds=1000), digest)

    @only("production", NOT_KEPT)
    def test_scrypt_of_firebase(self):
        key, separator = hashlib.sha512(KEY).digest(), b"\x07"
        digest = firebase_scrypt(PASSWORD, SALT, key, separator, rounds=8, memory_cost=14)
        algorithm = auth.UserImportHash.scrypt(
            key=key, rounds=8, memory_cost=14, salt_separator=separator)
        self.signs_in(algorithm, digest)

    @only("production", NOT_KEPT)
    def test_standard_scrypt(self):
        digest = hashlib.scrypt(PASSWORD, salt=SALT, n=1024, r=8, p=16, dklen=64)
        algorithm = auth.UserImportHash.standard_scrypt(
            memory_cost=1024, parallelization=16, block_size=8, derived_key_length=64)
        self.signs_in(algorithm, digest)

    @only("production", NOT_KEPT)
    def test_bcrypt(self):
        password, digest = bcrypt_vector()
        self.signs_in(auth.UserImportHash.bcrypt(), digest, salt=None, password=password)

    @only("production", NOT_KEPT)
    def test_hashes_in_the_other_order(self):
        # The SDK cannot say it, the service can.
        digest = hashlib.sha256(PASSWORD + SALT).digest()
        answer = self.http.admin(PROJECT, "accounts:batchCreate", {
            "hashAlgorithm": "SHA256", "rounds": 1, "passwordHashOrder": "PASSWORD_AND_SALT",
            "users": [{
                "localId": "ada", "email": "ada@example.com",
                "passwordHash": base64.b64encode(digest).decode(),
                "salt": base64.b64encode(SALT).decode()}]})
        self.granted(answer)
        self.signed_in("ada@example.com", PASSWORD.decode())

    @only("production", NOT_KEPT)
    def test_a_new_password_replaces_the_imported_one(self):
        digest = hmac.digest(KEY, PASSWORD + SALT, "sha256")
        self.imported(auth.UserImportHash.hmac_sha256(key=KEY), digest)
        auth.update_user("ada", password="battery staple")
        self.signed_in("ada@example.com", "battery staple")
        self.refused(
            self.sign_in("ada@example.com", PASSWORD.decode()),
            "INVALID_PASSWORD", "INVALID_LOGIN_CREDENTIALS")

    @only("production", NOT_KEPT)
    def test_an_unknown_algorithm_is_refused(self):
        answer = self.http.admin(PROJECT, "accounts:batchCreate", {
            "hashAlgorithm": "ROT13",
            "users": [{"localId": "ada", "email": "ada@example.com", "passwordHash": "YWJj"}]})
        self.refused(answer, "INVALID_HASH_ALGORITHM")

    @only("production", NOT_KEPT)
    def test_hashes_without_an_algorithm_match_no_password(self):
        answer = self.http.admin(PROJECT, "accounts:batchCreate", {
            "users": [{"localId": "ada", "email": "ada@example.com", "passwordHash": "YWJj"}]})
        self.granted(answer)
        self.refused(
            self.sign_in("ada@example.com", "abc"), "INVALID_PASSWORD", "INVALID_LOGIN_CREDENTIALS")
