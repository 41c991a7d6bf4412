// Starts child processes with nothing of this one but the environment and the descriptors that are named.
#ifndef LUATH_CHILDREN_H
#define LUATH_CHILDREN_H
#include <stdbool.h>
#include <sys/types.h>

// In place of a descriptor: the child gets /dev/null.
enum { LUATH_NO_DESCRIPTOR = -1 };

// Starts a program. Its input, output and errors are `descriptors`; no other descriptor reaches it. Its
// signals are unblocked and have their default actions; only a SIGHUP that this process ignores, as nohup
// has it, stays ignored. `detached` gives it a session of its own, without the terminal. 0, or an errno.
int luath_child_start(const char *path, char *const arguments[], const int descriptors[3],
                      bool detached, pid_t *process);

// Waits for the end of a child: the status that wait gives, or -1 with errno.
int luath_child_status(pid_t process);

// A program's exit code by that status, or 128 and the signal that ended it; 127 for -1.
int luath_exit_code(int status);
#endif
