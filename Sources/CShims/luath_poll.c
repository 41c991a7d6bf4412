// pthread_setname_np is not in POSIX.
#define _GNU_SOURCE
#include "luath_poll.h"

#include <pthread.h>
#include <sys/eventfd.h>

int luath_poll_wake_open(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void luath_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }
