// Programs that never outlive this process. Each is started by a warden, a separate process that kills the
// program and all its descendants when its leash, a pipe, is closed.
#ifndef LUATH_PROCESSES_H
#define LUATH_PROCESSES_H
#include <stdbool.h>
#include <sys/types.h>

typedef struct luath_warden {
  // A child of this process; exits soon after the leash is closed. Pass it to luath_warden_bury.
  pid_t process;
  // Close this to end the program; it also closes when this process ends.
  int leash;
  // The pipe of the warden's reports; end of file when the warden has exited.
  int report;
} luath_warden;

typedef enum luath_warden_news {
  // No new report.
  LUATH_WARDEN_QUIET,
  // The program could not be started; the value is errno.
  LUATH_WARDEN_NOT_STARTED,
  // The program ended by itself; the value is the status from waitpid.
  LUATH_WARDEN_PROGRAM_ENDED,
  // The warden has exited, and so have all its processes.
  LUATH_WARDEN_ENDED,
} luath_warden_news;

// Starts a program under a new warden; 0, or errno.
//
// The program's input is `input`, or /dev/null if that is negative; its output and errors go to `output`. The
// caller still owns both. When all processes have ended, the warden removes `folder` with its contents, unless it is NULL. Thread-safe.
int luath_warden_start(const char *program, char *const arguments[], char *const environment[],
                       int input, int output, const char *folder, luath_warden *warden);

// The next report, without waiting.
luath_warden_news luath_warden_read(const luath_warden *warden, int *value);

// Waits for a warden whose leash was closed. If the warden was killed before it finished, kills what is left
// of its process group and removes the folder, unless it is NULL.
void luath_warden_bury(pid_t process, const char *folder);

// Calls a function with each process of the system and its parent; the parent is 0 when the process has
// ended meanwhile. Safe after fork.
void luath_visit_processes(void (*visit)(pid_t process, pid_t parent, void *context), void *context);

// Removes a file, or a folder with its contents; follows no symbolic links.
void luath_remove_tree(const char *path);

#endif
