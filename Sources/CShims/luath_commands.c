// Our os.execute and io.popen. Their children inherit only the standard streams, and a stop or interruption of
// the script ends every wait for them.
#define _GNU_SOURCE
#include "luath_children.h"
#include "luath_lua_internal.h"
#include "luath_processes.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// GRACE_MS: time for a child of a stopped script between SIGTERM and SIGKILL.
// ROUND_MS: polling interval for a child's end on kernels without process descriptors.
// FAMILY_LIMIT: the number of processes of one child that a stop handles.
enum { GRACE_MS = 200, ROUND_MS = 20, FAMILY_LIMIT = 256 };

// A handle of io.popen. Lua's io library uses only the first member.
typedef struct command_stream {
  luaL_Stream stream;
  luath_host *host;
  pid_t process;
  int pipe;
} command_stream;

// Waits for an event of a descriptor, or for a time; -1: no limit. False when the script must leave.
static bool wait_for(luath_host *host, int descriptor, short events, int milliseconds) {
  sigset_t watched, sleeping;
  sigemptyset(&watched);
  if (luath_watched_signal() != 0) sigaddset(&watched, luath_watched_signal());
  // The signal is blocked between the check and the sleep, so that no stop is missed.
  pthread_sigmask(SIG_BLOCK, &watched, &sleeping);
  sigset_t before = sleeping;
  if (luath_watched_signal() != 0) sigdelset(&sleeping, luath_watched_signal());
  if (!luath_must_leave(host)) {
    struct pollfd poll = {.fd = descriptor, .events = events};
    struct timespec limit = {
        .tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L};
    ppoll(&poll, 1, milliseconds < 0 ? NULL : &limit, &sleeping);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return !luath_must_leave(host);
}

// A process and its descendants, by descriptors, as the number of an ended process may be reused at once.
typedef struct family {
  pid_t numbers[FAMILY_LIMIT];
  int descriptors[FAMILY_LIMIT];
  int count;
} family;

static bool has_member(const family *family, pid_t process) {
  for (int i = 0; i < family->count; i++) {
    if (family->numbers[i] == process) return true;
  }
  return false;
}

static void add_member(family *family, pid_t process) {
  if (family->count == FAMILY_LIMIT || has_member(family, process)) return;
  int descriptor = (int)syscall(SYS_pidfd_open, process, 0);
  if (descriptor < 0) return;
  // Stop it, so that it cannot start further processes.
  syscall(SYS_pidfd_send_signal, descriptor, SIGSTOP, NULL, 0);
  family->numbers[family->count] = process;
  family->descriptors[family->count++] = descriptor;
}

static void add_child(pid_t process, pid_t parent, void *context) {
  if (has_member(context, parent)) add_member(context, process);
}

// Stops and adds all descendants. Needs several passes: a process may have a lower number than its parent, and
// one that was being started when its parent was stopped appears a moment later.
static void add_descendants(family *family) {
  for (int quiet = 0; quiet < 3; quiet++) {
    int before = family->count;
    luath_visit_processes(add_child, family);
    if (family->count > before) quiet = 0;
  }
}

static void signal_family(const family *family, int number) {
  for (int i = 0; i < family->count; i++)
    syscall(SYS_pidfd_send_signal, family->descriptors[i], number, NULL, 0);
}

// Ends a shell and all its descendants, which would otherwise hold its pipes and run on unnoticed.
static void end_process(pid_t process) {
  family family = {.count = 0};
  add_member(&family, process);
  add_descendants(&family);
  signal_family(&family, SIGTERM);
  signal_family(&family, SIGCONT);
  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  for (int i = 0; i < family.count; i++) {
    clock_gettime(CLOCK_MONOTONIC, &now);
    long elapsed =
        (now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000L;
    if (elapsed >= GRACE_MS) break;
    struct pollfd end = {.fd = family.descriptors[i], .events = POLLIN};
    poll(&end, 1, (int)(GRACE_MS - elapsed));
  }
  // Including processes started meanwhile.
  add_descendants(&family);
  signal_family(&family, SIGKILL);
  // The shell is not reaped yet, so its number is still its own; this also covers a shell without a descriptor.
  kill(process, SIGKILL);
  for (int i = 0; i < family.count; i++) close(family.descriptors[i]);
}

// Ctrl-C at a terminal reaches a program and luath at the same time. If the program ends first, its unfinished
// work would count as its result, so luath waits a moment for its own signal.
static void await_interrupt(luath_host *host, pid_t process) {
  siginfo_t end = {0};
  if (waitid(P_PID, (id_t)process, &end, WEXITED | WNOHANG | WNOWAIT) != 0 || end.si_pid == 0) return;
  bool isInterrupted = end.si_code == CLD_EXITED ? end.si_status == 128 + SIGINT
                                                 : end.si_status == SIGINT;
  if (!isInterrupted) return;
  for (int waited = 0; waited < GRACE_MS && wait_for(host, -1, 0, ROUND_MS); waited += ROUND_MS) {
  }
}

// Waits for a child; a stop of the script ends the child. The status, or -1 with errno.
static int status_of(luath_host *host, pid_t process) {
  int descriptor = (int)syscall(SYS_pidfd_open, process, 0);
  int status = -1;
  pid_t ended;
  for (;;) {
    await_interrupt(host, process);
    if ((ended = waitpid(process, &status, WNOHANG)) != 0) break;
    if (wait_for(host, descriptor, POLLIN, descriptor < 0 ? ROUND_MS : -1)) continue;
    end_process(process);
    status = luath_child_status(process);
    break;
  }
  int error = errno;
  if (descriptor >= 0) close(descriptor);
  if (ended < 0 || status == -1) {
    errno = error;
    return -1;
  }
  // Lua reports a failure when errno is set.
  errno = 0;
  return status;
}

static int start_shell(const char *command, const int descriptors[3], pid_t *process) {
  char *const arguments[] = {"sh", "-c", "--", (char *)command, NULL};
  return luath_child_start("/bin/sh", arguments, descriptors, false, process);
}

static int execute(lua_State *L) {
  const char *command = luaL_optstring(L, 1, NULL);
  if (command == NULL) {
    lua_pushboolean(L, access("/bin/sh", X_OK) == 0);
    return 1;
  }
  static const int own[3] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
  pid_t process;
  int problem = start_shell(command, own, &process);
  int status = -1;
  if (problem == 0) {
    status = status_of(luath_host_of(L), process);
  } else {
    errno = problem;
  }
  return luaL_execresult(L, status);
}

static ssize_t read_pipe(void *cookie, char *buffer, size_t size) {
  command_stream *command = cookie;
  for (;;) {
    ssize_t count = read(command->pipe, buffer, size);
    if (count == 0) await_interrupt(command->host, command->process);
    if (count >= 0 || (errno != EAGAIN && errno != EINTR)) return count;
    if (wait_for(command->host, command->pipe, POLLIN, -1)) continue;
    // End it now: closing the handle later would wait again.
    end_process(command->process);
    errno = EINTR;
    return -1;
  }
}

// For fopencookie(3), 0 is a failure.
static ssize_t write_pipe(void *cookie, const char *buffer, size_t size) {
  command_stream *command = cookie;
  size_t written = 0;
  while (written < size) {
    ssize_t count = write(command->pipe, buffer + written, size - written);
    if (count >= 0) {
      written += (size_t)count;
    } else if (errno != EAGAIN && errno != EINTR) {
      break;
    } else if (!wait_for(command->host, command->pipe, POLLOUT, -1)) {
      end_process(command->process);
      errno = EINTR;
      break;
    }
  }
  return (ssize_t)written;
}

static int close_pipe(void *cookie) { return close(((command_stream *)cookie)->pipe); }

// Starts a command behind a pipe; 0, or an errno.
static int open_command(command_stream *stream, const char *command, bool reads) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return errno;
  stream->pipe = ends[reads ? 0 : 1];
  int theirs = ends[reads ? 1 : 0];
  // Only our end; the child's end has separate flags.
  fcntl(stream->pipe, F_SETFL, O_NONBLOCK);
  // If a standard stream was closed, the pipe may have its number.
  if (theirs < 3) {
    int moved = fcntl(theirs, F_DUPFD_CLOEXEC, 3);
    close(theirs);
    theirs = moved;
  }
  cookie_io_functions_t functions = {.read = read_pipe, .write = write_pipe, .close = close_pipe};
  FILE *file = theirs < 0 ? NULL : fopencookie(stream, reads ? "r" : "w", functions);
  if (file == NULL) {
    int error = errno;
    close(stream->pipe);
    if (theirs >= 0) close(theirs);
    return error;
  }
  int descriptors[3] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
  descriptors[reads ? STDOUT_FILENO : STDIN_FILENO] = theirs;
  int problem = start_shell(command, descriptors, &stream->process);
  close(theirs);
  if (problem != 0) {
    fclose(file);
    return problem;
  }
  stream->stream.f = file;
  return 0;
}

static int close_command(lua_State *L) {
  command_stream *command = luaL_checkudata(L, 1, LUA_FILEHANDLE);
  fclose(command->stream.f);
  return luaL_execresult(L, status_of(command->host, command->process));
}

static int open_pipe(lua_State *L) {
  const char *command = luaL_checkstring(L, 1);
  const char *mode = luaL_optstring(L, 2, "r");
  luaL_argcheck(L, (mode[0] == 'r' || mode[0] == 'w') && mode[1] == '\0', 2, "invalid mode");
  command_stream *stream = lua_newuserdatauv(L, sizeof *stream, 0);
  // Without a close function Lua treats the handle as closed.
  *stream = (command_stream){.host = luath_host_of(L)};
  luaL_setmetatable(L, LUA_FILEHANDLE);
  fflush(NULL);
  int problem = open_command(stream, command, mode[0] == 'r');
  if (problem != 0) {
    errno = problem;
    return luaL_fileresult(L, 0, command);
  }
  stream->stream.closef = close_command;
  return 1;
}

void luath_replace_commands(lua_State *L) {
  lua_getglobal(L, "os");
  lua_pushcfunction(L, execute);
  lua_setfield(L, -2, "execute");
  lua_getglobal(L, "io");
  lua_pushcfunction(L, open_pipe);
  lua_setfield(L, -2, "popen");
  lua_pop(L, 2);
}
