// Our coroutine library, in which a wait for the host suspends all coroutines up to the scheduled one.
#include "luath_lua_internal.h"

// Equal to Lua's limit of C calls (LUAI_MAXCCALLS).
enum { CLOSE_LIMIT = 200 };
// The number of nested closings on this thread's stack.
static _Thread_local int closing;

static int resume_coroutine(lua_State *L);
static int call_wrapped(lua_State *L);

// True when `co` is suspended in a wait for the host, which only the host may end.
static bool in_wait(lua_State *co) {
  lua_Debug record;
  if (lua_status(co) != LUA_YIELD || !lua_getstack(co, 0, &record)) return false;
  lua_getinfo(co, "f", &record);
  lua_CFunction function = lua_tocfunction(co, -1);
  lua_pop(co, 1);
  return function == resume_coroutine || function == call_wrapped || function == luath_index_object ||
         luath_is_ours(luath_host_of(co), function);
}

static int after_wait(lua_State *L, int status, lua_KContext context);

// Resumes `co`; returns the number of values moved to L, or -1 with an error value moved.
// Does not return when `co` waits for the host: then L waits too.
static int step(lua_State *L, lua_State *co, int arguments, lua_KContext wrapped) {
  luath_host *host = luath_host_of(L);
  bool blocks = !lua_isyieldable(L);
  int results = 0;
  if (blocks) host->blocked++;
  atomic_store_explicit(&host->current, co, memory_order_relaxed);
  if (atomic_load_explicit(&host->stop, memory_order_relaxed) != LUATH_STOP_NONE) luath_arm(co);
  int status = lua_resume(co, L, arguments, &results);
  atomic_store_explicit(&host->current, L, memory_order_relaxed);
  if (blocks) host->blocked--;
  if (atomic_load_explicit(&host->stop, memory_order_relaxed) != LUATH_STOP_NONE) luath_arm(L);
  // Keep the stack of `co`: emptying it would run the script's `__close` handlers.
  if (status == LUA_YIELD && atomic_load(&host->stop) != LUATH_STOP_NONE) return luath_leave(L);
  if (status == LUA_YIELD && luath_waits(co, results)) {
    lua_pop(co, 1);
    lua_pushlightuserdata(L, (void *)&luath_wait_mark);
    return lua_yieldk(L, 1, wrapped, after_wait);
  }
  if (status == LUA_OK || status == LUA_YIELD) {
    if (!lua_checkstack(L, results + 1)) {
      lua_pop(co, results);
      lua_pushliteral(L, "too many results to resume");
      return -1;
    }
    lua_xmove(co, L, results);
    return results;
  }
  lua_xmove(co, L, 1);
  return -1;
}

static int finish_resume(lua_State *L, int results) {
  if (results < 0) {
    lua_pushboolean(L, 0);
    lua_insert(L, -2);
    return 2;
  }
  lua_pushboolean(L, 1);
  lua_insert(L, -(results + 1));
  return results + 1;
}

// Ends a coroutine and runs its pending `__close` handlers; Lua 5.4.4 has no lua_closethread.
//
// A `__close` handler may close another coroutine, and Lua does not count C calls across coroutines, so this
// counts them. [-0, +0, v]
static int reset(lua_State *L, lua_State *co) {
  if (closing == CLOSE_LIMIT)
    return luaL_error(L, "C stack overflow: too many coroutines close one another");
  closing++;
  int status = lua_resetthread(co);
  closing--;
  return status;
}

static int finish_wrapped(lua_State *L, lua_State *co, int results) {
  if (results >= 0) return results;
  int status = lua_status(co);
  if (status != LUA_OK && status != LUA_YIELD) {
    status = reset(L, co);
    lua_xmove(co, L, 1);
  }
  if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

static int after_wait(lua_State *L, int status, lua_KContext wrapped) {
  (void)status;
  lua_State *co = lua_tothread(L, wrapped ? lua_upvalueindex(1) : 1);
  int results = step(L, co, 0, wrapped);
  return wrapped ? finish_wrapped(L, co, results) : finish_resume(L, results);
}

// Moves the arguments to `co`, or returns false with a message on L. [-n, +(0|1), -]
static bool ready(lua_State *L, lua_State *co, int arguments) {
  const char *problem = NULL;
  if (in_wait(co)) {
    problem = "cannot resume a coroutine that waits for the host";
  } else if (!lua_checkstack(co, arguments)) {
    problem = "too many arguments to resume";
  }
  if (problem != NULL) {
    lua_pushstring(L, problem);
    return false;
  }
  lua_xmove(L, co, arguments);
  return true;
}

static int resume_coroutine(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTHREAD);
  lua_State *co = lua_tothread(L, 1);
  int arguments = lua_gettop(L) - 1;
  if (!ready(L, co, arguments)) return finish_resume(L, -1);
  return finish_resume(L, step(L, co, arguments, 0));
}

static int call_wrapped(lua_State *L) {
  lua_State *co = lua_tothread(L, lua_upvalueindex(1));
  int arguments = lua_gettop(L);
  if (!ready(L, co, arguments)) return finish_wrapped(L, co, -1);
  return finish_wrapped(L, co, step(L, co, arguments, 1));
}

static int wrap_coroutine(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_State *co = lua_newthread(L);
  lua_pushvalue(L, 1);
  lua_xmove(L, co, 1);
  lua_pushcclosure(L, call_wrapped, 1);
  return 1;
}

static int close_coroutine(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTHREAD);
  lua_State *co = lua_tothread(L, 1);
  lua_Debug record;
  if (co == L) return luaL_error(L, "cannot close a running coroutine");
  if (lua_status(co) == LUA_OK && lua_getstack(co, 0, &record))
    return luaL_error(L, "cannot close a normal coroutine");
  bool good = reset(L, co) == LUA_OK;
  lua_pushboolean(L, good);
  if (good) return 1;
  lua_xmove(co, L, 1);
  return 2;
}

static int yield_coroutine(lua_State *L) {
  if (L == luath_host_of(L)->root) {
    return luaL_error(L, "attempt to yield from outside a coroutine");
  }
  return lua_yield(L, lua_gettop(L));
}

static int running_coroutine(lua_State *L) {
  lua_pushthread(L);
  lua_pushboolean(L, L == luath_host_of(L)->root);
  return 2;
}

static int is_yieldable(lua_State *L) {
  lua_State *co = lua_isthread(L, 1) ? lua_tothread(L, 1) : L;
  lua_pushboolean(L, co != luath_host_of(L)->root && lua_isyieldable(co));
  return 1;
}

void luath_replace_coroutines(lua_State *L) {
  static const luaL_Reg ours[] = {
      {"resume", resume_coroutine},   {"wrap", wrap_coroutine},
      {"yield", yield_coroutine},     {"running", running_coroutine},
      {"isyieldable", is_yieldable},  {"close", close_coroutine},
      {NULL, NULL},
  };
  lua_getglobal(L, "coroutine");
  luaL_setfuncs(L, ours, 0);
  lua_pop(L, 1);
}

// A hook of the script replaces the one that stops it, so arm that one again.
static int set_hook(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  if (atomic_load(&luath_host_of(L)->stop) != LUATH_STOP_NONE) luath_arm(L);
  return lua_gettop(L);
}

void luath_replace_hooks(lua_State *L) {
  lua_getglobal(L, "debug");
  lua_getfield(L, -1, "sethook");
  lua_pushcclosure(L, set_hook, 1);
  lua_setfield(L, -2, "sethook");
  lua_pop(L, 1);
}
