// Starts child processes that inherit only the environment and the given descriptors.
#ifndef LUATH_CHILDREN_H
#define LUATH_CHILDREN_H
#include <stdbool.h>
#include <sys/types.h>

// Instead of a descriptor: the child gets /dev/null.
enum { LUATH_NO_DESCRIPTOR = -1 };

// Starts a program; returns 0 or an errno.
//
// `descriptors` are its standard input, output and error; it inherits no other descriptor. Its signals are
// unblocked and have their default actions, except that an ignored SIGHUP (nohup) stays ignored.
// `detached` starts a new session, without the terminal.
int luath_child_start(const char *path, char *const arguments[], const int descriptors[3],
                      bool detached, pid_t *process);

// Waits for a child to end; returns the status from waitpid, or -1 with errno.
int luath_child_status(pid_t process);

// The exit code for that status; 128 + signal for a program killed by a signal; 127 for -1.
int luath_exit_code(int status);
#endif
