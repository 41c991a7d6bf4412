// What libraries tell of themselves in ways that Swift cannot ask for.
#ifndef LUATH_LIBRARIES_H
#define LUATH_LIBRARIES_H

// The text that every Lua carries, as that of the loaded one: "$LuaVersion: Lua 5.4.4  Copyright …".
const char *luath_lua_identity(void);

// The file that the library with this symbol was loaded from, without links, or NULL. The caller
// frees it.
char *luath_library_file(const char *symbol);

// The version of the headers of libxcrypt, the only one that it tells, or NULL for another libcrypt.
const char *luath_xcrypt_headers(void);
#endif
