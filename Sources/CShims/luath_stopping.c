// Ends a script from outside, so that nothing it wrote can keep it going.
#include "luath_lua_internal.h"

#include <errno.h>
#include <signal.h>

static _Thread_local luath_host *thread_host;
static _Atomic int watched_signal;

// Leaves the script for good. Where Lua can yield it yields, so that no `pcall` and no message
// handler of the script runs. Elsewhere it fails an allocation, because that is the one error for
// which Lua does not call the message handler (ldo.c, luaD_throw), and a handler called from a hook
// would run with hooks off, that is, for ever.
int luath_leave(lua_State *L) {
  if (lua_isyieldable(L)) return lua_yield(L, 0);
  luath_host *host = luath_host_of(L);
  host->refuse_all = true;
  lua_newuserdatauv(L, 1, 0);
  return 0;
}

static void stop_hook(lua_State *L, lua_Debug *record) {
  (void)record;
  luath_host *host = luath_host_of(L);
  if (atomic_load(&host->stop) != LUATH_STOP_NONE) {
    luath_leave(L);
    return;
  }
  // A state that goes on after a stop may have been armed in more than one place.
  lua_sethook(L, NULL, 0, 0);
  if (!atomic_exchange(&host->interrupted, false)) return;
  // Level 0, as the hook itself is no function of Lua.
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
  atomic_store(&host->stop, LUATH_STOP_NONE);
}

luath_host *luath_swap_thread_host(luath_host *host) {
  luath_host *previous = thread_host;
  thread_host = host;
  return previous;
}

void luath_unblock_watch_signal(void) {
  if (watched_signal == 0) return;
  // Threads that dispatch queues start are born with their signals blocked.
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
