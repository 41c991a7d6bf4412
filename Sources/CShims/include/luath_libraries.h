// Version information of libraries that Swift cannot read itself.
#ifndef LUATH_LIBRARIES_H
#define LUATH_LIBRARIES_H

// The version text of the loaded Lua: "$LuaVersion: Lua 5.4.4  Copyright …".
const char *luath_lua_identity(void);

// The path, without symbolic links, of the library that defines the symbol, or NULL. The caller frees it.
char *luath_library_file(const char *symbol);

// The version in libxcrypt's headers (it has no other), or NULL for another libcrypt.
const char *luath_xcrypt_headers(void);
#endif
