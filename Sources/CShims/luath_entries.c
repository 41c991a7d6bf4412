// Entries: functions of the Lua library wrapped in a C function.
//
// `return f()` is a tail call: the Lua function replaces its caller's frame, and the line that an error
// should name is lost. A tail call of a C function keeps that frame.
#include "luath_lua_internal.h"

static int after_entry(lua_State *L, int status, lua_KContext context) {
  (void)status;
  (void)context;
  return lua_gettop(L);
}

static int call_entry(lua_State *L) {
  luaL_checkstack(L, LUA_MINSTACK, NULL);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  // With a continuation, as the library's functions may wait.
  lua_callk(L, lua_gettop(L) - 1, LUA_MULTRET, 0, after_entry);
  return lua_gettop(L);
}

static int make_entry(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_pushcclosure(L, call_entry, 1);
  return 1;
}

bool luath_is_entry(lua_CFunction function) { return function == call_entry; }

void luath_push_entry_maker(lua_State *L) { lua_pushcfunction(L, make_entry); }
