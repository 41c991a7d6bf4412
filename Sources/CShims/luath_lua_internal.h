// What the C files of the Lua seam share among themselves.
#ifndef LUATH_LUA_INTERNAL_H
#define LUATH_LUA_INTERNAL_H

#include "luath_lua.h"

#include <string.h>

// Addresses that name things; their values do not matter.
extern const char luath_wait_mark, luath_object_magic;

// The `lua_Alloc` of a host (manual, lua_Alloc).
void *luath_allocate(void *host, void *block, size_t old_size, size_t size);

// Leaves the script for good. [-0, +0, v]
int luath_leave(lua_State *L);
// Names the host that runs on this thread, and answers the one that did. [-0, +0, -]
luath_host *luath_swap_thread_host(luath_host *host);
// Makes the next instruction of the coroutine leave. [-0, +0, -]
void luath_arm(lua_State *L);

// The name of a value's kind, for errors; may leave a value on the stack. [-0, +(0|1), e]
const char *luath_kind_name(lua_State *L, int index);
// Whether a value fits; what is wrong inside a table is raised. [-0, +0, v]
bool luath_fits(
    lua_State *L, const luath_function *function, int argument, const luath_parameter *parameter,
    int index);
// Raises unless the argument fits. [-0, +0, v]
void luath_check_closely(lua_State *L, const luath_function *function, int index);
void luath_refuse_extra(lua_State *L, const luath_function *function);
// The kind that a value of each Lua type has without a look inside; one up, as no value is -1.
extern const uint32_t luath_plain_kinds[LUA_NUMTYPES + 1];

// Raises the value on top: an error object gets its place and traceback. [-1, +0, v]
int luath_raise_error(lua_State *L);
// Gives Lua what the host answered. [-?, +?, v]
int luath_settle(lua_State *L, luath_host *host, luath_function *function, int answer);
bool luath_is_ours(const luath_host *host, lua_CFunction function);

bool luath_is_entry(lua_CFunction function);

void luath_replace_coroutines(lua_State *L);
void luath_replace_hooks(lua_State *L);
// Puts our `os.execute` and `io.popen` in place of Lua's. [-0, +0, m]
void luath_replace_commands(lua_State *L);
// Whether the running code was asked to stop or to raise "interrupted". [-0, +0, -]
static inline bool luath_must_leave(luath_host *host) {
  return atomic_load(&host->stop) != LUATH_STOP_NONE || atomic_load(&host->interrupted);
}
// The signal of `luath_watch_signal`; 0 = none. [-0, +0, -]
int luath_watched_signal(void);
int luath_index_object(lua_State *L);

// In the header, as it is part of every call.
static inline void luath_check_arguments(lua_State *L, const luath_function *function) {
  int count = function->parameter_count;
  int extra = lua_gettop(L) - count;
  const luath_parameter *parameter = function->parameters;
  for (int index = 1; index <= count; index++, parameter++) {
    if (!(parameter->kinds & luath_plain_kinds[lua_type(L, index) + 1])) {
      luath_check_closely(L, function, index);
    }
  }
  if (extra == 0) return;
  // Positions of missing optional arguments read as nil.
  if (extra < 0) {
    lua_settop(L, count);
  } else if (!function->variadic) {
    luath_refuse_extra(L, function);
  }
}

#endif
