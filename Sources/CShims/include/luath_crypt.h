// bcrypt from libcrypt; in C, because Swift would import its working memory of 32 KiB as one huge tuple.
#ifndef LUATH_CRYPT_H
#define LUATH_CRYPT_H
#include <stddef.h>
#include <stdint.h>

// The length of every bcrypt hash: version, cost, 22 digits of salt and 31 of hash.
enum { luath_bcrypt_length = 60 };

// Hashes the password into exactly luath_bcrypt_length characters without a terminator; 1 on success.
// `setting` is a bcrypt hash, or at least its version, cost and salt.
int luath_bcrypt(const char *password, const char *setting, char *hash);

// Writes the setting for a salt of 16 bytes, with its terminator; 1 on success.
int luath_bcrypt_setting(int cost, const uint8_t *salt, char *setting, size_t room);

#endif
