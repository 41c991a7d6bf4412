// Typed wrappers of libmicrohttpd's variadic functions, which Swift cannot import.
#ifndef LUATH_MICROHTTP_H
#define LUATH_MICROHTTP_H
#include <microhttpd.h>
#include <stddef.h>
#include <stdint.h>

typedef struct luath_server_limits {
  unsigned connections;
  unsigned idle_seconds;
  size_t connection_memory;
} luath_server_limits;

// Called with the request target as it was sent, before libmicrohttpd decodes and splits it; what
// it returns is the request's context in the two others.
typedef void *(*luath_server_target)(void *server, const char *target,
                                     struct MHD_Connection *connection);

// A daemon without a thread of its own, on a socket that listens already: the caller waits for the
// descriptor of luath_server_poll and for MHD_get_timeout, then calls MHD_run. NULL on failure; the
// socket then still belongs to the caller.
struct MHD_Daemon *luath_server_start(int socket, luath_server_limits limits, void *server,
                                      luath_server_target target,
                                      MHD_AccessHandlerCallback handler,
                                      MHD_RequestCompletedCallback completed);

// The epoll descriptor that is readable when MHD_run has work; -1 on failure.
int luath_server_poll(struct MHD_Daemon *daemon);

// A socket that listens on 127.0.0.1, for port 0 on a free one; -1 with errno. `port` receives it.
int luath_server_listen(uint16_t *port, int backlog);

#endif
