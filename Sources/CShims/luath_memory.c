// The allocator of a Lua state: counts bytes, and refuses requests beyond the script's limit.
#include "luath_lua_internal.h"

#include <stdlib.h>
#include <unistd.h>

// The most that the request which stops a script may exceed the limit, in bytes.
enum { LUATH_OVERDRAFT = 64 << 20 };

// Whether a refused request is granted after all: the first one of a stop, so that the script is left at the
// line that made it. An error would end the script's own calls before, and with them the line.
static bool overdraws(luath_host *host, size_t growth) {
  if (host->overdrawn || growth > LUATH_OVERDRAFT || atomic_load(&host->current) == NULL) return false;
  return host->overdrawn = true;
}

// Refuses a request, or grants the one that stops the script.
static void *refuse(luath_host *host, void *block, size_t old_size, size_t size) {
  if (host->refuse_all) {
    // The second refusal of the same request: Lua raises its error now.
    if (host->refused_size == size && host->refused_block == block) host->refuse_all = false;
    host->refused_size = size;
    host->refused_block = block;
    return NULL;
  }
  // Lua collects all garbage and tries once more before it gives up (lmem.c, luaM_realloc_), so the second
  // refusal of a request stops the script. Armed here, as a `pcall` cannot swallow a stop.
  if (host->refused_size == size && host->refused_block == block) {
    luath_stop(host, LUATH_STOP_MEMORY);
    void *result = overdraws(host, size - old_size) ? realloc(block, size) : NULL;
    if (result != NULL) {
      host->used += size - old_size;
      host->refused_size = 0;
      return result;
    }
  }
  host->refused_size = size;
  host->refused_block = block;
  return NULL;
}

void *luath_allocate(void *context, void *block, size_t old_size, size_t size) {
  luath_host *host = context;
  if (block == NULL) old_size = 0;  // for a new block, old_size is the kind of object
  if (size == 0) {
    free(block);
    host->used -= old_size;
    return NULL;
  }
  if (host->refuse_all && host->inside == 0 && size > old_size) return refuse(host, block, old_size, size);
  if (size > old_size && host->limit != 0 && host->used + (size - old_size) > host->limit &&
      host->inside == 0) {
    return refuse(host, block, old_size, size);
  }
  void *result = realloc(block, size);
  if (result == NULL) {
    if (size <= old_size) return block;  // Lua assumes that shrinking cannot fail
    if (host->inside == 0) return refuse(host, block, old_size, size);
    // A longjmp from here would cross Swift frames.
    static const char words[] = "luath: error: the machine has no memory left\n";
    (void)!write(STDERR_FILENO, words, sizeof words - 1);
    _exit(8);
  }
  host->used += size - old_size;
  if (size > old_size) host->refused_size = 0;
  return result;
}
