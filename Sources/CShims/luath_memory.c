// The allocator of a Lua state: counts bytes, and refuses requests beyond the script's limit.
#include "luath_lua_internal.h"

#include <stdlib.h>
#include <unistd.h>

static void *refuse(luath_host *host, void *block, size_t size) {
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
