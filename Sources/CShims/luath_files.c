#define _GNU_SOURCE
#include "luath_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int luath_exchange_names(
    int first_folder, const char *first_name, int second_folder, const char *second_name) {
#ifdef __APPLE__
  return renameatx_np(first_folder, first_name, second_folder, second_name, RENAME_SWAP);
#else
  return renameat2(first_folder, first_name, second_folder, second_name, RENAME_EXCHANGE);
#endif
}

int luath_input_ahead(void) {
  flockfile(stdin);
  // Only glibc's internal members show how much is buffered; getc would wait for more.
  int byte = stdin->_IO_read_ptr < stdin->_IO_read_end ? getc_unlocked(stdin) : -1;
  funlockfile(stdin);
  return byte;
}

// The depth is limited to protect the stack; luath creates no folders that deep.
static bool remove_entry(int parent, const char *name, int depth) {
  if (unlinkat(parent, name, 0) == 0) return true;
  if (depth > 64) return false;
  int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return false;
  _Alignas(struct dirent64) char buffer[1024];
  bool has_changed = true;
  // Removing entries while a folder is read may skip others, so read it again.
  while (has_changed) {
    has_changed = false;
    lseek(folder, 0, SEEK_SET);
    long count;
    while ((count = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0) {
      for (long at = 0; at < count;) {
        struct dirent64 *entry = (struct dirent64 *)(buffer + at);
        at += entry->d_reclen;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (remove_entry(folder, entry->d_name, depth + 1)) has_changed = true;
      }
    }
  }
  close(folder);
  return unlinkat(parent, name, AT_REMOVEDIR) == 0;
}

void luath_remove_tree(const char *path) { remove_entry(AT_FDCWD, path, 0); }
