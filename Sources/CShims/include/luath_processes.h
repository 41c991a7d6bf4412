// Programs that never outlive this process: each is started by a warden, a process of its own, which
// ends the program and all that came of it when its leash is let go.
#ifndef LUATH_PROCESSES_H
#define LUATH_PROCESSES_H
#include <stdbool.h>
#include <sys/types.h>

typedef struct luath_warden {
  // A child of this process; it ends by itself soon after the leash, and wants to be waited for.
  pid_t process;
  // Closing this, which the end of this process does too, is the only order a warden takes.
  int leash;
  // Where the warden tells how the program fares; at its end the warden has ended.
  int report;
} luath_warden;

typedef enum luath_warden_news {
  // Nothing new.
  LUATH_WARDEN_QUIET,
  // The program could not be started; the value is errno.
  LUATH_WARDEN_NOT_STARTED,
  // The program ended by itself; the value is the status that wait gives.
  LUATH_WARDEN_PROGRAM_ENDED,
  // The warden has ended, and nothing that it watched over runs any more.
  LUATH_WARDEN_ENDED,
} luath_warden_news;

// Starts a program under a new warden; 0, or errno. The program has no input, and its output and
// errors go to `output`, which stays the caller's. When all has ended the warden removes `folder` with
// everything in it, unless that is NULL. Safe from any thread, and in many at once.
int luath_warden_start(const char *program, char *const arguments[], char *const environment[],
                       int output, const char *folder, luath_warden *warden);

// The next piece of news, without waiting for it.
luath_warden_news luath_warden_read(const luath_warden *warden, int *value);

// Waits for a warden whose leash was let go. If it was killed before it did its work, ends what is left
// of its process group and removes the folder, unless that is NULL.
void luath_warden_bury(pid_t process, const char *folder);

// Calls a function with each process and its parent; 0 for a parent when the process has ended meanwhile.
// Safe after fork.
void luath_visit_processes(void (*visit)(pid_t process, pid_t parent, void *context), void *context);

// Removes a file, or a folder with everything in it, and follows no links on the way.
void luath_remove_tree(const char *path);

#endif
