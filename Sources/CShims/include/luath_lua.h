// The bridge between Lua and Swift.
//
// Lua reports errors and yields with longjmp, which must never cross a Swift frame: it would skip
// releases and leave exclusive accesses open. So Lua only ever calls the C functions of this file.
// They check arguments before Swift is entered, and raise or yield after Swift has returned a code.
// Functions carry the stack notation of the Lua manual, [-pops, +pushes, raises].
#ifndef LUATH_LUA_H
#define LUATH_LUA_H

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Why a script was stopped. It stays set, so that a `pcall` in the script cannot swallow the stop.
enum luath_stop_reason {
  LUATH_STOP_NONE = 0,
  LUATH_STOP_TIME = 1,
  LUATH_STOP_MEMORY = 2,
  LUATH_STOP_INTERRUPT = 3,
  LUATH_STOP_EXIT = 4,
};

// What a Swift function returns instead of a number of results.
enum luath_answer {
  LUATH_RAISE = -1,  // the error value is on top of the stack
  LUATH_WAIT = -2,   // the call has not ended; the host resumes it
  LUATH_RAISE_AGAIN = -3,  // like LUATH_RAISE, but for a caught value that already contains its position
};

enum { LUATH_SLOTS = 256 };

// One per Lua state; every thread of the state has a pointer to it in its extra space.
typedef struct luath_host {
  lua_State *main;
  lua_State *_Atomic current;  // the innermost running coroutine
  lua_State *root;             // the scheduled coroutine it runs in
  _Atomic int stop;            // enum luath_stop_reason
  _Atomic bool interrupted;    // the next instruction raises an error, once
  lua_State *stopped;          // the thread that a stop left between two instructions, and its line
  int stopped_line;
  // Lua's original functions, to distinguish them from C functions that cannot wait.
  lua_CFunction error, assert, pcall, xpcall;
  int blocked;                 // active resumes from a place where Lua cannot yield
  int inside;                  // > 0 while host code runs: allocations may exceed the limit
  size_t used, limit;          // bytes; limit 0 = none
  bool refuse_all;             // a stop leaves the script by a failed allocation
  // The first functions, each with a C function of its own; see luath_push_function.
  struct luath_function *slots[LUATH_SLOTS];
  int slot_count;
  size_t refused_size;         // the last allocation that was refused
  void *refused_block;
  bool overdrawn;              // a request beyond the limit was granted, as a stop follows
  // Pushes advice about an argument that is refused; false if there is none. [-0, +(0|1), m]
  bool (*explain)(lua_State *, void *binding, int index);
  bool closing;                // lua_close runs, and no object made now gets a finalizer
  struct luath_late_object *late;  // the objects made since
} luath_host;

// The kinds of Lua value that a parameter accepts; a mask.
enum luath_kind {
  LUATH_NIL = 1 << 0,
  LUATH_BOOLEAN = 1 << 1,
  LUATH_INTEGER = 1 << 2,  // also a float with an integral value
  LUATH_NUMBER = 1 << 3,
  LUATH_STRING = 1 << 4,   // text: must be UTF-8
  LUATH_TABLE = 1 << 5,
  LUATH_FUNCTION = 1 << 6,
  LUATH_OBJECT = 1 << 7,   // an instance of one of `classes`
  LUATH_ANY = 1 << 8,
  LUATH_LIST = 1 << 9,     // a table whose items 1..n are `item`
  LUATH_MAP = 1 << 10,     // a table of string keys whose values are `item`
  LUATH_OPTIONS = 1 << 11, // a table with only the keys of `fields`
  LUATH_BYTES = 1 << 12,   // a string of any bytes
};

typedef struct luath_class luath_class;

typedef struct luath_parameter {
  const char *name;
  const char *expected;  // the kinds in words, for error messages
  uint32_t kinds;
  bool optional;
  const luath_class *const *classes;
  int class_count;
  const struct luath_parameter *item;
  const struct luath_parameter *fields;
  int field_count;
} luath_parameter;

// A name for an argument in a call with one table: `with` of `signIn{ with = credential }`.
typedef struct luath_label {
  const char *name;
  int argument;       // the position, from 1
  const char *field;  // the option of that argument's table that the value becomes; NULL: it is the argument
} luath_label;

typedef struct luath_function {
  const char *usage;  // "auth:signIn(credential)"
  const luath_parameter *parameters;
  int parameter_count;
  bool variadic;  // arguments beyond the parameters are allowed
  bool called_table;  // a `__call`: the first argument is the table that was called
  bool waits;
  int (*invoke)(lua_State *, void *binding);
  int (*finish)(lua_State *, void *binding);  // after a wait
  void *binding;
  const luath_label *labels;
  int label_count;
  int slot;  // index among the host's slots plus one; 0 = not assigned yet, -1 = no slot left
} luath_function;

typedef struct luath_property {
  const char *name;
  luath_function *get;  // NULL when stored
  luath_function *set;  // NULL when read only; checks the value when stored
  bool stored;          // the Lua value itself is kept, so tables keep their identity
} luath_property;

struct luath_class {
  const char *name;
  void (*release)(void *reference);
  // Pushes the error message for a field that does not exist. [-0, +1, -]
  void (*unknown_field)(lua_State *, void *context, const char *name, bool writing);
  luath_function *describe;  // __tostring
  luath_function *close;  // __close, or NULL
  void *context;
};

typedef struct luath_object {
  const void *magic;
  const luath_class *type;
  void *reference;
  struct luath_late_object *late;  // the entry of an object that is made while the state closes; else NULL
} luath_object;

// Creates a state with the standard libraries, with ours in place of functions that cannot wait. NULL: no memory.
lua_State *luath_open(luath_host *host);
void luath_close(luath_host *host);

static inline luath_host *luath_host_of(lua_State *L) {
  return *(luath_host **)lua_getextraspace(L);
}

// Stops the script. Call it on the thread that runs the script; safe in a signal handler there.
void luath_stop(luath_host *host, int reason);
// Installs the handler for the signal that a watchdog sends to the script's thread.
void luath_watch_signal(int signal);
// Unblocks that signal on the calling thread, which is about to run scripts.
void luath_unblock_watch_signal(void);
// Records the stop that the signal's handler carries out.
void luath_request_stop(luath_host *host, int reason);
// Makes the signal's handler raise "interrupted" instead of stopping; the script may catch it.
void luath_request_interrupt(luath_host *host);
void luath_forget_interrupt(luath_host *host);
// Allows the state to run again after a stop; the stopped coroutines stay suspended.
void luath_forget_stop(luath_host *host);
static inline int luath_stop_of(luath_host *host) { return atomic_load(&host->stop); }

// Runs a scheduled coroutine until it ends, fails or waits. [-?, +?, -]
// Returns LUA_OK, LUA_YIELD (it waits) or an error status with the value on top.
int luath_resume(luath_host *host, lua_State *root, int arguments, int *results);
// True when `root` ended its last resume in a host wait rather than in a plain yield.
bool luath_waits(lua_State *root, int results);

// `lua_pcall` for the host; the script's memory limit applies during the call. [-(n+1), +r, -]
int luath_pcall(lua_State *L, int arguments, int results, bool traceback);
int luath_load(lua_State *L, const char *text, size_t length, const char *name);

// Pushes a closure for `function`. [-0, +1, m]
void luath_push_function(lua_State *L, luath_function *function);
// Pushes a closure that calls `function` with the value on top as its first argument. [-1, +1, m]
void luath_bind_function(lua_State *L, luath_function *function);
// Pushes "file:line" of the innermost script line, if there is one. [-0, +(0|1), m]
bool luath_push_script_line(lua_State *L);
// Whether the caller of the running function is a Lua function of the library. [-0, +0, -]
bool luath_is_called_by_library(lua_State *L);
// Pushes a function that wraps a Lua function in a C function, so that a tail call of it keeps the caller's
// frame. [-0, +1, -]
void luath_push_entry_maker(lua_State *L);
// Creates the metatable of a class; the table of methods is on top of the stack. [-1, +0, m]
void luath_register_class(
    lua_State *L, const luath_class *type, luath_property *properties, int property_count);
// [-0, +1, m]
void luath_push_object(lua_State *L, const luath_class *type, void *reference);
// Pushes the userdata recorded by `luath_remember_object`, if Lua still has it. [-0, +(0|1), m]
bool luath_push_known_object(lua_State *L, const luath_class *type, void *reference);
// Records the object on top for `luath_push_known_object`. [-0, +0, m]
void luath_remember_object(lua_State *L);
// The object at `index`, or NULL. [-0, +0, -]
luath_object *luath_to_object(lua_State *L, int index);
// Stores the value on top as the object's stored property `name`. [-1, +0, m]
void luath_store_property(lua_State *L, int object, const char *name);
void luath_push_stored_property(lua_State *L, int object, const char *name);

// Copies the fields of a table, by raw access, to the table `fields`, which has `known` of them; returns their number.
// [-0, +0, m]
lua_Integer luath_remember_fields(lua_State *L, int table, int fields, lua_Integer known);
// Sets the fields of a table to those that it had; `count` is their number, or -1 where it is unknown. [-0, +0, m]
void luath_restore_fields(lua_State *L, int table, int fields, lua_Integer count);

// Pushes a traceback of `L`. [-0, +1, m]
void luath_push_traceback(lua_State *L, lua_State *of, const char *message, int level);

// Lua's macros as functions.
static inline int luath_registry_index(void) { return LUA_REGISTRYINDEX; }
static inline void luath_pop(lua_State *L, int n) { lua_settop(L, -n - 1); }
static inline bool luath_is_none_or_nil(lua_State *L, int i) { return lua_type(L, i) <= 0; }
static inline lua_Number luath_to_number(lua_State *L, int i) { return lua_tonumberx(L, i, NULL); }

// A string in Lua's memory; returned by value, which is cheaper for the caller than an out parameter.
typedef struct luath_text {
  const char *start;  // NULL: neither string nor number
  size_t length;
} luath_text;

// Pushes the name of parameter `place` of the Lua function at `index`. [-0, +(0|1), m]
static inline bool luath_push_parameter_name(lua_State *L, int index, int place) {
  lua_Debug record;
  lua_pushvalue(L, index);
  lua_pushvalue(L, -1);
  lua_getinfo(L, ">u", &record);
  // A C function has no parameters with names (manual 4.7, lua_getlocal).
  const char *name = place <= record.nparams ? lua_getlocal(L, NULL, place) : NULL;
  lua_pop(L, 1);
  if (name != NULL) lua_pushstring(L, name);
  return name != NULL;
}

static inline luath_text luath_to_text(lua_State *L, int i) {
  luath_text text = {NULL, 0};
  text.start = lua_tolstring(L, i, &text.length);
  return text;
}

#endif
