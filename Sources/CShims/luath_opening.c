// posix_spawn_file_actions_addclosefrom_np and POSIX_SPAWN_SETSID are not in POSIX.
#define _GNU_SOURCE
#include "luath_opening.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

static int prepare(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes) {
  int problem = 0;
  for (int descriptor = 0; descriptor < 3 && problem == 0; descriptor++)
    problem =
        posix_spawn_file_actions_addopen(actions, descriptor, "/dev/null", O_RDWR, 0);
  if (problem == 0) problem = posix_spawn_file_actions_addclosefrom_np(actions, 3);
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  if (problem == 0) problem = posix_spawnattr_setsigdefault(attributes, &all);
  if (problem == 0) problem = posix_spawnattr_setsigmask(attributes, &none);
  if (problem == 0)
    problem = posix_spawnattr_setflags(
        attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  return problem;
}

int luath_open_detached(const char *path, char *const arguments[], pid_t *process) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int problem = posix_spawn_file_actions_init(&actions);
  if (problem != 0) return problem;
  problem = posix_spawnattr_init(&attributes);
  if (problem == 0) {
    problem = prepare(&actions, &attributes);
    if (problem == 0)
      problem = posix_spawn(process, path, &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return problem;
}

int luath_opening_status(pid_t process) {
  int status;
  while (waitpid(process, &status, 0) < 0) {
    // Somebody else took the status, so that nobody can tell of a failure.
    if (errno != EINTR) return 0;
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
