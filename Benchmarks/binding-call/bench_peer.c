// The plain C peer of the binding calls: a Lua module written as the manual teaches, with a
// function that does the same work as the Swift one it is compared with. Also the clocks that Lua lacks.
#include <lauxlib.h>
#include <lua.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

// As crypto.equal: whether two strings are equal, in a time that depends on their length only.
static int equal(lua_State *L) {
  size_t length, other_length;
  const char *text = luaL_checklstring(L, 1, &length);
  const char *other = luaL_checklstring(L, 2, &other_length);
  uint64_t difference = length != other_length;
  if (length == other_length) {
    size_t i = 0;
    for (; length - i >= 8; i += 8) {
      uint64_t one, two;
      memcpy(&one, text + i, 8);
      memcpy(&two, other + i, 8);
      difference |= one ^ two;
    }
    for (; i < length; i++) difference |= (unsigned char)(text[i] ^ other[i]);
  }
  lua_pushboolean(L, difference == 0);
  return 1;
}

static int push_seconds(lua_State *L, clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  lua_pushnumber(L, (lua_Number)time.tv_sec + (lua_Number)time.tv_nsec / 1e9);
  return 1;
}

static int now(lua_State *L) { return push_seconds(L, CLOCK_MONOTONIC); }

// The time this thread ran, without that in which the machine did other work.
static int spent(lua_State *L) { return push_seconds(L, CLOCK_THREAD_CPUTIME_ID); }

int luaopen_bench_peer(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"equal", equal}, {"now", now}, {"spent", spent}, {NULL, NULL},
  };
  luaL_newlib(L, functions);
  return 1;
}
