// Opens and closes a state, and runs its scheduled coroutines.
#include "luath_lua_internal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static lua_CFunction global_function(lua_State *L, const char *name) {
  lua_getglobal(L, name);
  lua_CFunction function = lua_tocfunction(L, -1);
  lua_pop(L, 1);
  return function;
}

static int open_libraries(lua_State *L) {
  luath_host *host = luath_host_of(L);
  luaL_openlibs(L);
  host->error = global_function(L, "error");
  host->assert = global_function(L, "assert");
  host->pcall = global_function(L, "pcall");
  host->xpcall = global_function(L, "xpcall");
  luath_replace_coroutines(L);
  luath_replace_hooks(L);
  luath_replace_commands(L);
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
  lua_State *L = lua_newstate(luath_allocate, host);
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
  luath_host *previous_host = luath_swap_thread_host(host);
  host->closing = true;
  lua_close(host->main);
  luath_release_late_objects(host);
  // A finalizer may have run coroutines.
  atomic_store(&host->current, NULL);
  host->main = NULL;
  luath_swap_thread_host(previous_host);
}

bool luath_waits(lua_State *co, int results) {
  return results == 1 && lua_islightuserdata(co, -1) &&
         lua_touserdata(co, -1) == (void *)&luath_wait_mark;
}

int luath_resume(luath_host *host, lua_State *root, int arguments, int *results) {
  int inside = host->inside;
  lua_State *previous_root = host->root;
  lua_State *previous = atomic_load(&host->current);
  // Several states may share one thread; the signal is for the one that runs.
  luath_host *previous_host = luath_swap_thread_host(host);
  host->inside = 0;
  host->root = root;
  atomic_store(&host->current, root);
  // A stop or interruption may have arrived while nothing ran.
  if (atomic_load(&host->stop) != LUATH_STOP_NONE || atomic_load(&host->interrupted)) luath_arm(root);
  int status = lua_resume(root, NULL, arguments, results);
  atomic_store(&host->current, previous);
  luath_swap_thread_host(previous_host);
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
  // Lets a stop find this code, which runs outside any coroutine.
  lua_State *previous = atomic_load(&host->current);
  luath_host *previous_host = luath_swap_thread_host(host);
  atomic_store(&host->current, L);
  if (atomic_load(&host->stop) != LUATH_STOP_NONE) luath_arm(L);
  int status = lua_pcall(L, arguments, results, handler);
  atomic_store(&host->current, previous);
  luath_swap_thread_host(previous_host);
  if (previous != NULL && atomic_load(&host->stop) != LUATH_STOP_NONE) luath_arm(previous);
  host->inside = inside;
  if (traceback) lua_remove(L, handler);
  return status;
}

int luath_load(lua_State *L, const char *text, size_t length, const char *name) {
  return luaL_loadbufferx(L, text, length, name, "t");
}

// Replaces the first line number of the traceback on top by that of the instruction at which `of` was stopped.
//
// A hook that yields leaves the saved position one instruction too early (ldebug.c, luaG_traceexec), which may be on
// another line, such as the one before a loop.
static void correct_stopped_line(lua_State *L, lua_State *of) {
  luath_host *host = luath_host_of(of);
  lua_Debug top;
  if (of != host->stopped || !lua_getstack(of, 0, &top) || !lua_getinfo(of, "Sl", &top)) return;
  const char *text = lua_tostring(L, -1);
  const char *wrong = lua_pushfstring(L, "%s:%d:", top.short_src, top.currentline);
  const char *place = strstr(text, wrong);
  if (place != NULL) {
    lua_pushlstring(L, text, place - text);
    lua_pushfstring(L, "%s:%d:", top.short_src, host->stopped_line);
    lua_pushstring(L, place + strlen(wrong));
    lua_concat(L, 3);
    lua_replace(L, -3);
  }
  lua_pop(L, 1);
}

void luath_push_traceback(lua_State *L, lua_State *of, const char *message, int level) {
  luaL_traceback(L, of, message, level);
  if (level == 0) correct_stopped_line(L, of);
}
