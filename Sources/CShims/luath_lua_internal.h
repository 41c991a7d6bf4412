// Declarations shared by the C files of the Lua bridge.
#ifndef LUATH_LUA_INTERNAL_H
#define LUATH_LUA_INTERNAL_H

#include "luath_lua.h"

#include <string.h>

// Only the addresses of these are used, as unique marks.
extern const char luath_wait_mark, luath_object_magic;

// The `lua_Alloc` of a host (manual, lua_Alloc).
void *luath_allocate(void *host, void *block, size_t old_size, size_t size);

// Leaves the stopped script, which never continues. [-0, +0, v]
int luath_leave(lua_State *L);
// Sets the host that runs on this thread, and returns the previous one. [-0, +0, -]
luath_host *luath_swap_thread_host(luath_host *host);
// Makes the coroutine leave at its next instruction. [-0, +0, -]
void luath_arm(lua_State *L);

// The name of a value's kind, for error messages; may leave a value on the stack. [-0, +(0|1), e]
const char *luath_kind_name(lua_State *L, int index);
// Whether a value has an accepted kind; raises an error for a fault inside a table. [-0, +0, v]
bool luath_fits(
    lua_State *L, const luath_function *function, int argument, const luath_parameter *parameter,
    int index);
// Raises an error unless the argument has an accepted kind. [-0, +0, v]
void luath_check_closely(lua_State *L, const luath_function *function, int index);
void luath_refuse_extra(lua_State *L, const luath_function *function);
// The kind of each Lua type, as far as the type alone decides; indexed by type + 1, as LUA_TNONE is -1.
extern const uint32_t luath_plain_kinds[LUA_NUMTYPES + 1];

// Raises the value on top; adds position and traceback to an error object. [-1, +0, v]
int luath_raise_error(lua_State *L);
// Returns, raises or yields, as the result of the host function says. [-?, +?, v]
int luath_settle(lua_State *L, luath_host *host, luath_function *function, int answer);
bool luath_is_ours(const luath_host *host, lua_CFunction function);

bool luath_is_entry(lua_CFunction function);

void luath_replace_coroutines(lua_State *L);
void luath_replace_hooks(lua_State *L);
// Replaces `os.execute` and `io.popen` by ours. [-0, +0, m]
void luath_replace_commands(lua_State *L);
// Whether the running code has to stop or to raise "interrupted". [-0, +0, -]
static inline bool luath_must_leave(luath_host *host) {
  return atomic_load(&host->stop) != LUATH_STOP_NONE || atomic_load(&host->interrupted);
}
// The signal of `luath_watch_signal`; 0 = none. [-0, +0, -]
int luath_watched_signal(void);
int luath_index_object(lua_State *L);
// Releases the objects that finalizers made while the state closed, once it is closed. [-0, +0, -]
void luath_release_late_objects(luath_host *host);

// Inline, as it is part of every call.
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
