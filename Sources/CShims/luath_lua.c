#include "luath_lua.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Addresses that name things; their values do not matter.
static const char wait_mark, object_magic, methods_key;

static _Thread_local luath_host *thread_host;
static int watched_signal;

// ---- memory

static void *refuse(luath_host *host, void *block, size_t size) {
  if (host->refuse_all) {
    // The second refusal of the same request: Lua raises now.
    if (host->refused_size == size && host->refused_block == block) host->refuse_all = false;
    host->refused_size = size;
    host->refused_block = block;
    return NULL;
  }
  // Lua collects all garbage and tries once more before it gives up (lmem.c, luaM_realloc_), so
  // the same request refused twice is the end. Armed here, a `pcall` cannot swallow it.
  if (host->refused_size == size && host->refused_block == block) {
    luath_stop(host, LUATH_STOP_MEMORY);
  }
  host->refused_size = size;
  host->refused_block = block;
  return NULL;
}

static void *allocate(void *context, void *block, size_t old_size, size_t size) {
  luath_host *host = context;
  if (block == NULL) old_size = 0;  // then it holds the kind of object
  if (size == 0) {
    free(block);
    host->used -= old_size;
    return NULL;
  }
  if (host->refuse_all && host->inside == 0 && size > old_size) return refuse(host, block, size);
  if (size > old_size && host->limit != 0 && host->used + (size - old_size) > host->limit &&
      host->inside == 0) {
    return refuse(host, block, size);
  }
  void *result = realloc(block, size);
  if (result == NULL) {
    if (size <= old_size) return block;  // Lua assumes that shrinking cannot fail
    if (host->inside == 0) return refuse(host, block, size);
    // A longjmp from here would cross Swift frames.
    static const char words[] = "luath: error: the machine has no memory left\n";
    (void)!write(STDERR_FILENO, words, sizeof words - 1);
    _exit(8);
  }
  host->used += size - old_size;
  if (size > old_size) host->refused_size = 0;
  return result;
}

// ---- stopping

// Leaves the script for good. Where Lua can yield it yields, so that no `pcall` and no message
// handler of the script runs. Elsewhere it fails an allocation, because that is the one error for
// which Lua does not call the message handler (ldo.c, luaD_throw), and a handler called from a hook
// would run with hooks off, that is, for ever.
static int leave(lua_State *L) {
  if (lua_isyieldable(L)) return lua_yield(L, 0);
  luath_host *host = luath_host_of(L);
  host->refuse_all = true;
  lua_newuserdatauv(L, 1, 0);
  return 0;
}

static void stop_hook(lua_State *L, lua_Debug *record) {
  (void)record;
  leave(L);
}

// Only count and line hooks may yield (manual 4.7, lua_yield).
static void arm(lua_State *L) { lua_sethook(L, stop_hook, LUA_MASKCOUNT, 1); }

void luath_stop(luath_host *host, int reason) {
  int none = LUATH_STOP_NONE;
  atomic_compare_exchange_strong(&host->stop, &none, reason);
  lua_State *current = atomic_load(&host->current);
  if (current != NULL) arm(current);
}


static void on_signal(int number) {
  (void)number;
  int saved = errno;
  if (thread_host != NULL) {
    int reason = atomic_load(&thread_host->stop);
    if (reason != LUATH_STOP_NONE) luath_stop(thread_host, reason);
  }
  errno = saved;
}

void luath_watch_signal(int number) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, NULL);
  watched_signal = number;
}

void luath_adopt_thread(luath_host *host) {
  thread_host = host;
  if (watched_signal == 0) return;
  // Threads that dispatch queues start are born with their signals blocked.
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, watched_signal);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

void luath_request_stop(luath_host *host, int reason) {
  int none = LUATH_STOP_NONE;
  atomic_compare_exchange_strong(&host->stop, &none, reason);
}

// ---- arguments

static int argument_error(
    lua_State *L, const luath_function *function, int index, const char *message) {
  // An assignment to a property is no call: its usage is only a name.
  if (strchr(function->usage, '(') == NULL) {
    return luaL_error(L, "%s: %s", function->usage, message);
  }
  // The wording is luaL_argerror's; the usage tells what to write instead.
  return luaL_argerror(L, index, lua_pushfstring(L, "%s; usage: %s", message, function->usage));
}

static const char *kind_name(lua_State *L, int index) {
  luath_object *object = luath_to_object(L, index);
  if (object != NULL) return object->type->name;
  if (lua_type(L, index) == LUA_TTABLE && luaL_getmetafield(L, index, "__name") == LUA_TSTRING) {
    return lua_tostring(L, -1);
  }
  return luaL_typename(L, index);
}

static bool fits(
    lua_State *L, const luath_function *function, int argument, const luath_parameter *parameter,
    int index);

// Whether the bytes are UTF-8 (RFC 3629: shortest form, no surrogates, up to U+10FFFF).
static bool is_utf8(const unsigned char *text, size_t length) {
  size_t at = 0;
  while (at < length) {
    unsigned char first = text[at++];
    if (first < 0x80) continue;
    int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
    if (first < 0xC2 || first > 0xF4 || length - at < (size_t)more) return false;
    unsigned char second = text[at];
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
        (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) {
      return false;
    }
    for (; more > 0; more--) {
      if ((text[at++] & 0xC0) != 0x80) return false;
    }
  }
  return true;
}

// Refuses other bytes than text: replaced silently, two passwords could become one. [-0, +0, v]
static void check_text(lua_State *L, const luath_function *function, int argument, int index) {
  size_t length;
  const char *text = lua_tolstring(L, index, &length);
  if (is_utf8((const unsigned char *)text, length)) return;
  argument_error(L, function, argument, "text in UTF-8 expected, got a string with other bytes");
}

static bool fits_options(
    lua_State *L, const luath_function *function, int argument, const luath_parameter *parameter,
    int index) {
  lua_pushnil(L);
  while (lua_next(L, index) != 0) {
    const luath_parameter *field = NULL;
    if (lua_type(L, -2) == LUA_TSTRING) {
      size_t length;
      const char *key = lua_tolstring(L, -2, &length);
      for (int i = 0; i < parameter->field_count; i++) {
        const char *name = parameter->fields[i].name;
        // A key may hold zero bytes.
        if (strlen(name) == length && memcmp(name, key, length) == 0) field = &parameter->fields[i];
      }
    }
    if (field == NULL) {
      luaL_Buffer known;
      const char *key = luaL_tolstring(L, -2, NULL);
      luaL_buffinit(L, &known);
      for (int i = 0; i < parameter->field_count; i++) {
        if (i > 0) luaL_addstring(&known, ", ");
        luaL_addstring(&known, parameter->fields[i].name);
      }
      luaL_pushresult(&known);
      argument_error(
          L, function, argument,
          lua_pushfstring(L, "no option '%s' (known: %s)", key, lua_tostring(L, -1)));
    }
    if (!fits(L, function, argument, field, lua_gettop(L))) {
      argument_error(
          L, function, argument,
          lua_pushfstring(
              L, "option '%s': %s expected, got %s", field->name, field->expected,
              kind_name(L, -1)));
    }
    lua_pop(L, 1);
  }
  return true;
}

static bool fits_items(
    lua_State *L, const luath_function *function, int argument, const luath_parameter *parameter,
    int index) {
  bool list = (parameter->kinds & LUATH_LIST) != 0;
  lua_Unsigned length = lua_rawlen(L, index);
  lua_pushnil(L);
  while (lua_next(L, index) != 0) {
    if (list) {
      lua_Integer key = lua_isinteger(L, -2) ? lua_tointeger(L, -2) : 0;
      if (key < 1 || (lua_Unsigned)key > length) {
        argument_error(
            L, function, argument,
            lua_pushfstring(
                L, "%s expected, got a table with the key '%s'", parameter->expected,
                luaL_tolstring(L, -2, NULL)));
      }
    } else if (lua_type(L, -2) != LUA_TSTRING) {
      argument_error(
          L, function, argument,
          lua_pushfstring(
              L, "%s expected, got a key that is a %s", parameter->expected,
              luaL_typename(L, -2)));
    } else {
      check_text(L, function, argument, -2);
    }
    if (!fits(L, function, argument, parameter->item, lua_gettop(L))) {
      argument_error(
          L, function, argument,
          lua_pushfstring(
              L, "%s expected, got %s at '%s'", parameter->expected, kind_name(L, -1),
              luaL_tolstring(L, -2, NULL)));
    }
    lua_pop(L, 1);
  }
  return true;
}

static bool fits(
    lua_State *L, const luath_function *function, int argument, const luath_parameter *parameter,
    int index) {
  uint32_t kinds = parameter->kinds;
  if (kinds & LUATH_ANY) return lua_type(L, index) != LUA_TNONE || parameter->optional;
  switch (lua_type(L, index)) {
    case LUA_TNONE:
    case LUA_TNIL:
      return parameter->optional || (kinds & LUATH_NIL);
    case LUA_TBOOLEAN:
      return kinds & LUATH_BOOLEAN;
    case LUA_TNUMBER: {
      int integral;
      if (kinds & LUATH_NUMBER) return true;
      if (!(kinds & LUATH_INTEGER)) return false;
      lua_tointegerx(L, index, &integral);
      return integral;
    }
    case LUA_TSTRING:
      if (kinds & LUATH_BYTES) return true;
      if (!(kinds & LUATH_STRING)) return false;
      check_text(L, function, argument, index);
      return true;
    case LUA_TFUNCTION:
      return kinds & LUATH_FUNCTION;
    case LUA_TTABLE:
      if (kinds & LUATH_TABLE) return true;
      if (kinds & (LUATH_LIST | LUATH_MAP | LUATH_OPTIONS)) {
        luaL_checkstack(L, 12, "too many nested values");
        int top = lua_gettop(L);
        bool good = (kinds & LUATH_OPTIONS) ? fits_options(L, function, argument, parameter, index)
                                            : fits_items(L, function, argument, parameter, index);
        lua_settop(L, top);
        return good;
      }
      return false;
    case LUA_TUSERDATA: {
      luath_object *object = luath_to_object(L, index);
      if (object == NULL || !(kinds & LUATH_OBJECT)) return false;
      for (int i = 0; i < parameter->class_count; i++) {
        if (parameter->classes[i] == object->type) return true;
      }
      return false;
    }
    default:
      return false;
  }
}

// The kind that a value of each Lua type has without a look inside; one up, as no value is -1.
static const uint32_t plain_kinds[LUA_NUMTYPES + 1] = {
    [LUA_TNIL + 1] = LUATH_NIL,       [LUA_TBOOLEAN + 1] = LUATH_BOOLEAN,
    [LUA_TNUMBER + 1] = LUATH_NUMBER, [LUA_TSTRING + 1] = LUATH_BYTES,
    [LUA_TTABLE + 1] = LUATH_TABLE,   [LUA_TFUNCTION + 1] = LUATH_FUNCTION,
};

// What follows is out of the way of the usual call, whose cost is that of its few instructions.

__attribute__((cold, noinline)) static void refuse_argument(
    lua_State *L, const luath_function *function, int index) {
  argument_error(
      L, function, index,
      lua_pushfstring(
          L, "%s expected, got %s", function->parameters[index - 1].expected,
          index > lua_gettop(L) ? "no value" : kind_name(L, index)));
}

__attribute__((cold, noinline)) static void refuse_extra(
    lua_State *L, const luath_function *function) {
  int index = function->parameter_count + 1;
  argument_error(
      L, function, index,
      lua_pushfstring(L, "no value expected, got %s", luaL_typename(L, index)));
}

__attribute__((noinline)) static void check_closely(
    lua_State *L, const luath_function *function, int index) {
  if (!fits(L, function, index, &function->parameters[index - 1], index)) {
    refuse_argument(L, function, index);
  }
}

static inline void check_arguments(lua_State *L, const luath_function *function) {
  int count = function->parameter_count;
  int extra = lua_gettop(L) - count;
  const luath_parameter *parameter = function->parameters;
  for (int index = 1; index <= count; index++, parameter++) {
    if (!(parameter->kinds & plain_kinds[lua_type(L, index) + 1])) {
      check_closely(L, function, index);
    }
  }
  if (extra == 0) return;
  // Positions of missing optional arguments read as nil.
  if (extra < 0) {
    lua_settop(L, count);
  } else if (!function->variadic) {
    refuse_extra(L, function);
  }
}

// ---- calls into the host

// Pushes "file:line: " of the innermost function of the script, or "". The library's own lines tell
// nobody anything: `luath.try(f)` shall name the line that called it. [-0, +1, m]
static void push_place(lua_State *L) {
  lua_Debug record;
  for (int level = 1; lua_getstack(L, level, &record); level++) {
    lua_getinfo(L, "Sl", &record);
    if (record.currentline <= 0 || strncmp(record.source, "=luath/", 7) == 0) continue;
    lua_pushfstring(L, "%s:%d: ", record.short_src, record.currentline);
    return;
  }
  lua_pushliteral(L, "");
}

// Gives an error object the place and the traceback of the call that failed. [-1, +1, m]
static void decorate(lua_State *L) {
  if (!lua_istable(L, -1)) return;
  lua_pushliteral(L, "traceback");
  if (lua_rawget(L, -2) != LUA_TNIL) {  // raised again: keep where it came from
    lua_pop(L, 1);
    return;
  }
  lua_pop(L, 1);
  push_place(L);
  size_t length;
  const char *where = lua_tolstring(L, -1, &length);
  if (length >= 2) {  // "file:line: "
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

__attribute__((cold, noinline)) static int raise_error(lua_State *L) {
  if (lua_type(L, -1) == LUA_TSTRING) {
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  } else {
    decorate(L);
  }
  return lua_error(L);
}

__attribute__((cold, noinline)) static int refuse_wait(lua_State *L, const luath_function *function) {
  lua_Debug record;
  const char *inside = NULL;
  for (int level = 1; inside == NULL && lua_getstack(L, level, &record); level++) {
    lua_getinfo(L, "Sn", &record);
    if (strcmp(record.what, "C") == 0) inside = record.name != NULL ? record.name : "a C function";
    if (record.name != NULL && strcmp(record.namewhat, "metamethod") == 0) inside = record.name;
  }
  return luaL_error(
      L,
      "%s waits, and Lua cannot wait inside '%s' (nor in sort, gsub, tostring or a message "
      "handler); call it before and pass in the result",
      function->usage, inside != NULL ? inside : "this construct");
}

static int settle(lua_State *L, luath_host *host, luath_function *function, int answer);

static int resumed(lua_State *L, int status, lua_KContext context) {
  (void)status;
  luath_function *function = (luath_function *)context;
  luath_host *host = luath_host_of(L);
  host->inside++;
  int answer = function->finish(L, function->binding);
  host->inside--;
  return settle(L, host, function, answer);
}

__attribute__((noinline)) static int settle(
    lua_State *L, luath_host *host, luath_function *function, int answer) {
  if (host->limit != 0 && host->used > host->limit) {
    // The host went past the limit on the script's behalf: now the script hears of it.
    lua_gc(L, LUA_GCCOLLECT);
    if (host->used > host->limit) luath_stop(host, LUATH_STOP_MEMORY);
  }
  if (atomic_load_explicit(&host->stop, memory_order_relaxed) != LUATH_STOP_NONE) {
    arm(L);
    return leave(L);
  }
  if (answer >= 0) return answer;
  if (answer == LUATH_RAISE) return raise_error(L);
  if (answer == LUATH_RAISE_AGAIN) {
    decorate(L);
    return lua_error(L);
  }
  lua_pushlightuserdata(L, (void *)&wait_mark);
  return lua_yieldk(L, 1, (lua_KContext)function, resumed);
}

__attribute__((always_inline)) static inline int call_function(lua_State *L, luath_function *function) {
  check_arguments(L, function);
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
  return settle(L, host, function, answer);
}

static int trampoline(lua_State *L) {
  return call_function(L, lua_touserdata(L, lua_upvalueindex(1)));
}

__attribute__((noinline)) static int call_slot(lua_State *L, int slot) {
  return call_function(L, luath_host_of(L)->slots[slot]);
}

// Looking up an upvalue is a tenth of a short call, so the first functions have no upvalue but a C
// function each: slot_00 to slot_FF.
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

static bool is_ours(const luath_host *host, lua_CFunction function) {
  if (function == trampoline) return true;
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

// ---- objects

luath_object *luath_to_object(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TUSERDATA) return NULL;
  if (lua_rawlen(L, index) != sizeof(luath_object)) return NULL;
  luath_object *object = lua_touserdata(L, index);
  return object->magic == &object_magic ? object : NULL;
}

static int collect(lua_State *L) {
  luath_object *object = luath_to_object(L, 1);
  if (object != NULL && object->reference != NULL) {
    // Lua may run this while the state is half closed: it only gives back the reference.
    object->type->release(object->reference);
    object->reference = NULL;
  }
  return 0;
}

static int same_object(lua_State *L) {
  luath_object *left = luath_to_object(L, 1), *right = luath_to_object(L, 2);
  lua_pushboolean(
      L, left != NULL && right != NULL && left->type == right->type &&
             left->reference == right->reference);
  return 1;
}

static luath_object *self_of(lua_State *L) {
  luath_object *object = luath_to_object(L, 1);
  const luath_class *type = lua_touserdata(L, lua_upvalueindex(1));
  if (object == NULL || object->type != type) luaL_typeerror(L, 1, type->name);
  return object;
}

static int unknown_field(lua_State *L, luath_object *object, bool writing) {
  const char *name = luaL_tolstring(L, 2, NULL);
  luath_host *host = luath_host_of(L);
  host->inside++;
  object->type->unknown_field(L, object->type->context, name, writing);
  host->inside--;
  return raise_error(L);
}

static int index_object(lua_State *L) {
  luath_object *object = self_of(L);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(2)) != LUA_TNIL) return 1;
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(3)) == LUA_TNIL) return unknown_field(L, object, false);
  luath_property *property = lua_touserdata(L, -1);
  if (property->stored) {
    luath_push_stored_property(L, 1, property->name);
    return 1;
  }
  luath_host *host = luath_host_of(L);
  lua_settop(L, 1);
  host->inside++;
  int answer = property->get->invoke(L, property->get->binding);
  host->inside--;
  return settle(L, host, property->get, answer);
}

static int assign_object(lua_State *L) {
  luath_object *object = self_of(L);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(2)) == LUA_TNIL) return unknown_field(L, object, true);
  luath_property *property = lua_touserdata(L, -1);
  if (property->set == NULL) {
    return luaL_error(L, "%s.%s is read only", object->type->name, property->name);
  }
  const luath_parameter *parameter = &property->set->parameters[1];
  lua_settop(L, 3);
  if (!fits(L, property->set, 3, parameter, 3)) {
    return luaL_error(
        L, "%s.%s: %s expected, got %s", object->type->name, property->name, parameter->expected,
        kind_name(L, 3));
  }
  lua_remove(L, 2);  // now self, value
  luath_host *host = luath_host_of(L);
  host->inside++;
  int answer = property->set->invoke(L, property->set->binding);
  host->inside--;
  if (answer >= 0 && property->stored) {
    lua_settop(L, 2);
    luath_store_property(L, 1, property->name);
  }
  return settle(L, host, property->set, answer >= 0 ? 0 : answer);
}

void luath_store_property(lua_State *L, int object, const char *name) {
  object = lua_absindex(L, object);
  if (lua_getiuservalue(L, object, 1) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_createtable(L, 0, 4);
    lua_pushvalue(L, -1);
    lua_setiuservalue(L, object, 1);
  }
  lua_insert(L, -2);
  lua_pushstring(L, name);
  lua_insert(L, -2);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

void luath_push_stored_property(lua_State *L, int object, const char *name) {
  if (lua_getiuservalue(L, object, 1) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_pushnil(L);
    return;
  }
  lua_pushstring(L, name);
  lua_rawget(L, -2);
  lua_remove(L, -2);
}

void luath_register_class(
    lua_State *L, const luath_class *type, luath_property *properties, int property_count) {
  int methods = lua_gettop(L);
  lua_createtable(L, 0, 8);
  int metatable = lua_gettop(L);
  lua_pushstring(L, type->name);
  lua_setfield(L, metatable, "__name");
  lua_pushcfunction(L, collect);
  lua_setfield(L, metatable, "__gc");
  // Each push makes a userdata of its own; two of one object are equal.
  lua_pushcfunction(L, same_object);
  lua_setfield(L, metatable, "__eq");
  // Scripts see the class by name and cannot reach the metatable.
  lua_pushstring(L, type->name);
  lua_setfield(L, metatable, "__metatable");
  if (type->describe != NULL) {
    luath_push_function(L, type->describe);
    lua_setfield(L, metatable, "__tostring");
  }
  lua_createtable(L, 0, property_count);
  for (int i = 0; i < property_count; i++) {
    lua_pushlightuserdata(L, &properties[i]);
    lua_setfield(L, -2, properties[i].name);
  }
  int fields = lua_gettop(L);
  lua_pushlightuserdata(L, (void *)type);
  lua_pushvalue(L, methods);
  lua_pushvalue(L, fields);
  lua_pushcclosure(L, index_object, 3);
  lua_setfield(L, metatable, "__index");
  lua_pushlightuserdata(L, (void *)type);
  lua_pushvalue(L, fields);
  lua_pushcclosure(L, assign_object, 2);
  lua_setfield(L, metatable, "__newindex");
  lua_pushvalue(L, methods);
  lua_rawsetp(L, metatable, &methods_key);
  lua_pushvalue(L, metatable);
  lua_rawsetp(L, LUA_REGISTRYINDEX, type);
  lua_settop(L, methods - 1);
}

void luath_push_object(lua_State *L, const luath_class *type, void *reference) {
  luath_object *object = lua_newuserdatauv(L, sizeof *object, 1);
  object->magic = &object_magic;
  object->type = type;
  object->reference = reference;
  lua_rawgetp(L, LUA_REGISTRYINDEX, type);
  lua_setmetatable(L, -2);
}

// ---- coroutines: a host wait passes through the script's own coroutines

static int resume_coroutine(lua_State *L);
static int call_wrapped(lua_State *L);

// True when `co` is suspended in a host wait, which only the host may end.
static bool in_wait(lua_State *co) {
  lua_Debug record;
  if (lua_status(co) != LUA_YIELD || !lua_getstack(co, 0, &record)) return false;
  lua_getinfo(co, "f", &record);
  lua_CFunction function = lua_tocfunction(co, -1);
  lua_pop(co, 1);
  return function == resume_coroutine || function == call_wrapped || function == index_object ||
         is_ours(luath_host_of(co), function);
}

static int after_wait(lua_State *L, int status, lua_KContext context);

// Resumes `co`; answers the count of values moved to L, or -1 with an error value moved.
// Does not return when `co` waits for the host: then L waits too.
static int step(lua_State *L, lua_State *co, int arguments, lua_KContext wrapped) {
  luath_host *host = luath_host_of(L);
  bool blocks = !lua_isyieldable(L);
  int results = 0;
  if (blocks) host->blocked++;
  atomic_store_explicit(&host->current, co, memory_order_relaxed);
  if (atomic_load_explicit(&host->stop, memory_order_relaxed) != LUATH_STOP_NONE) arm(co);
  int status = lua_resume(co, L, arguments, &results);
  atomic_store_explicit(&host->current, L, memory_order_relaxed);
  if (blocks) host->blocked--;
  if (atomic_load_explicit(&host->stop, memory_order_relaxed) != LUATH_STOP_NONE) arm(L);
  // The stack of `co` stays as it is: emptying it would run the script's `__close`.
  if (status == LUA_YIELD && atomic_load(&host->stop) != LUATH_STOP_NONE) return leave(L);
  if (status == LUA_YIELD && luath_waits(co, results)) {
    lua_pop(co, 1);
    lua_pushlightuserdata(L, (void *)&wait_mark);
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

static int finish_wrapped(lua_State *L, lua_State *co, int results) {
  if (results >= 0) return results;
  int status = lua_status(co);
  if (status != LUA_OK && status != LUA_YIELD) {
    status = lua_resetthread(co);  // runs pending __close; 5.4.4 has no lua_closethread
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

// Moves the arguments over, or answers false with a message on L. [-n, +(0|1), -]
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

static void replace_coroutines(lua_State *L) {
  static const luaL_Reg ours[] = {
      {"resume", resume_coroutine},   {"wrap", wrap_coroutine},
      {"yield", yield_coroutine},     {"running", running_coroutine},
      {"isyieldable", is_yieldable},  {NULL, NULL},
  };
  lua_getglobal(L, "coroutine");
  luaL_setfuncs(L, ours, 0);
  lua_pop(L, 1);
}

// A hook of the script takes the place of the one that stops it, so that one is put back.
static int set_hook(lua_State *L) {
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  if (atomic_load(&luath_host_of(L)->stop) != LUATH_STOP_NONE) arm(L);
  return lua_gettop(L);
}

static void replace_hooks(lua_State *L) {
  lua_getglobal(L, "debug");
  lua_getfield(L, -1, "sethook");
  lua_pushcclosure(L, set_hook, 1);
  lua_setfield(L, -2, "sethook");
  lua_pop(L, 1);
}

// ---- the state

static int open_libraries(lua_State *L) {
  luaL_openlibs(L);
  replace_coroutines(L);
  replace_hooks(L);
  // Generational mode suits many short-lived tables (requests, rows); manual 2.5.2.
  lua_gc(L, LUA_GCGEN, 0, 0);
  return 0;
}

static int panic(lua_State *L) {
  const char *message = lua_tostring(L, -1);
  fprintf(stderr, "luath: internal error: unprotected Lua error: %s\n", message ? message : "?");
  fflush(NULL);
  _exit(8);
}

lua_State *luath_open(luath_host *host) {
  host->inside = 1;
  lua_State *L = lua_newstate(allocate, host);
  if (L == NULL) return NULL;
  lua_atpanic(L, panic);
  *(luath_host **)lua_getextraspace(L) = host;
  host->main = L;
  lua_pushcfunction(L, open_libraries);
  if (lua_pcall(L, 0, 0, 0) != LUA_OK) {
    lua_close(L);
    return NULL;
  }
  return L;
}

void luath_close(luath_host *host) {
  atomic_store(&host->current, NULL);
  host->inside = 1;
  lua_close(host->main);
}

bool luath_waits(lua_State *co, int results) {
  return results == 1 && lua_islightuserdata(co, -1) &&
         lua_touserdata(co, -1) == (void *)&wait_mark;
}

int luath_resume(luath_host *host, lua_State *root, int arguments, int *results) {
  int inside = host->inside;
  lua_State *previous_root = host->root;
  lua_State *previous = atomic_load(&host->current);
  host->inside = 0;
  host->root = root;
  atomic_store(&host->current, root);
  if (atomic_load(&host->stop) != LUATH_STOP_NONE) arm(root);
  int status = lua_resume(root, NULL, arguments, results);
  atomic_store(&host->current, previous);
  host->root = previous_root;
  host->inside = inside;
  return status;
}

static int message_handler(lua_State *L) {
  if (lua_type(L, 1) == LUA_TSTRING) luaL_traceback(L, L, lua_tostring(L, 1), 1);
  return 1;
}

int luath_pcall(lua_State *L, int arguments, int results, bool traceback) {
  luath_host *host = luath_host_of(L);
  int inside = host->inside, handler = 0;
  if (traceback) {
    handler = lua_gettop(L) - arguments;
    lua_pushcfunction(L, message_handler);
    lua_insert(L, handler);
  }
  host->inside = 0;
  // So that a stop finds the code that runs here, outside any coroutine.
  lua_State *previous = atomic_load(&host->current);
  atomic_store(&host->current, L);
  if (atomic_load(&host->stop) != LUATH_STOP_NONE) arm(L);
  int status = lua_pcall(L, arguments, results, handler);
  atomic_store(&host->current, previous);
  if (previous != NULL && atomic_load(&host->stop) != LUATH_STOP_NONE) arm(previous);
  host->inside = inside;
  if (traceback) lua_remove(L, handler);
  return status;
}

int luath_load(lua_State *L, const char *text, size_t length, const char *name) {
  return luaL_loadbufferx(L, text, length, name, "t");
}

void luath_push_traceback(lua_State *L, lua_State *of, const char *message, int level) {
  luaL_traceback(L, of, message, level);
}
