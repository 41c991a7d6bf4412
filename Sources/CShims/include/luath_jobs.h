// Passes the terminal between this process and a child that leads its own process group, as shells do.
#ifndef LUATH_JOBS_H
#define LUATH_JOBS_H
#include <stdbool.h>
#include <sys/types.h>

// Opens the terminal of this session; -1 when there is none, or another process group has it.
int luath_job_terminal(void);

// Whether a process group is the terminal's foreground group.
bool luath_job_is_foreground(int terminal, pid_t group);

// Makes a process group the terminal's foreground group.
void luath_job_bring_forward(int terminal, pid_t group);

// Stops this process and its group, as Ctrl-Z does; returns when it continues. Returns at once when no shell could
// continue it.
void luath_job_stop(void);

// Ends this process and its group by SIGINT, as Ctrl-C does, so that a shell script that runs luath ends as well.
void luath_job_interrupt(void);

#endif
