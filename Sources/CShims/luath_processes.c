// The warden. After fork the child has one thread and a copy of memory in which other threads may have held
// locks. So it only calls functions that are safe in signal handlers (signal-safety(7)) and bare system calls.
#define _GNU_SOURCE
#include "luath_processes.h"

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

// GRACE_MS: time for descendants to end after SIGTERM. PATIENCE_MS: time to wait for their end in all.
enum { GRACE_MS = 100, PATIENCE_MS = 20000, ROUND_MS = 20 };
// The warden's descriptors.
enum { LEASH = 0, OUTPUT = 1, REPORT = 2, INPUT = 3 };

typedef struct job {
  const char *program;
  char *const *arguments;
  char *const *environment;
  const char *folder;
  bool has_input;
} job;

typedef struct message {
  int32_t news, value;
} message;

static void tell(int report, luath_warden_news news, int value) {
  message message = {.news = (int32_t)news, .value = value};
  // Errors are ignored: the reader may be gone, and a write of so few bytes is atomic.
  ssize_t written = write(report, &message, sizeof message);
  (void)written;
}

static void on_child(int number) { (void)number; }

static void forget_signal_handlers(void) {
  struct sigaction plain = {.sa_handler = SIG_DFL};
  for (int number = 1; number < NSIG; number++) sigaction(number, &plain, NULL);
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
static bool lay_out(int leash, int input, int output, int report) {
  // Any of them may already have one of those numbers, so move them out of the way first.
  leash = fcntl(leash, F_DUPFD, 10);
  if (input >= 0) input = fcntl(input, F_DUPFD, 10);
  output = fcntl(output, F_DUPFD, 10);
  report = fcntl(report, F_DUPFD, 10);
  if (dup2(leash, LEASH) < 0 || dup2(output, OUTPUT) < 0 || dup2(report, REPORT) < 0) return false;
  if (input >= 0 && dup2(input, INPUT) < 0) return false;
  close_from(input >= 0 ? INPUT + 1 : INPUT);
  return true;
}

static _Noreturn void become_program(const job *job, pid_t warden) {
  // If the warden is killed, at least the program itself is killed with it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != warden) _exit(127);
  int report = fcntl(REPORT, F_DUPFD_CLOEXEC, 3);
  int input = job->has_input ? INPUT : open("/dev/null", O_RDONLY);
  if (report < 0) _exit(127);
  if (input < 0 || dup2(input, 0) < 0 || dup2(OUTPUT, 2) < 0) {
    tell(report, LUATH_WARDEN_NOT_STARTED, errno);
    _exit(127);
  }
  if (input > 2) close(input);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execve(job->program, job->arguments, job->environment);
  tell(report, LUATH_WARDEN_NOT_STARTED, errno);
  _exit(127);
}

// Waits until the leash is closed or the program has ended. All signals are blocked except SIGCHLD, and that
// one too outside of ppoll, so that none is missed.
static void watch(pid_t program, const sigset_t *waiting) {
  for (;;) {
    int status;
    pid_t ended;
    while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
      if (ended != program) continue;
      tell(REPORT, LUATH_WARDEN_PROGRAM_ENDED, status);
      return;
    }
    // Nothing is ever written to a leash, so any event is its end.
    struct pollfd leash = {.fd = LEASH, .events = POLLIN};
    if (ppoll(&leash, 1, NULL, waiting) > 0) return;
  }
}

static int64_t milliseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

// Signals the children listed in /proc/thread-self/children; false where the kernel has no such list.
static bool signal_listed_children(int number) {
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
        if (child > 0) kill(child, number);
        child = 0;
      }
    }
  }
  if (child > 0) kill(child, number);
  close(list);
  return true;
}

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

void luath_visit_processes(void (*visit)(pid_t, pid_t, void *), void *context) {
  int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (proc < 0) return;
  _Alignas(struct dirent64) char buffer[2048];
  long count;
  while ((count = syscall(SYS_getdents64, proc, buffer, sizeof buffer)) > 0) {
    for (long at = 0; at < count;) {
      struct dirent64 *entry = (struct dirent64 *)(buffer + at);
      at += entry->d_reclen;
      pid_t process = 0;
      const char *digit = entry->d_name;
      while (*digit >= '0' && *digit <= '9') process = process * 10 + (*digit++ - '0');
      if (*digit == 0 && process > 0) visit(process, parent_of(proc, entry->d_name), context);
    }
  }
  close(proc);
}

static void signal_child(pid_t process, pid_t parent, void *number) {
  if (parent == getpid()) kill(process, *(int *)number);
}

// Ends all descendants. The children of a child that ends become children of this process, the subreaper. So
// it signals its direct children, repeatedly, until there are none.
static void end_descendants(const sigset_t *waiting) {
  int64_t start = milliseconds();
  for (;;) {
    pid_t ended;
    while ((ended = waitpid(-1, NULL, WNOHANG)) > 0) {
    }
    if (ended < 0 && errno == ECHILD) return;
    int64_t elapsed = milliseconds() - start;
    // Not even SIGKILL ends a process that hangs in the kernel.
    if (elapsed > PATIENCE_MS) return;
    int number = elapsed < GRACE_MS ? SIGTERM : SIGKILL;
    if (!signal_listed_children(number)) luath_visit_processes(signal_child, &number);
    struct timespec round = {.tv_nsec = ROUND_MS * 1000000L};
    ppoll(NULL, 0, &round, waiting);
  }
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

static _Noreturn void run_warden(const job *job, int leash, int input, int output, int report) {
  // A new session: Ctrl-C in the terminal should reach only the process that holds the leash.
  setsid();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_NAME, "luath-warden");
  forget_signal_handlers();
  struct sigaction noticing = {.sa_handler = on_child};
  sigaction(SIGCHLD, &noticing, NULL);
  sigset_t waiting;
  sigfillset(&waiting);
  sigdelset(&waiting, SIGCHLD);
  if (!lay_out(leash, input, output, report)) {
    tell(report, LUATH_WARDEN_NOT_STARTED, errno);
    if (job->folder) luath_remove_tree(job->folder);
    _exit(1);
  }
  pid_t self = getpid();
  pid_t program = fork();
  if (program == 0) become_program(job, self);
  if (program < 0) {
    tell(REPORT, LUATH_WARDEN_NOT_STARTED, errno);
  } else {
    watch(program, &waiting);
    end_descendants(&waiting);
  }
  if (job->folder) luath_remove_tree(job->folder);
  _exit(0);
}

int luath_warden_start(const char *program, char *const arguments[], char *const environment[],
                       int input, int output, const char *folder, luath_warden *warden) {
  int leash[2], report[2];
  if (pipe2(leash, O_CLOEXEC) != 0) return errno;
  if (pipe2(report, O_CLOEXEC | O_NONBLOCK) != 0) {
    int error = errno;
    close(leash[0]);
    close(leash[1]);
    return error;
  }
  job job = {
      .program = program,
      .arguments = arguments,
      .environment = environment,
      .folder = folder,
      .has_input = input >= 0};
  // None of luath's signal handlers may run in the child.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t process = fork();
  if (process == 0) run_warden(&job, leash[0], input, output, report[1]);
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
