// Stops a script from outside, in a way that the script cannot catch.
#include "luath_lua_internal.h"

#include <errno.h>
#include <signal.h>

static _Thread_local luath_host *thread_host;
static _Atomic int watched_signal;

// Leaves the stopped script, which never continues.
//
// Where Lua can yield, it yields, so that no `pcall` and no message handler of the script runs. Elsewhere it
// makes an allocation fail: that is the only error for which Lua does not call the message handler (ldo.c,
// luaD_throw). A handler called from a hook would run with hooks off, so it could not be stopped.
int luath_leave(lua_State *L) {
  if (lua_isyieldable(L)) return lua_yield(L, 0);
  luath_host *host = luath_host_of(L);
  host->refuse_all = true;
  lua_newuserdatauv(L, 1, 0);
  return 0;
}

static void stop_hook(lua_State *L, lua_Debug *record) {
  luath_host *host = luath_host_of(L);
  if (atomic_load(&host->stop) != LUATH_STOP_NONE) {
    if (lua_isyieldable(L) && lua_getinfo(L, "l", record)) {
      host->stopped = L;
      host->stopped_line = record->currentline;
    }
    luath_leave(L);
    return;
  }
  // A state that runs again after a stop may still have hooks in several coroutines.
  lua_sethook(L, NULL, 0, 0);
  if (!atomic_exchange(&host->interrupted, false)) return;
  // Level 0, as a hook is not a Lua function and has no level.
  luaL_where(L, 0);
  lua_pushliteral(L, "interrupted");
  lua_concat(L, 2);
  lua_error(L);
}

// Only count and line hooks may yield (manual 4.7, lua_yield).
void luath_arm(lua_State *L) { lua_sethook(L, stop_hook, LUA_MASKCOUNT, 1); }

void luath_stop(luath_host *host, int reason) {
  int none = LUATH_STOP_NONE;
  atomic_compare_exchange_strong(&host->stop, &none, reason);
  lua_State *current = atomic_load(&host->current);
  if (current != NULL) luath_arm(current);
}


static void on_signal(int number) {
  (void)number;
  int saved = errno;
  if (thread_host != NULL) {
    int reason = atomic_load(&thread_host->stop);
    lua_State *current = atomic_load(&thread_host->current);
    if (reason != LUATH_STOP_NONE) {
      luath_stop(thread_host, reason);
    } else if (current != NULL && atomic_load(&thread_host->interrupted)) {
      luath_arm(current);
    }
  }
  errno = saved;
}

void luath_watch_signal(int number) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, NULL);
  watched_signal = number;
}

int luath_watched_signal(void) { return watched_signal; }

void luath_forget_stop(luath_host *host) {
  host->refuse_all = false;
  host->overdrawn = false;
  host->stopped = NULL;
  atomic_store(&host->stop, LUATH_STOP_NONE);
}

luath_host *luath_swap_thread_host(luath_host *host) {
  luath_host *previous = thread_host;
  thread_host = host;
  return previous;
}

void luath_unblock_watch_signal(void) {
  if (watched_signal == 0) return;
  // Dispatch queues start their threads with all signals blocked.
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, watched_signal);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

void luath_request_interrupt(luath_host *host) { atomic_store(&host->interrupted, true); }

void luath_forget_interrupt(luath_host *host) { atomic_store(&host->interrupted, false); }

void luath_request_stop(luath_host *host, int reason) {
  int none = LUATH_STOP_NONE;
  atomic_compare_exchange_strong(&host->stop, &none, reason);
}
