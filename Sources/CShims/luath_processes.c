// The warden. After fork the child has one thread and a copy of memory in which other threads may have held
// locks. So it only calls functions that are safe in signal handlers (signal-safety(7)) and bare system calls.
#define _GNU_SOURCE
#include "luath_processes.h"
#include "luath_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// PATIENCE_MS: time to wait for the end of all descendants.
// ASKED_LIMIT: the number of children that receive only one SIGTERM.
enum { PATIENCE_MS = 20000, ROUND_MS = 20, ASKED_LIMIT = 256 };
// The descriptors of a warden without the streams of this process.
enum { LEASH = 0, OUTPUT = 1, REPORT = 2, INPUT = 3, ERRORS = 4 };
// What is written to the leash in place of a signal.
enum { KILL_ALL = 0xFF };

// The ends of the two pipes in the warden.
static int leash_end, report_end;

typedef struct message {
  int32_t news, value;
} message;

static void report(luath_warden_news news, int value) {
  message message = {.news = (int32_t)news, .value = value};
  // Errors are ignored: the reader may be gone, and a write of so few bytes is atomic.
  ssize_t written = write(report_end, &message, sizeof message);
  (void)written;
}

static void on_child(int number) { (void)number; }

static void forget_signal_handlers(void) {
  struct sigaction plain = {.sa_handler = SIG_DFL}, hangup;
  // With nohup, the program ignores it too.
  bool ignores_hangup = sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler == SIG_IGN;
  for (int number = 1; number < NSIG; number++) {
    if (number != SIGHUP || !ignores_hangup) sigaction(number, &plain, NULL);
  }
}

static void close_from(unsigned first) {
  if (syscall(SYS_close_range, first, ~0u, 0) == 0) return;
  struct rlimit limit = {.rlim_cur = 1024};
  getrlimit(RLIMIT_NOFILE, &limit);
  for (unsigned number = first; number < limit.rlim_cur && number < (1u << 20); number++)
    close((int)number);
}

// Moves the descriptors to the warden's numbers and closes all others: an inherited leash of another warden
// would stay open here.
static bool lay_out(const luath_warden_program *program) {
  // Any of them may already have one of those numbers, so move them out of the way first.
  int leash = fcntl(leash_end, F_DUPFD, 10), sent = fcntl(report_end, F_DUPFD, 10);
  int output = fcntl(program->output, F_DUPFD, 10);
  int input = program->input < 0 ? open("/dev/null", O_RDONLY) : program->input;
  input = fcntl(input, F_DUPFD, 10);
  int errors = fcntl(program->errors < 0 ? program->output : program->errors, F_DUPFD, 10);
  if (dup2(leash, LEASH) < 0 || dup2(output, OUTPUT) < 0 || dup2(sent, REPORT) < 0) return false;
  leash_end = LEASH;
  report_end = REPORT;
  if (dup2(input, INPUT) < 0 || dup2(errors, ERRORS) < 0) return false;
  close_from(ERRORS + 1);
  fcntl(REPORT, F_SETFD, FD_CLOEXEC);
  return true;
}

// Closes the descriptors of luath itself, such as sockets and the leashes of other wardens, which all have
// FD_CLOEXEC; what luath inherited stays open for the program.
static void close_own(int terminal) {
  int list = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  _Alignas(struct dirent64) char buffer[2048];
  long count = 0;
  bool is_listed = list >= 0;
  // An open descriptor is skipped when the list changes while it is read, so read it again.
  for (bool has_changed = is_listed; has_changed;) {
    has_changed = false;
    lseek(list, 0, SEEK_SET);
    while ((count = syscall(SYS_getdents64, list, buffer, sizeof buffer)) > 0) {
      for (long at = 0; at < count;) {
        struct dirent64 *entry = (struct dirent64 *)(buffer + at);
        at += entry->d_reclen;
        int number = 0;
        const char *digit = entry->d_name;
        while (*digit >= '0' && *digit <= '9') number = number * 10 + (*digit++ - '0');
        if (*digit != 0 || number < 3 || number == list || number == leash_end) continue;
        if (number == report_end || number == terminal) continue;
        if ((fcntl(number, F_GETFD) & FD_CLOEXEC) == 0) continue;
        close(number);
        has_changed = true;
      }
    }
  }
  if (is_listed) close(list);
  for (int number = 3; !is_listed && number < 1024; number++) {
    if (number == leash_end || number == report_end || number == terminal) continue;
    int flags = fcntl(number, F_GETFD);
    if (flags >= 0 && (flags & FD_CLOEXEC) != 0) close(number);
  }
}

static _Noreturn void fail_to_start(void) {
  report(LUATH_WARDEN_NOT_STARTED, errno);
  _exit(127);
}

static _Noreturn void become_program(const luath_warden_program *program, pid_t warden) {
  // If the warden is killed, at least the program itself is killed with it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != warden) _exit(127);
  if (program->has_group) setpgid(0, 0);
  // Only the foreground group may do this, or a process that blocks SIGTTOU, as this one still does.
  if (program->terminal >= 0) tcsetpgrp(program->terminal, getpid());
  if (!program->is_foreground) {
    // The leash is at 0 and the report at 2, where the program's streams belong.
    report_end = fcntl(REPORT, F_DUPFD_CLOEXEC, ERRORS + 1);
    if (report_end < 0) _exit(127);
    if (dup2(INPUT, 0) < 0 || dup2(ERRORS, 2) < 0) fail_to_start();
    close(INPUT);
    close(ERRORS);
  }
  if (program->directory && chdir(program->directory) != 0) fail_to_start();
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execve(program->path, program->arguments, program->environment);
  fail_to_start();
}

// Reads what luath writes to the leash and forwards signals. False when the program must end: with the leash
// closed, or, without any grace, when luath wants that.
static bool obey(pid_t target, bool *is_urgent) {
  uint8_t number;
  ssize_t count = read(leash_end, &number, 1);
  if (count < 0 && errno == EINTR) return true;
  *is_urgent = count == 1 && number == KILL_ALL;
  if (count != 1 || *is_urgent) return false;
  kill(target, number);
  return true;
}

// Waits until the leash is closed or the program has ended; true if all must end at once. `target` is the program
// or, negative, its group; 0 once a program without a group has ended. All signals are blocked except SIGCHLD, and
// that one too outside of ppoll, so that none is missed.
static bool watch(const luath_warden_program *program, pid_t *target, const sigset_t *waiting) {
  pid_t process = abs(*target);
  for (;;) {
    int status;
    pid_t changed;
    while ((changed = waitpid(-1, &status, WNOHANG | (program->has_group ? WUNTRACED : 0))) > 0) {
      if (changed != process) continue;
      if (!WIFSTOPPED(status)) {
        report(LUATH_WARDEN_PROGRAM_ENDED, status);
        if (!program->has_group) *target = 0;
        return false;
      }
      report(LUATH_WARDEN_PROGRAM_STOPPED, WSTOPSIG(status));
    }
    struct pollfd leash = {.fd = leash_end, .events = POLLIN};
    bool is_urgent = false;
    if (ppoll(&leash, 1, NULL, waiting) > 0 && !obey(*target, &is_urgent)) return is_urgent;
  }
}

static int64_t milliseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

// The children that have received SIGTERM: a second one makes many programs end without cleaning up.
typedef struct asked {
  pid_t processes[ASKED_LIMIT];
  int count;
} asked;

static void end_child(pid_t process, int number, asked *asked) {
  if (number == SIGTERM) {
    for (int i = 0; i < asked->count; i++) {
      if (asked->processes[i] == process) return;
    }
    if (asked->count < ASKED_LIMIT) asked->processes[asked->count++] = process;
  }
  kill(process, number);
  // A stopped process handles SIGTERM only when it continues.
  if (number == SIGTERM) kill(process, SIGCONT);
}

// Ends the children listed in /proc/thread-self/children; false where the kernel has no such list.
static bool end_listed_children(int number, asked *asked) {
  int list = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (list < 0) return false;
  char text[1024];
  ssize_t count;
  pid_t child = 0;
  while ((count = read(list, text, sizeof text)) > 0) {
    for (ssize_t i = 0; i < count; i++) {
      if (text[i] >= '0' && text[i] <= '9') {
        child = child * 10 + (text[i] - '0');
      } else {
        if (child > 0) end_child(child, number, asked);
        child = 0;
      }
    }
  }
  if (child > 0) end_child(child, number, asked);
  close(list);
  return true;
}

typedef struct ending {
  int number;
  asked *asked;
} ending;

static void end_if_child(pid_t process, pid_t parent, void *context) {
  ending *ending = context;
  if (parent == getpid()) end_child(process, ending->number, ending->asked);
}

// Ends all descendants. The children of a child that ends become children of this process, the subreaper. So
// it signals its direct children, repeatedly, until there are none. Without /proc it signals the target only.
static void end_descendants(pid_t target, int grace, const sigset_t *waiting) {
  static asked asked;
  int64_t start = milliseconds();
  for (;;) {
    pid_t ended;
    while ((ended = waitpid(-1, NULL, WNOHANG)) > 0) {
    }
    if (ended < 0 && errno == ECHILD) return;
    int64_t elapsed = milliseconds() - start;
    // Not even SIGKILL ends a process that hangs in the kernel.
    if (elapsed > PATIENCE_MS) return;
    ending ending = {.number = elapsed < grace ? SIGTERM : SIGKILL, .asked = &asked};
    if (!end_listed_children(ending.number, &asked) && !luath_visit_processes(end_if_child, &ending)
        && target != 0)
      end_child(target, ending.number, &asked);
    struct timespec round = {.tv_nsec = ROUND_MS * 1000000L};
    ppoll(NULL, 0, &round, waiting);
  }
}

static _Noreturn void run_warden(const luath_warden_program *program, int leash, int sent) {
  leash_end = leash;
  report_end = sent;
  // Ctrl-C in the terminal should reach only the process that holds the leash, or the program.
  if (program->is_foreground) {
    setpgid(0, 0);
  } else {
    setsid();
  }
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_NAME, "luath-warden");
  forget_signal_handlers();
  struct sigaction noticing = {.sa_handler = on_child};
  sigaction(SIGCHLD, &noticing, NULL);
  sigset_t waiting;
  sigfillset(&waiting);
  sigdelset(&waiting, SIGCHLD);
  if (program->is_foreground) {
    close_own(program->terminal);
  } else if (!lay_out(program)) {
    report(LUATH_WARDEN_NOT_STARTED, errno);
    if (program->folder) luath_remove_tree(program->folder);
    _exit(1);
  }
  pid_t self = getpid();
  pid_t process = fork();
  if (process == 0) become_program(program, self);
  if (process < 0) {
    report(LUATH_WARDEN_NOT_STARTED, errno);
  } else {
    // The program does the same; one of both is the first.
    if (program->has_group) setpgid(process, process);
    // A writer of the input must notice when the program has closed it.
    if (!program->is_foreground) {
      close(INPUT);
      close(ERRORS);
    }
    report(LUATH_WARDEN_PROGRAM_STARTED, process);
    pid_t target = program->has_group ? -process : process;
    bool is_urgent = watch(program, &target, &waiting);
    end_descendants(target, is_urgent ? 0 : program->grace, &waiting);
  }
  if (program->folder) luath_remove_tree(program->folder);
  _exit(0);
}

int luath_warden_start(const luath_warden_program *program, luath_warden *warden) {
  int leash[2], report[2];
  if (pipe2(leash, O_CLOEXEC) != 0) return errno;
  if (pipe2(report, O_CLOEXEC | O_NONBLOCK) != 0) {
    int error = errno;
    close(leash[0]);
    close(leash[1]);
    return error;
  }
  // A signal is written even if nobody reads, and must not wait.
  fcntl(leash[1], F_SETFL, O_NONBLOCK);
  // None of luath's signal handlers may run in the child.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t process = fork();
  if (process == 0) run_warden(program, leash[0], report[1]);
  int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(leash[0]);
  close(report[1]);
  if (process < 0) {
    close(leash[1]);
    close(report[0]);
    return error;
  }
  *warden = (luath_warden){.process = process, .leash = leash[1], .report = report[0]};
  return 0;
}

static void write_leash(const luath_warden *warden, uint8_t byte) {
  // The warden may have ended, and a full pipe has signals enough.
  sigset_t pipe_signal, before;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  if (write(warden->leash, &byte, 1) < 0 && errno == EPIPE) {
    struct timespec none = {0};
    sigtimedwait(&pipe_signal, NULL, &none);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void luath_warden_signal(const luath_warden *warden, int number) {
  write_leash(warden, (uint8_t)number);
}

void luath_warden_kill(const luath_warden *warden) { write_leash(warden, KILL_ALL); }

void luath_warden_wait(const luath_warden *warden) {
  struct pollfd report = {.fd = warden->report, .events = POLLIN};
  poll(&report, 1, -1);
}

luath_warden_news luath_warden_read(const luath_warden *warden, int *value) {
  message message;
  ssize_t count;
  do count = read(warden->report, &message, sizeof message);
  while (count < 0 && errno == EINTR);
  if (count == 0) return LUATH_WARDEN_ENDED;
  if (count != (ssize_t)sizeof message) return LUATH_WARDEN_QUIET;
  *value = message.value;
  return (luath_warden_news)message.news;
}

void luath_warden_bury(pid_t process, const char *folder) {
  siginfo_t end;
  while (waitid(P_PID, (id_t)process, &end, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  // Until the warden is reaped, no other process group can have its number. If it finished its work, it is alone
  // in its group.
  kill(-process, SIGKILL);
  while (waitpid(process, NULL, 0) < 0 && errno == EINTR) {
  }
  // Processes that are just ending may still write.
  for (int round = 0; folder && access(folder, F_OK) == 0 && round < 250; round++) {
    luath_remove_tree(folder);
    usleep(ROUND_MS * 1000);
  }
}
