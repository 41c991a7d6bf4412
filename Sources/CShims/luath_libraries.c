// dladdr is not in POSIX.
#define _GNU_SOURCE
#include "luath_libraries.h"

#include <crypt.h>
#include <dlfcn.h>
#include <lua.h>
#include <stdlib.h>

const char *luath_lua_identity(void) { return lua_ident; }

char *luath_library_file(const char *symbol) {
  void *address = dlsym(RTLD_DEFAULT, symbol);
  Dl_info info;
  if (!address || !dladdr(address, &info) || !info.dli_fname) return NULL;
  return realpath(info.dli_fname, NULL);
}

const char *luath_xcrypt_headers(void) {
#ifdef XCRYPT_VERSION_STR
  return XCRYPT_VERSION_STR;
#else
  return NULL;
#endif
}
