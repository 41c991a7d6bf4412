// Lets the program run without /proc, as in a plain chroot.
//
// libdispatch, which runs Swift's tasks, reads /proc/THREAD/stat once a second to see whether its threads run, and ends
// the program if it cannot. Release builds therefore link their own code against __wrap_open in place of open(2), by the
// linker's option --wrap=open. It behaves like open(2), except for these files on a system without /proc.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

// Whether a path is /proc/NUMBER/stat.
static bool is_thread_stat(const char *path) {
  if (strncmp(path, "/proc/", 6) != 0) return false;
  const char *end = path + 6 + strspn(path + 6, "0123456789");
  return end > path + 6 && strcmp(end, "/stat") == 0;
}

int __wrap_open(const char *path, int flags, ...) {
  mode_t mode = 0;
  if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  int file = openat(AT_FDCWD, path, flags, mode);
  if (file >= 0 || errno != ENOENT || !is_thread_stat(path)) return file;
  if (access("/proc/self", F_OK) == 0) {
    errno = ENOENT;
    return -1;
  }
  // "R" means that the thread runs (proc(5)), so that libdispatch starts no further one.
  static const char stat[] = "1 (luath) R 0\n";
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return -1;
  ssize_t count = write(ends[1], stat, sizeof stat - 1);
  close(ends[1]);
  if (count > 0) return ends[0];
  close(ends[0]);
  return -1;
}
