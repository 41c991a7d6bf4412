// Starts a program that outlives this one, as a person's own browser does.
#ifndef LUATH_OPENING_H
#define LUATH_OPENING_H
#include <sys/types.h>

// Starts a program in a session of its own, with nothing of ours but the environment: no descriptor,
// no terminal, no signal set otherwise than by default. Its output goes nowhere. 0, or an errno.
int luath_open_detached(const char *path, char *const arguments[], pid_t *process);

// Waits for the end of such a program: its exit code, or 128 and the signal that ended it.
int luath_opening_status(pid_t process);
#endif
