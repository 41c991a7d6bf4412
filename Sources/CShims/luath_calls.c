// Calls from Lua into Swift: the trampolines, and the handling of Swift's result.
#include "luath_lua_internal.h"

const char luath_wait_mark;

static bool is_library(const lua_Debug *record) { return strncmp(record->source, "=luath/", 7) == 0; }

bool luath_is_called_by_library(lua_State *L) {
  lua_Debug record;
  return lua_getstack(L, 1, &record) && lua_getinfo(L, "S", &record) && is_library(&record);
}

// Finds the innermost function of the script, skipping the library: an error of `luath.try(f)` names the line
// that called it. [-0, +0, -]
static bool find_script(lua_State *L, lua_Debug *record) {
  for (int level = 1; lua_getstack(L, level, record); level++) {
    lua_getinfo(L, "Sl", record);
    if (record->currentline > 0 && !is_library(record)) return true;
  }
  return false;
}

// Pushes "file:line: " of the innermost function of the script, or "". [-0, +1, m]
static void push_place(lua_State *L) {
  lua_Debug record;
  if (find_script(L, &record)) {
    lua_pushfstring(L, "%s:%d: ", record.short_src, record.currentline);
  } else {
    lua_pushliteral(L, "");
  }
}

bool luath_push_script_line(lua_State *L) {
  lua_Debug record;
  if (!find_script(L, &record)) return false;
  // Not the short name, which cuts long paths.
  bool is_file = *record.source == '@' || *record.source == '=';
  lua_pushfstring(L, "%s:%d", is_file ? record.source + 1 : record.short_src, record.currentline);
  return true;
}

// Adds position and traceback of the failed call to an error object. [-1, +1, m]
//
// Keeps a position that the host has set: that of a function which the script gave to the call.
static void decorate(lua_State *L) {
  if (!lua_istable(L, -1)) return;
  lua_pushliteral(L, "traceback");
  if (lua_rawget(L, -2) != LUA_TNIL) {  // raised again: keep its first position
    lua_pop(L, 1);
    return;
  }
  lua_pop(L, 1);
  lua_pushliteral(L, "where");
  bool has_place = lua_rawget(L, -2) != LUA_TNIL;
  lua_pop(L, 1);
  push_place(L);
  size_t length;
  const char *where = lua_tolstring(L, -1, &length);
  if (length >= 2 && !has_place) {  // "file:line: "
    lua_pushliteral(L, "where");
    lua_pushlstring(L, where, length - 2);
    lua_rawset(L, -4);
  }
  lua_pop(L, 1);
  lua_Debug record;
  if (lua_getstack(L, 0, &record) && lua_getinfo(L, "n", &record) && record.name != NULL) {
    lua_pushliteral(L, "call");
    lua_pushstring(L, record.name);
    lua_rawset(L, -3);
  }
  lua_pushliteral(L, "traceback");
  luaL_traceback(L, L, NULL, 1);
  lua_rawset(L, -3);
}

__attribute__((cold)) int luath_raise_error(lua_State *L) {
  if (lua_type(L, -1) == LUA_TSTRING) {
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  } else {
    decorate(L);
  }
  return lua_error(L);
}

// The name of the construct through which Lua cannot yield; NULL when the call comes from a message handler
// that this same refusal has called. [-0, +0, -]
static const char *find_construct(lua_State *L) {
  luath_host *host = luath_host_of(L);
  const char *inside = NULL;
  bool handled = false, metamethod = false;
  lua_Debug record;
  for (int level = 1; lua_getstack(L, level, &record); level++) {
    lua_getinfo(L, "Snf", &record);
    lua_CFunction function = lua_tocfunction(L, -1);
    lua_pop(L, 1);
    if (function == host->xpcall) handled = true;
    // Host functions call no Lua code, so an outer one is the call that was refused before.
    if (function != NULL && luath_is_ours(host, function)) return NULL;
    // Lua can yield through pcall and entries.
    if (inside != NULL || (function != NULL && function == host->pcall)) continue;
    if (function != NULL && luath_is_entry(function)) continue;
    if (record.name != NULL && strcmp(record.namewhat, "metamethod") == 0) {
      inside = record.name;
      metamethod = true;
    } else if (function != NULL) {
      // `error` and `assert` call nothing but the message handler.
      bool raises = function == host->error || function == host->assert || function == host->xpcall;
      inside = raises ? "a message handler" : record.name != NULL ? record.name : "a C function";
    }
  }
  // Lua gives a message handler the name of the metamethod of the instruction that failed.
  if (metamethod && handled) return "a message handler or metamethod";
  return inside != NULL ? inside : "this construct";
}

__attribute__((cold, noinline)) static int refuse_wait(
    lua_State *L, const luath_function *function) {
  const char *inside = find_construct(L);
  // Raising again would call the handler again, and end as "error in error handling".
  if (inside == NULL) return 0;
  return luaL_error(
      L, "%s waits, and Lua cannot wait inside %s; call it before and pass in the result",
      function->usage,
      strchr(inside, ' ') != NULL ? inside : lua_pushfstring(L, "'%s'", inside));
}

static int resumed(lua_State *L, int status, lua_KContext context) {
  (void)status;
  luath_function *function = (luath_function *)context;
  luath_host *host = luath_host_of(L);
  host->inside++;
  int answer = function->finish(L, function->binding);
  host->inside--;
  return luath_settle(L, host, function, answer);
}

int luath_settle(
    lua_State *L, luath_host *host, luath_function *function, int answer) {
  if (host->limit != 0 && host->used > host->limit) {
    // The host exceeded the limit on the script's behalf: stop the script if garbage collection does not help.
    lua_gc(L, LUA_GCCOLLECT);
    if (host->used > host->limit) luath_stop(host, LUATH_STOP_MEMORY);
  }
  if (atomic_load_explicit(&host->stop, memory_order_relaxed) != LUATH_STOP_NONE) {
    luath_arm(L);
    return luath_leave(L);
  }
  if (answer >= 0) return answer;
  if (answer == LUATH_RAISE) return luath_raise_error(L);
  if (answer == LUATH_RAISE_AGAIN) {
    decorate(L);
    return lua_error(L);
  }
  lua_pushlightuserdata(L, (void *)&luath_wait_mark);
  return lua_yieldk(L, 1, (lua_KContext)function, resumed);
}

__attribute__((always_inline)) static inline int call_function(lua_State *L, luath_function *function) {
  luath_check_arguments(L, function);
  luath_host *host = luath_host_of(L);
  if (function->waits && (host->blocked > 0 || !lua_isyieldable(L))) {
    return refuse_wait(L, function);
  }
  host->inside++;
  int answer = function->invoke(L, function->binding);
  host->inside--;
  if (answer >= 0 && host->limit == 0 &&
      atomic_load_explicit(&host->stop, memory_order_relaxed) == LUATH_STOP_NONE) {
    return answer;
  }
  return luath_settle(L, host, function, answer);
}

static int trampoline(lua_State *L) {
  return call_function(L, lua_touserdata(L, lua_upvalueindex(1)));
}

// Calls a host function with a bound first argument.
static int call_bound(lua_State *L) {
  luaL_checkstack(L, LUA_MINSTACK, NULL);
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_insert(L, 1);
  return call_function(L, lua_touserdata(L, lua_upvalueindex(1)));
}

__attribute__((noinline)) static int call_slot(lua_State *L, int slot) {
  return call_function(L, luath_host_of(L)->slots[slot]);
}

// Looking up an upvalue takes a tenth of the time of a short call. So the first functions have no upvalue but a
// C function each: slot_00 to slot_FF.
#define SLOT(n) \
  static int slot_##n(lua_State *L) { return call_slot(L, 0x##n); }
#define NAME(n) slot_##n,
#define ROW(M, n) \
  M(n##0) M(n##1) M(n##2) M(n##3) M(n##4) M(n##5) M(n##6) M(n##7) \
  M(n##8) M(n##9) M(n##A) M(n##B) M(n##C) M(n##D) M(n##E) M(n##F)
#define ALL(M) \
  ROW(M, 0) ROW(M, 1) ROW(M, 2) ROW(M, 3) ROW(M, 4) ROW(M, 5) ROW(M, 6) ROW(M, 7) \
  ROW(M, 8) ROW(M, 9) ROW(M, A) ROW(M, B) ROW(M, C) ROW(M, D) ROW(M, E) ROW(M, F)
ALL(SLOT)
static const lua_CFunction slot_functions[LUATH_SLOTS] = {ALL(NAME)};

bool luath_is_ours(const luath_host *host, lua_CFunction function) {
  if (function == trampoline || function == call_bound) return true;
  for (int slot = 0; slot < host->slot_count; slot++) {
    if (slot_functions[slot] == function) return true;
  }
  return false;
}

void luath_push_function(lua_State *L, luath_function *function) {
  luath_host *host = luath_host_of(L);
  if (function->slot == 0) {
    function->slot = -1;
    if (host->slot_count < LUATH_SLOTS) {
      host->slots[host->slot_count++] = function;
      function->slot = host->slot_count;
    }
  }
  if (function->slot > 0) {
    lua_pushcfunction(L, slot_functions[function->slot - 1]);
    return;
  }
  lua_pushlightuserdata(L, function);
  lua_pushcclosure(L, trampoline, 1);
}

void luath_bind_function(lua_State *L, luath_function *function) {
  lua_pushlightuserdata(L, function);
  lua_insert(L, -2);
  lua_pushcclosure(L, call_bound, 2);
}
