#define _GNU_SOURCE
#include "luath_terminal.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

// Written only while `active` is not set, so that handlers may read them.
static struct termios found, raw;
static int input_end, output_end, wake_end;
static atomic_bool active;
// The number of rows below the cursor; -1 when nothing is being edited.
static atomic_int rows_below = -1;

static const char paste_on[] = "\033[?2004h";
// Bracketed paste off, attributes off, cursor shown.
static const char paste_off[] = "\033[?2004l\033[m\033[?25h";

static const int ends[] = {SIGTERM, SIGHUP,  SIGINT, SIGQUIT, SIGABRT,
                           SIGSEGV, SIGBUS, SIGFPE, SIGILL,  SIGTRAP};
static const int events[] = {SIGWINCH, SIGCONT, SIGTSTP};
enum { ENDS = sizeof ends / sizeof *ends, EVENTS = sizeof events / sizeof *events };
static struct sigaction previous[NSIG];
static atomic_bool installed[NSIG];
static atomic_int inside[NSIG];
// Set while the process is being stopped; the SIGTSTP handler then does what SIGCONT would do.
static atomic_bool stopping;
static atomic_bool stops_itself;
static atomic_uint stops;

static void say(int what) {
  char byte = (char)what;
  // A full pipe wakes the reader as well.
  while (write(wake_end, &byte, 1) < 0 && errno == EINTR) {
  }
}

// Whether this process may change the terminal: in the background the shell uses it.
static bool is_in_front(void) {
  pid_t front = tcgetpgrp(input_end);
  return front < 0 || front == getpgrp();
}

static void set(const struct termios *modes, const char *words, size_t length) {
  // Do not stop on SIGTTOU, not even when the process has just been put into the background.
  sigset_t block, before;
  sigemptyset(&block);
  sigaddset(&block, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &block, &before);
  // A terminal that accepts no output must not keep the process from ending.
  struct pollfd output = {.fd = output_end, .events = POLLOUT};
  if (poll(&output, 1, 200) == 1 && (output.revents & POLLOUT)) {
    while (write(output_end, words, length) < 0 && errno == EINTR) {
    }
  }
  // TCSANOW instead of TCSAFLUSH, to keep what was typed ahead.
  while (tcsetattr(input_end, TCSANOW, modes) < 0 && errno == EINTR) {
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void give_back(void) {
  if (!atomic_load(&active) || !is_in_front()) return;
  char words[sizeof paste_off + 16];
  size_t length = sizeof paste_off - 1;
  memcpy(words, paste_off, length);
  int below = atomic_exchange(&rows_below, -1);
  if (below > 0 && below < 1000) {
    words[length++] = '\033';
    words[length++] = '[';
    if (below >= 100) words[length++] = (char)('0' + below / 100);
    if (below >= 10) words[length++] = (char)('0' + below / 10 % 10);
    words[length++] = (char)('0' + below % 10);
    words[length++] = 'B';
  }
  if (below >= 0) {
    words[length++] = '\r';
    words[length++] = '\n';
  }
  set(&found, words, length);
}

static void take_again(void) {
  if (!atomic_load(&active) || !is_in_front()) return;
  set(&raw, paste_on, sizeof paste_on - 1);
  // Another thread may have left since, as when the handler of the signal had it end the prompt.
  if (!atomic_load(&active)) set(&found, paste_off, sizeof paste_off - 1);
}

// Whether the terminal still has our modes, as no other process has changed them.
static bool is_still_taken(void) {
  struct termios now;
  return tcgetattr(input_end, &now) == 0 && now.c_lflag == raw.c_lflag;
}

static void on_signal(int number, siginfo_t *info, void *context);

// Runs the default action of a signal; returns only from stops.
static void by_default(int number) {
  struct sigaction plain = {.sa_handler = SIG_DFL}, own;
  sigaction(number, &plain, &own);
  sigset_t set, before;
  sigemptyset(&set);
  sigaddset(&set, number);
  raise(number);
  pthread_sigmask(SIG_UNBLOCK, &set, &before);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  sigaction(number, &own, NULL);
}

static void chain(int number, siginfo_t *info, void *context) {
  struct sigaction *action = &previous[number];
  if (action->sa_flags & SA_SIGINFO) {
    action->sa_sigaction(number, info, context);
  } else if (action->sa_handler == SIG_DFL) {
    if (number != SIGWINCH && number != SIGCONT) by_default(number);
  } else if (action->sa_handler != SIG_IGN) {
    action->sa_handler(number);
  }
}

static void on_signal(int number, siginfo_t *info, void *context) {
  int saved = errno;
  // A handler installed later has chained to this one, which runs already.
  if (atomic_fetch_add(&inside[number], 1) > 0 && number != SIGCONT && number != SIGWINCH) {
    by_default(number);
  } else if (number == SIGWINCH) {
    say(LUATH_TERMINAL_RESIZED);
    chain(number, info, context);
  } else if (number == SIGCONT) {
    // The shell sets its own modes while a process is stopped, and keeps them if it runs in the background.
    if (!atomic_load(&stopping) && !is_still_taken() && is_in_front()) {
      take_again();
      say(LUATH_TERMINAL_CONTINUED);
    }
    chain(number, info, context);
  } else if (number == SIGTSTP) {
    atomic_store(&stopping, true);
    give_back();
    chain(number, info, context);
    take_again();
    atomic_store(&stopping, false);
    atomic_fetch_add(&stops, 1);
    if (!atomic_load(&stops_itself)) say(LUATH_TERMINAL_CONTINUED);
  } else {
    give_back();
    chain(number, info, context);
    // The previous handler did not end the process.
    take_again();
  }
  atomic_fetch_sub(&inside[number], 1);
  errno = saved;
}

static void install(int number) {
  struct sigaction now, own = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigfillset(&own.sa_mask);
  // Not masked: a crash within the handler must end the process at once.
  static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGCONT};
  for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) sigdelset(&own.sa_mask, crashes[i]);
  if (sigaction(number, NULL, &now) < 0) return;
  bool is_ours = (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_signal;
  // A signal that is ignored, as under nohup, stays ignored.
  if (is_ours || (!(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_IGN)) return;
  own.sa_flags |= now.sa_flags & SA_ONSTACK;
  previous[number] = now;
  atomic_store(&installed[number], true);
  sigaction(number, &own, NULL);
}

static void uninstall(int number) {
  if (!atomic_exchange(&installed[number], false)) return;
  struct sigaction now;
  if (sigaction(number, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) &&
      now.sa_sigaction == on_signal)
    sigaction(number, &previous[number], NULL);
}

// Stops a process in the background until the shell brings it to the front; false when no shell can.
static bool come_to_front(void) {
  for (int tries = 0; !is_in_front(); tries++) {
    if (tries == 3) return false;
    kill(0, SIGTTIN);
  }
  return true;
}

int luath_terminal_enter(int input, int output, int wake) {
  static bool ends_with_exit;
  if (atomic_load(&active)) return EBUSY;
  input_end = input;
  output_end = output;
  wake_end = wake;
  // In the background, the terminal has the modes in which the shell reads its own lines.
  if (!come_to_front()) return EIO;
  if (tcgetattr(input, &found) < 0) return errno;
  raw = found;
  // Output processing stays on, so that the output of other programs looks as usual.
  raw.c_iflag &= ~(tcflag_t)(BRKINT | ICRNL | INLCR | IGNCR | INPCK | ISTRIP | IXON);
  raw.c_lflag &= ~(tcflag_t)(ECHO | ICANON | IEXTEN | ISIG);
  raw.c_cflag = (raw.c_cflag & ~(tcflag_t)CSIZE) | CS8;
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  if (!ends_with_exit) {
    ends_with_exit = true;
    atexit(luath_terminal_leave);
  }
  atomic_store(&active, true);
  for (int i = 0; i < ENDS; i++) install(ends[i]);
  for (int i = 0; i < EVENTS; i++) install(events[i]);
  set(&raw, paste_on, sizeof paste_on - 1);
  return 0;
}

void luath_terminal_leave(void) {
  give_back();
  if (!atomic_exchange(&active, false)) return;
  // A signal handler may have taken it again between these two lines.
  if (is_still_taken() && is_in_front()) set(&found, paste_off, sizeof paste_off - 1);
  for (int i = 0; i < ENDS; i++) uninstall(ends[i]);
  for (int i = 0; i < EVENTS; i++) uninstall(events[i]);
}

void luath_terminal_place(int below) { atomic_store(&rows_below, below); }

void luath_terminal_stop(void) {
  if (!atomic_load(&installed[SIGTSTP])) return;
  unsigned before = atomic_load(&stops);
  atomic_store(&stops_itself, true);
  kill(0, SIGTSTP);
  // The signal may go to another thread and take a moment to arrive; a stop itself takes none of this time.
  for (int waited = 0; waited < 100 && before == atomic_load(&stops); waited++) poll(NULL, 0, 10);
  atomic_store(&stops_itself, false);
}

void luath_terminal_size(int output, int *columns, int *rows) {
  struct winsize size = {0};
  if (ioctl(output, TIOCGWINSZ, &size) < 0) size = (struct winsize){0};
  *columns = size.ws_col;
  *rows = size.ws_row;
}

// The path of the file to remove when a signal ends the process.
static _Atomic(char *) passing;
static const int removals[] = {SIGTERM, SIGHUP, SIGQUIT};
enum { REMOVALS = sizeof removals / sizeof *removals };
static struct sigaction before_removal[NSIG];

void luath_terminal_remove_passing(void) {
  // Not freed, as this runs in signal handlers and the process ends.
  char *path = atomic_exchange(&passing, NULL);
  if (path) unlink(path);
}

static void on_removal(int number) {
  int saved = errno;
  luath_terminal_remove_passing();
  // The signal is blocked until this returns; then the previous action runs.
  sigaction(number, &before_removal[number], NULL);
  raise(number);
  errno = saved;
}

void luath_terminal_pass(const char *path) {
  char *last = atomic_exchange(&passing, path ? strdup(path) : NULL);
  free(last);
  for (int index = 0; index < REMOVALS; index++) {
    int number = removals[index];
    if (path) {
      struct sigaction own = {.sa_handler = on_removal, .sa_flags = SA_RESTART};
      sigaction(number, NULL, &before_removal[number]);
      if (before_removal[number].sa_handler == SIG_IGN) continue;
      sigaction(number, &own, NULL);
    } else if (before_removal[number].sa_handler != SIG_IGN) {
      sigaction(number, &before_removal[number], NULL);
    }
  }
}
