// Remembering the fields of tables, and putting them back. In C, because after each journey hundreds of
// fields are compared, and each would be two calls in Lua.
#include "luath_lua_internal.h"

// Removes from the table `fields` what `table` does not have. [-0, +0, -]
static void forget_others(lua_State *L, int table, int fields) {
  for (lua_pushnil(L); lua_next(L, fields) != 0;) {
    lua_pop(L, 1);
    lua_pushvalue(L, -1);
    bool is_gone = lua_rawget(L, table) == LUA_TNIL;
    lua_pop(L, 1);
    if (!is_gone) continue;
    lua_pushvalue(L, -1);
    lua_pushnil(L);
    lua_rawset(L, fields);
  }
}

lua_Integer luath_remember_fields(lua_State *L, int table, int fields, lua_Integer known) {
  lua_Integer count = 0;
  for (lua_pushnil(L); lua_next(L, table) != 0; lua_pop(L, 1)) {
    lua_pushvalue(L, -2);
    if (lua_rawget(L, fields) == LUA_TNIL) known++;
    if (!lua_rawequal(L, -1, -2)) {
      lua_pushvalue(L, -3);
      lua_pushvalue(L, -3);
      lua_rawset(L, fields);
    }
    lua_pop(L, 1);
    count++;
  }
  if (known > count) forget_others(L, table, fields);
  return count;
}

void luath_restore_fields(lua_State *L, int table, int fields, lua_Integer count) {
  lua_Integer same = 0;
  for (lua_pushnil(L); lua_next(L, table) != 0; lua_pop(L, 1)) {
    lua_pushvalue(L, -2);
    if (lua_rawget(L, fields) != LUA_TNIL) same++;
    if (lua_rawequal(L, -1, -2)) {
      lua_pop(L, 1);
      continue;
    }
    lua_pushvalue(L, -3);
    lua_insert(L, -2);
    lua_rawset(L, table);  // a field that exists, so that the iteration may go on
  }
  if (same == count) return;
  for (lua_pushnil(L); lua_next(L, fields) != 0; lua_pop(L, 1)) {
    lua_pushvalue(L, -2);
    bool is_missing = lua_rawget(L, table) == LUA_TNIL;
    lua_pop(L, 1);
    if (!is_missing) continue;
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -2);
    lua_rawset(L, table);
  }
}
