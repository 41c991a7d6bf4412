// Programs that never outlive this process. Each is started by a warden, a separate process that kills the
// program and all its descendants when its leash, a pipe, is closed.
#ifndef LUATH_PROCESSES_H
#define LUATH_PROCESSES_H
#include <stdbool.h>
#include <sys/types.h>

typedef struct luath_warden {
  // A child of this process; exits soon after the leash is closed. Pass it to luath_warden_bury.
  pid_t process;
  // Close this to end the program; it also closes when this process ends. Signals for the program are written there.
  int leash;
  // The pipe of the warden's reports; end of file when the warden has exited.
  int report;
} luath_warden;

typedef enum luath_warden_news {
  // No new report.
  LUATH_WARDEN_QUIET,
  // The program was started; the value is its process number.
  LUATH_WARDEN_PROGRAM_STARTED,
  // The program was stopped, as by Ctrl-Z; the value is the signal. Only for a program with a process group.
  LUATH_WARDEN_PROGRAM_STOPPED,
  // The program could not be started; the value is errno.
  LUATH_WARDEN_NOT_STARTED,
  // The program ended by itself; the value is the status from waitpid.
  LUATH_WARDEN_PROGRAM_ENDED,
  // The warden has exited, and so have all its processes.
  LUATH_WARDEN_ENDED,
} luath_warden_news;

// Instead of a terminal or a stream.
enum { LUATH_WARDEN_NONE = -1 };

// A program to start, and what it inherits. The caller keeps everything.
typedef struct luath_warden_program {
  const char *path;
  char *const *arguments;
  char *const *environment;
  // The working folder; NULL for that of this process.
  const char *directory;
  // Removed with its contents when all processes have ended; NULL for none.
  const char *folder;
  // The standard streams: /dev/null for an input of LUATH_WARDEN_NONE, the output for such errors.
  int input, output, errors;
  // Whether the program leads a new process group, to which signals go; else they go to the program alone.
  bool has_group;
  // Whether the program stays in this session, with its terminal, and inherits what this process inherited: all
  // descriptors without FD_CLOEXEC, and the standard streams, in place of those above.
  bool is_foreground;
  // The terminal whose foreground process group the program becomes; LUATH_WARDEN_NONE for none.
  int terminal;
  // How long descendants have between SIGTERM and SIGKILL, in milliseconds.
  int grace;
} luath_warden_program;

// Starts a program under a new warden; 0, or errno. Thread-safe.
int luath_warden_start(const luath_warden_program *program, luath_warden *warden);

// Sends a signal to the program, or to its process group if it has one. A signal sent after its end has no effect.
void luath_warden_signal(const luath_warden *warden, int number);

// Ends the program and its descendants at once by SIGKILL.
void luath_warden_kill(const luath_warden *warden);

// Waits until there is a report.
void luath_warden_wait(const luath_warden *warden);

// The next report, without waiting.
luath_warden_news luath_warden_read(const luath_warden *warden, int *value);

// Waits for a warden whose leash was closed. If the warden was killed before it finished, kills what is left
// of its process group and removes the folder, unless it is NULL.
void luath_warden_bury(pid_t process, const char *folder);

// Calls a function with each process of the system and its parent; the parent is 0 when the process has
// ended meanwhile. False without /proc. Safe after fork.
bool luath_visit_processes(void (*visit)(pid_t process, pid_t parent, void *context), void *context);

#endif
