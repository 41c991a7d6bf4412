// bcrypt by way of libcrypt, whose working memory of 32 KiB Swift would import as one huge tuple.
#ifndef LUATH_CRYPT_H
#define LUATH_CRYPT_H
#include <stddef.h>
#include <stdint.h>

// The length of every bcrypt hash: version, cost, 22 digits of salt and 31 of hash.
enum { luath_bcrypt_length = 60 };

// Hashes the password as `setting` says, which is a bcrypt hash or at least the salt of one, into
// exactly luath_bcrypt_length characters without a terminator; 1 on success.
int luath_bcrypt(const char *password, const char *setting, char *hash);

// Makes the setting for a salt of 16 bytes, with its terminator; 1 on success.
int luath_bcrypt_setting(int cost, const uint8_t *salt, char *setting, size_t room);

#endif
