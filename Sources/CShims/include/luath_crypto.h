// OpenSSL 3 operations that need its macros or variadic functions, which Swift cannot import.
//
// Every function that creates an object returns NULL on failure and leaves the thread's error queue
// empty, so that no later caller reads a stale reason.
#ifndef LUATH_CRYPTO_H
#define LUATH_CRYPTO_H
#include <openssl/evp.h>
#include <stddef.h>
#include <stdint.h>

// A new RSA key pair; NULL also when the callback, called every few milliseconds, returns 0.
EVP_PKEY *luath_crypto_generate_rsa(size_t bits, int (*goes_on)(void *), void *context);

// An RSA public key from the big-endian numbers of a JWK (RFC 7518 section 6.3.1).
EVP_PKEY *luath_crypto_rsa_key(const uint8_t *n, size_t n_length, const uint8_t *e, size_t e_length);

// A public key on a named curve from its coordinates of `size` bytes each, at most 66 (RFC 7518
// section 6.2.1); NULL when the point is not on the curve.
EVP_PKEY *luath_crypto_ec_key(
    const char *group, const uint8_t *x, const uint8_t *y, size_t size);

// A private key from PEM text; fails for encrypted PEM instead of asking on the terminal.
EVP_PKEY *luath_crypto_read_pem(const char *pem, size_t length);

// A private key from encrypted PEM text. If the passphrase is NULL, OpenSSL asks for it on the terminal, without echo.
EVP_PKEY *luath_crypto_read_encrypted_pem(const char *pem, size_t length, const char *passphrase);

// A public key from PEM text (SubjectPublicKeyInfo, RFC 7468 section 13).
EVP_PKEY *luath_crypto_read_public_pem(const char *pem, size_t length);

// The public half of a key as DER (SubjectPublicKeyInfo); free with luath_crypto_free.
uint8_t *luath_crypto_public_der(const EVP_PKEY *key, size_t *length);

// The public key of an X.509 certificate in PEM text; the certificate is not validated.
EVP_PKEY *luath_crypto_read_certificate(const char *pem, size_t length);

// The big-endian bytes of a number of an RSA key ("n" or "e"); free with luath_crypto_free.
uint8_t *luath_crypto_rsa_number(const EVP_PKEY *key, const char *name, size_t *length);

// The private key as PKCS #8 PEM; free with luath_crypto_free.
uint8_t *luath_crypto_private_pem(const EVP_PKEY *key, size_t *length);

// A self-signed X.509 certificate as PEM; free with luath_crypto_free.
uint8_t *luath_crypto_certificate_pem(EVP_PKEY *key, const char *common_name, size_t *length);

// Wipes and frees a buffer that one of the functions above returned.
void luath_crypto_free(uint8_t *bytes, size_t length);

// A signature over the named digest; 1 on success. For an RSA key: PKCS #1 v1.5. For an elliptic curve key: DER. Ed25519
// has no digest, which is NULL then. `length` holds the capacity on entry and the length on return.
int luath_crypto_sign(
    EVP_PKEY *key, const char *digest, const uint8_t *text, size_t text_length, uint8_t *signature,
    size_t *length);

// 1 when the signature over the named digest is valid. For an RSA key: PSS with a salt as long as the
// digest, or PKCS #1 v1.5. For an elliptic curve key: DER. Ed25519 has no digest, which is NULL then.
int luath_crypto_verify(
    EVP_PKEY *key, const char *digest, int is_pss, const uint8_t *signature, size_t length,
    const uint8_t *text, size_t text_length);

// Like luath_crypto_verify, for the JOSE form r || s, `size` bytes each (RFC 7518 section 3.4).
int luath_crypto_verify_ec(
    EVP_PKEY *key, const char *digest, const uint8_t *signature, size_t size,
    const uint8_t *text, size_t text_length);

// HMAC with the named digest into exactly `size` bytes, the length of that digest; 1 on success.
int luath_crypto_hmac(
    const char *digest, const uint8_t *key, size_t key_length, const uint8_t *text,
    size_t text_length, uint8_t *out, size_t size);

// The lengths of AES-256-GCM's key, nonce and tag (NIST SP 800-38D).
enum { luath_gcm_key = 32, luath_gcm_nonce = 12, luath_gcm_tag = 16 };

// Encrypts `text` into `out`, which receives `length` bytes and the tag; 1 on success. `bound` is the
// additional authenticated data. A nonce must never be used twice with one key.
int luath_crypto_gcm_seal(
    const uint8_t *key, const uint8_t *nonce, const uint8_t *bound, size_t bound_length,
    const uint8_t *text, size_t length, uint8_t *out);

// Decrypts `length` bytes, followed by the tag, into `out`; 1 when the tag is valid for key, nonce, `bound`
// and data. Otherwise the contents of `out` must not be used.
int luath_crypto_gcm_open(
    const uint8_t *key, const uint8_t *nonce, const uint8_t *bound, size_t bound_length,
    const uint8_t *box, size_t length, uint8_t *out);

#endif
