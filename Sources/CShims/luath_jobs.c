#define _GNU_SOURCE
#include "luath_jobs.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

int luath_job_terminal(void) {
  int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC);
  if (terminal < 0) return -1;
  if (luath_job_is_foreground(terminal, getpgrp())) return terminal;
  close(terminal);
  return -1;
}

bool luath_job_is_foreground(int terminal, pid_t group) { return tcgetpgrp(terminal) == group; }

void luath_job_bring_forward(int terminal, pid_t group) {
  // A process in the background is stopped by SIGTTOU here, unless it blocks the signal (tcsetpgrp(3)).
  sigset_t output, before;
  sigemptyset(&output);
  sigaddset(&output, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &output, &before);
  tcsetpgrp(terminal, group);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

// Sends a signal to this thread, which handles it before this returns; another thread may handle a signal to the
// process later. Threads of dispatch queues block all signals.
static void raise_here(int number) {
  sigset_t set, before;
  sigemptyset(&set);
  sigaddset(&set, number);
  raise(number);
  pthread_sigmask(SIG_UNBLOCK, &set, &before);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void luath_job_stop(void) {
  struct sigaction ignoring = {.sa_handler = SIG_IGN}, plain = {.sa_handler = SIG_DFL}, own;
  sigaction(SIGTSTP, &ignoring, &own);
  kill(0, SIGTSTP);
  sigaction(SIGTSTP, &plain, NULL);
  raise_here(SIGTSTP);
  sigaction(SIGTSTP, &own, NULL);
}

void luath_job_interrupt(void) {
  struct sigaction ignoring = {.sa_handler = SIG_IGN}, plain = {.sa_handler = SIG_DFL};
  sigaction(SIGINT, &ignoring, NULL);
  kill(0, SIGINT);
  sigaction(SIGINT, &plain, NULL);
  raise_here(SIGINT);
}
