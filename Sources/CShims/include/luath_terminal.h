// A terminal in raw mode, whose modes are restored however the process ends.
#ifndef LUATH_TERMINAL_H
#define LUATH_TERMINAL_H
#include <stdbool.h>
#include <stddef.h>

enum {
  LUATH_TERMINAL_RESIZED = 'r',    // the size has changed
  LUATH_TERMINAL_CONTINUED = 'c',  // the process continued after a stop: redraw everything
  LUATH_TERMINAL_WOKEN = 'w',      // another thread woke the reader
};

// Switches a terminal to raw mode: keys arrive one by one, without echo and signals, and pastes are
// bracketed. One terminal at a time. 0, or an errno.
//
// Until `luath_terminal_leave`, an end of the process by signal, `exit` or `abort` restores the modes first
// and then runs the handler that was installed for that signal. Stops restore them too. At each event of
// the list above its byte is written to `wake`.
int luath_terminal_enter(int input, int output, int wake);

// Restores the original modes; does nothing when the terminal is not in raw mode. Safe in signal handlers.
void luath_terminal_leave(void);

// Sets the number of rows of the edited text below the cursor, so that an end of the process by signal moves
// the cursor below them; -1 when nothing is being edited.
void luath_terminal_place(int below);

// Stops the process group as Ctrl-Z does in line mode; returns when it continues.
void luath_terminal_stop(void);

// The size in columns and rows; 0 when the terminal does not report it.
void luath_terminal_size(int output, int *columns, int *rows);

// Removes a file when SIGTERM, SIGHUP or SIGQUIT ends the process; then the signal has its usual effect. One
// file at a time: pass NULL once the file is gone, before the next path.
void luath_terminal_pass(const char *path);

// Removes that file now, for a process that ends without a signal. Safe in signal handlers.
void luath_terminal_remove_passing(void);

#endif
