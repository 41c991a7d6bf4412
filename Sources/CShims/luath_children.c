// posix_spawn_file_actions_addclosefrom_np and POSIX_SPAWN_SETSID are not in POSIX.
#define _GNU_SOURCE
#include "luath_children.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

static int name_descriptors(posix_spawn_file_actions_t *actions, const int descriptors[3]) {
  int problem = 0;
  for (int number = 0; number < 3 && problem == 0; number++) {
    if (descriptors[number] == LUATH_NO_DESCRIPTOR) {
      problem = posix_spawn_file_actions_addopen(actions, number, "/dev/null", O_RDWR, 0);
    } else if (descriptors[number] != number) {
      problem = posix_spawn_file_actions_adddup2(actions, descriptors[number], number);
    }
  }
  if (problem == 0) problem = posix_spawn_file_actions_addclosefrom_np(actions, 3);
  return problem;
}

// Dispatch queues start their threads with signals blocked, and a child inherits the mask.
static int reset_signals(posix_spawnattr_t *attributes, bool detached) {
  sigset_t defaults, none;
  sigfillset(&defaults);
  struct sigaction hangup;
  if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler == SIG_IGN)
    sigdelset(&defaults, SIGHUP);
  sigemptyset(&none);
  int problem = posix_spawnattr_setsigdefault(attributes, &defaults);
  if (problem == 0) problem = posix_spawnattr_setsigmask(attributes, &none);
  short flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
  if (detached) flags |= POSIX_SPAWN_SETSID;
  if (problem == 0) problem = posix_spawnattr_setflags(attributes, flags);
  return problem;
}

int luath_child_start(const char *path, char *const arguments[], const int descriptors[3],
                      bool detached, pid_t *process) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int problem = posix_spawn_file_actions_init(&actions);
  if (problem != 0) return problem;
  problem = posix_spawnattr_init(&attributes);
  if (problem == 0) {
    problem = name_descriptors(&actions, descriptors);
    if (problem == 0) problem = reset_signals(&attributes, detached);
    if (problem == 0)
      problem = posix_spawn(process, path, &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return problem;
}

int luath_child_status(pid_t process) {
  int status;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return status;
}

int luath_exit_code(int status) {
  if (status == -1) return 127;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
