// Typed wrappers of libmicrohttpd's variadic functions, which Swift cannot import.
#ifndef LUATH_MICROHTTP_H
#define LUATH_MICROHTTP_H
#include <microhttpd.h>
#include <stdbool.h>
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
                                      MHD_RequestCompletedCallback completed,
                                      MHD_NotifyConnectionCallback connected);

// The epoll descriptor that is readable when MHD_run has work; -1 on failure.
int luath_server_poll(struct MHD_Daemon *daemon);

// A socket that listens on an IPv4 or IPv6 address, for port 0 on a free one; -1 with errno, which is
// EINVAL when the text is no address. `port` receives the port.
int luath_server_listen(const char *address, uint16_t *port, int backlog);

// The socket of a connection; -1 when it has none.
int luath_server_socket(struct MHD_Connection *connection);

// Ends both directions of a socket; libmicrohttpd notices and closes it.
void luath_server_break(int socket);

// Whether the peer of a socket has left or sends no more. Then receiving is ended on this side too:
// that is an event of its own for libmicrohttpd, which misses an end that came with the last bytes.
bool luath_server_has_ended(int socket);

// How many bytes luath_server_headers_copy writes.
size_t luath_server_headers_size(struct MHD_Connection *connection);

// Writes every header line of a request: the lengths of name and value as uint32_t in the machine's
// order, the name, the value.
void luath_server_headers_copy(struct MHD_Connection *connection, uint8_t *bytes);

#endif
