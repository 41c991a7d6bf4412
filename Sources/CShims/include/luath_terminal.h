// A terminal whose modes are given back however the process ends.
#ifndef LUATH_TERMINAL_H
#define LUATH_TERMINAL_H
#include <stdbool.h>
#include <stddef.h>

enum {
  LUATH_TERMINAL_RESIZED = 'r',    // the size has changed
  LUATH_TERMINAL_CONTINUED = 'c',  // the process went on after a stop: draw everything again
  LUATH_TERMINAL_WOKEN = 'w',      // another thread has asked for a look
};

// Takes a terminal out of its line mode: keys come one by one, without echo and signals, and pastes
// are marked. One terminal at a time. 0, or the number of the error.
//
// Until `luath_terminal_leave`, the ends of the process by signal, `exit` and `abort` give the modes
// back first, and what had been installed for those signals is done after that. Stops give them back
// too. A byte of the list above is written to `wake` at each such event.
int luath_terminal_enter(int input, int output, int wake);

// Gives the modes back that were found; harmless when nothing was taken. Safe in signal handlers.
void luath_terminal_leave(void);

// Says how many rows of what is edited are below the cursor, so that an end of the process from
// outside leaves the cursor below them; -1 for nothing to leave.
void luath_terminal_place(int below);

// Stops the process group as Ctrl-Z does in line mode; returns when it goes on.
void luath_terminal_stop(void);

// The size in columns and rows; 0 where the terminal tells none.
void luath_terminal_size(int output, int *columns, int *rows);

// Has a file removed when SIGTERM, SIGHUP or SIGQUIT ends the process, which is done after that; NULL
// when the file has gone otherwise. One file at a time, each time NULL in between.
void luath_terminal_pass(const char *path);

// Removes that file now, for ends of the process that no signal makes. Safe in signal handlers.
void luath_terminal_remove_passing(void);

#endif
