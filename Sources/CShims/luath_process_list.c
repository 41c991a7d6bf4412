// Reads the list of processes in /proc, with functions that are safe after fork.
#define _GNU_SOURCE
#include "luath_processes.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// A process's parent; 0 when there is no such process.
static pid_t parent_of(int proc, const char *process) {
  char path[32];
  size_t length = strnlen(process, 20);
  memcpy(path, process, length);
  memcpy(path + length, "/stat", sizeof "/stat");
  int file = openat(proc, path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[512];
  ssize_t count = read(file, text, sizeof text);
  close(file);
  // The name in parentheses may contain anything: the fields begin after the last parenthesis (proc(5)).
  ssize_t at = count - 1;
  while (at >= 0 && text[at] != ')') at--;
  at += 4;
  pid_t parent = 0;
  while (at > 3 && at < count && text[at] >= '0' && text[at] <= '9')
    parent = parent * 10 + (text[at++] - '0');
  return parent;
}

bool luath_visit_processes(void (*visit)(pid_t, pid_t, void *), void *context) {
  int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (proc < 0) return false;
  bool has_any = false;
  _Alignas(struct dirent64) char buffer[2048];
  long count;
  while ((count = syscall(SYS_getdents64, proc, buffer, sizeof buffer)) > 0) {
    for (long at = 0; at < count;) {
      struct dirent64 *entry = (struct dirent64 *)(buffer + at);
      at += entry->d_reclen;
      pid_t process = 0;
      const char *digit = entry->d_name;
      while (*digit >= '0' && *digit <= '9') process = process * 10 + (*digit++ - '0');
      if (*digit != 0 || process == 0) continue;
      has_any = true;
      visit(process, parent_of(proc, entry->d_name), context);
    }
  }
  close(proc);
  return has_any;
}
