#include "luath_crypto.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <limits.h>
#include <string.h>

// By default OpenSSL frees its tables in an `exit` handler, while threads that have used it may still be ending and
// would read the freed tables. The process ends anyway, so the handler is disabled. Only the first call to the library
// can do that (OPENSSL_init_crypto(3), OPENSSL_INIT_NO_ATEXIT).
__attribute__((constructor)) static void leave_out_exit_handler(void) {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}

// Returns the object; empties the error queue when it is NULL.
static void *result(void *object) {
  if (object == NULL) ERR_clear_error();
  return object;
}

static int verdict(int status) {
  if (status == 1) return 1;
  ERR_clear_error();
  return 0;
}

// The callback that decides whether the search for primes continues.
struct search {
  int (*goes_on)(void *);
  void *context;
};

static int goes_on(EVP_PKEY_CTX *context) {
  const struct search *search = EVP_PKEY_CTX_get_app_data(context);
  return search->goes_on(search->context);
}

EVP_PKEY *luath_crypto_generate_rsa(size_t bits, int (*ask)(void *), void *asked) {
  struct search search = {ask, asked};
  EVP_PKEY *key = NULL;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
  if (context != NULL && EVP_PKEY_keygen_init(context) == 1 &&
      EVP_PKEY_CTX_set_rsa_keygen_bits(context, (int)bits) == 1) {
    EVP_PKEY_CTX_set_app_data(context, &search);
    EVP_PKEY_CTX_set_cb(context, goes_on);
    if (EVP_PKEY_generate(context, &key) != 1) key = NULL;
  }
  EVP_PKEY_CTX_free(context);
  return result(key);
}

// Creates a public key of the named type; always frees the builder.
static EVP_PKEY *public_key(const char *type, OSSL_PARAM_BLD *builder) {
  EVP_PKEY *key = NULL;
  OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(builder);
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
  if (parameters != NULL && context != NULL && EVP_PKEY_fromdata_init(context) == 1) {
    if (EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1) key = NULL;
  }
  EVP_PKEY_CTX_free(context);
  OSSL_PARAM_free(parameters);
  OSSL_PARAM_BLD_free(builder);
  return key;
}

EVP_PKEY *luath_crypto_rsa_key(
    const uint8_t *n, size_t n_length, const uint8_t *e, size_t e_length) {
  EVP_PKEY *key = NULL;
  BIGNUM *modulus = BN_bin2bn(n, (int)n_length, NULL);
  BIGNUM *exponent = BN_bin2bn(e, (int)e_length, NULL);
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  if (modulus != NULL && exponent != NULL && builder != NULL &&
      OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, modulus) == 1 &&
      OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, exponent) == 1) {
    key = public_key("RSA", builder);
  } else {
    OSSL_PARAM_BLD_free(builder);
  }
  BN_free(modulus);
  BN_free(exponent);
  return result(key);
}

EVP_PKEY *luath_crypto_ec_key(
    const char *group, const uint8_t *x, const uint8_t *y, size_t size) {
  // The builder keeps a pointer to `point` until the parameters are created.
  uint8_t point[133] = {POINT_CONVERSION_UNCOMPRESSED};
  if (size > 66) return result(NULL);
  memcpy(point + 1, x, size);
  memcpy(point + 1 + size, y, size);
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  if (builder == NULL) return result(NULL);
  if (OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, group, 0) != 1 ||
      OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, 1 + 2 * size) !=
          1) {
    OSSL_PARAM_BLD_free(builder);
    return result(NULL);
  }
  return result(public_key("EC", builder));
}

// Without this OpenSSL would ask for the passphrase of encrypted PEM on the terminal.
static int no_passphrase(char *buffer, int size, int writing, void *context) {
  (void)buffer, (void)size, (void)writing, (void)context;
  return -1;
}

EVP_PKEY *luath_crypto_read_pem(const char *pem, size_t length) {
  BIO *input = length > INT32_MAX ? NULL : BIO_new_mem_buf(pem, (int)length);
  if (input == NULL) return result(NULL);
  EVP_PKEY *key = PEM_read_bio_PrivateKey(input, NULL, no_passphrase, NULL);
  BIO_free(input);
  return result(key);
}

EVP_PKEY *luath_crypto_read_encrypted_pem(const char *pem, size_t length, const char *passphrase) {
  BIO *input = length > INT32_MAX ? NULL : BIO_new_mem_buf(pem, (int)length);
  if (input == NULL) return result(NULL);
  // Without a callback, the last argument is the passphrase, or NULL to ask for it (PEM_read_bio_PrivateKey(3)).
  EVP_PKEY *key = PEM_read_bio_PrivateKey(input, NULL, NULL, (void *)passphrase);
  BIO_free(input);
  return result(key);
}

EVP_PKEY *luath_crypto_read_public_pem(const char *pem, size_t length) {
  BIO *input = length > INT32_MAX ? NULL : BIO_new_mem_buf(pem, (int)length);
  if (input == NULL) return result(NULL);
  EVP_PKEY *key = PEM_read_bio_PUBKEY(input, NULL, no_passphrase, NULL);
  BIO_free(input);
  return result(key);
}

EVP_PKEY *luath_crypto_read_certificate(const char *pem, size_t length) {
  BIO *input = length > INT32_MAX ? NULL : BIO_new_mem_buf(pem, (int)length);
  if (input == NULL) return result(NULL);
  X509 *certificate = PEM_read_bio_X509(input, NULL, no_passphrase, NULL);
  BIO_free(input);
  EVP_PKEY *key = certificate == NULL ? NULL : X509_get_pubkey(certificate);
  X509_free(certificate);
  return result(key);
}

uint8_t *luath_crypto_rsa_number(const EVP_PKEY *key, const char *name, size_t *length) {
  BIGNUM *number = NULL;
  if (EVP_PKEY_get_bn_param(key, name, &number) != 1) return result(NULL);
  *length = (size_t)BN_num_bytes(number);
  uint8_t *bytes = OPENSSL_malloc(*length);
  if (bytes != NULL) BN_bn2bin(number, bytes);
  BN_free(number);
  return result(bytes);
}

// Returns a copy of a memory stream's content, and frees the stream.
static uint8_t *content(BIO *output, int status, size_t *length) {
  char *text = NULL;
  long count = BIO_get_mem_data(output, &text);
  uint8_t *copy = NULL;
  if (status == 1 && count > 0) {
    *length = (size_t)count;
    copy = OPENSSL_memdup(text, *length);
    OPENSSL_cleanse(text, *length);
  }
  BIO_free(output);
  return result(copy);
}

uint8_t *luath_crypto_private_pem(const EVP_PKEY *key, size_t *length) {
  BIO *output = BIO_new(BIO_s_mem());
  if (output == NULL) return result(NULL);
  int status = PEM_write_bio_PrivateKey(output, key, NULL, NULL, 0, NULL, NULL);
  return content(output, status, length);
}

uint8_t *luath_crypto_public_der(const EVP_PKEY *key, size_t *length) {
  BIO *output = BIO_new(BIO_s_mem());
  if (output == NULL) return result(NULL);
  return content(output, i2d_PUBKEY_bio(output, key), length);
}

// Fills in and signs a certificate, valid for ten years from yesterday, as clocks may differ.
static int certify(X509 *certificate, EVP_PKEY *key, const char *common_name) {
  const long day = 24 * 60 * 60;
  X509_NAME *name = X509_get_subject_name(certificate);
  return X509_set_version(certificate, X509_VERSION_3) == 1 &&
         ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1) == 1 &&
         X509_gmtime_adj(X509_getm_notBefore(certificate), -day) != NULL &&
         X509_gmtime_adj(X509_getm_notAfter(certificate), 3650 * day) != NULL &&
         X509_set_pubkey(certificate, key) == 1 &&
         X509_NAME_add_entry_by_txt(
             name, "CN", MBSTRING_UTF8, (const unsigned char *)common_name, -1, -1, 0) == 1 &&
         X509_set_issuer_name(certificate, name) == 1 &&
         X509_sign(certificate, key, EVP_sha256()) > 0;
}

uint8_t *luath_crypto_certificate_pem(EVP_PKEY *key, const char *common_name, size_t *length) {
  X509 *certificate = X509_new();
  BIO *output = BIO_new(BIO_s_mem());
  if (certificate == NULL || output == NULL) {
    X509_free(certificate);
    BIO_free(output);
    return result(NULL);
  }
  int status = certify(certificate, key, common_name) == 1 &&
               PEM_write_bio_X509(output, certificate) == 1;
  X509_free(certificate);
  return content(output, status, length);
}

void luath_crypto_free(uint8_t *bytes, size_t length) { OPENSSL_clear_free(bytes, length); }

static const EVP_MD *digest_named(const char *name) {
  return name == NULL ? NULL : EVP_get_digestbyname(name);
}

int luath_crypto_sign(
    EVP_PKEY *key, const char *digest, const uint8_t *text, size_t text_length, uint8_t *signature,
    size_t *length) {
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  int status = context != NULL &&
               EVP_DigestSignInit(context, NULL, digest_named(digest), NULL, key) == 1 &&
               EVP_DigestSign(context, signature, length, text, text_length) == 1;
  EVP_MD_CTX_free(context);
  return verdict(status);
}

int luath_crypto_verify(
    EVP_PKEY *key, const char *digest, int is_pss, const uint8_t *signature, size_t length,
    const uint8_t *text, size_t text_length) {
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  EVP_PKEY_CTX *padding = NULL;
  int status =
      context != NULL &&
      EVP_DigestVerifyInit(context, &padding, digest_named(digest), NULL, key) == 1 &&
      (!is_pss ||
       (EVP_PKEY_CTX_set_rsa_padding(padding, RSA_PKCS1_PSS_PADDING) == 1 &&
        EVP_PKEY_CTX_set_rsa_pss_saltlen(padding, RSA_PSS_SALTLEN_DIGEST) == 1)) &&
      EVP_DigestVerify(context, signature, length, text, text_length) == 1;
  EVP_MD_CTX_free(context);
  return verdict(status);
}

int luath_crypto_verify_ec(
    EVP_PKEY *key, const char *digest, const uint8_t *signature, size_t size,
    const uint8_t *text, size_t text_length) {
  ECDSA_SIG *pair = ECDSA_SIG_new();
  BIGNUM *r = BN_bin2bn(signature, (int)size, NULL);
  BIGNUM *s = BN_bin2bn(signature + size, (int)size, NULL);
  // ECDSA_SIG_set0 takes ownership of both numbers when it succeeds.
  if (pair == NULL || r == NULL || s == NULL || ECDSA_SIG_set0(pair, r, s) != 1) {
    BN_free(r);
    BN_free(s);
    ECDSA_SIG_free(pair);
    return verdict(0);
  }
  unsigned char *der = NULL;
  int length = i2d_ECDSA_SIG(pair, &der);
  ECDSA_SIG_free(pair);
  if (length <= 0) return verdict(0);
  int status =
      luath_crypto_verify(key, digest, 0, der, (size_t)length, text, text_length);
  OPENSSL_free(der);
  return status;
}

int luath_crypto_hmac(
    const char *digest, const uint8_t *key, size_t key_length, const uint8_t *text,
    size_t text_length, uint8_t *out, size_t size) {
  size_t length = 0;
  // An empty key is valid, but EVP_Q_mac treats NULL as a missing one.
  if (key == NULL) key = (const uint8_t *)"";
  unsigned char *mac = EVP_Q_mac(
      NULL, "HMAC", NULL, digest, NULL, key, key_length, text, text_length, out, size, &length);
  return verdict(mac != NULL && length == size);
}

int luath_crypto_gcm_seal(
    const uint8_t *key, const uint8_t *nonce, const uint8_t *bound, size_t bound_length,
    const uint8_t *text, size_t length, uint8_t *out) {
  if (length > INT_MAX || bound_length > INT_MAX) return 0;
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  int count = 0, rest = 0;
  int status =
      context != NULL && EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce) == 1 &&
      (bound_length == 0 ||
       EVP_EncryptUpdate(context, NULL, &count, bound, (int)bound_length) == 1) &&
      (length == 0 || EVP_EncryptUpdate(context, out, &count, text, (int)length) == 1) &&
      EVP_EncryptFinal_ex(context, out + length, &rest) == 1 &&
      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, luath_gcm_tag, out + length) == 1;
  EVP_CIPHER_CTX_free(context);
  return verdict(status);
}

int luath_crypto_gcm_open(
    const uint8_t *key, const uint8_t *nonce, const uint8_t *bound, size_t bound_length,
    const uint8_t *box, size_t length, uint8_t *out) {
  if (length > INT_MAX || bound_length > INT_MAX) return 0;
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  int count = 0, rest = 0;
  uint8_t tag[luath_gcm_tag];
  memcpy(tag, box + length, sizeof tag);
  int status =
      context != NULL && EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce) == 1 &&
      (bound_length == 0 ||
       EVP_DecryptUpdate(context, NULL, &count, bound, (int)bound_length) == 1) &&
      (length == 0 || EVP_DecryptUpdate(context, out, &count, box, (int)length) == 1) &&
      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, sizeof tag, tag) == 1 &&
      EVP_DecryptFinal_ex(context, out + length, &rest) == 1;
  EVP_CIPHER_CTX_free(context);
  return verdict(status);
}
