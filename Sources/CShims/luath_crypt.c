#include "luath_crypt.h"

#include <crypt.h>
#include <stdlib.h>
#include <string.h>

int luath_bcrypt(const char *password, const char *setting, char *hash) {
  // All zero, as crypt_rn requires for memory that it has not used before.
  struct crypt_data *data = calloc(1, sizeof *data);
  if (data == NULL) return 0;
  const char *text = crypt_rn(password, setting, data, sizeof *data);
  int done = text != NULL && strlen(text) == luath_bcrypt_length;
  if (done) memcpy(hash, text, luath_bcrypt_length);
  explicit_bzero(data, sizeof *data);
  free(data);
  return done;
}

int luath_bcrypt_setting(int cost, const uint8_t *salt, char *setting, size_t room) {
  return crypt_gensalt_rn("$2b$", cost, (const char *)salt, 16, setting, (int)room) != NULL;
}
