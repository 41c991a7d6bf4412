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

// Called with the raw request target, before libmicrohttpd decodes and splits it. Its return value is the
// request's context for the other two callbacks.
typedef void *(*luath_server_target)(void *server, const char *target,
                                     struct MHD_Connection *connection);

// Starts a daemon without a thread, on a listening socket. The caller waits for the descriptor of
// luath_server_poll and for MHD_get_timeout, then calls MHD_run. NULL on failure; the socket then still
// belongs to the caller.
struct MHD_Daemon *luath_server_start(int socket, luath_server_limits limits, void *server,
                                      luath_server_target target,
                                      MHD_AccessHandlerCallback handler,
                                      MHD_RequestCompletedCallback completed,
                                      MHD_NotifyConnectionCallback connected);

// The epoll descriptor that is readable when MHD_run has work; -1 on failure.
int luath_server_poll(struct MHD_Daemon *daemon);

// Opens a listening socket on an IPv4 or IPv6 address; port 0 selects a free port. -1 with errno, which is
// EINVAL when the text is not an address. `port` receives the port.
int luath_server_listen(const char *address, uint16_t *port, int backlog);

// The socket of a connection; -1 when it has none.
int luath_server_socket(struct MHD_Connection *connection);

// Shuts down both directions of a socket; libmicrohttpd then closes it.
void luath_server_break(int socket);

// Whether the peer has disconnected or finished sending. If so, also shuts down receiving on this side:
// that is a new event for libmicrohttpd, which misses an end that arrives with the last bytes.
bool luath_server_has_ended(int socket);

// Hides the query of a target from libmicrohttpd. Call it in luath_server_target, with that target.
//
// libmicrohttpd would store every parameter in the connection's memory, and not respond to a request with
// too many of them.
void luath_server_hide_query(const char *target);

// Describes what is wrong with a request's head, or returns NULL. Call it only in the first call of the handler,
// with the length of the raw target and the handler's method.
//
// libmicrohttpd accepts more than HTTP allows: two lengths, two hosts, a bare line feed. Other servers read such
// heads differently, which allows request smuggling. libmicrohttpd passes C strings, which end at a NUL; their
// addresses in its buffer show whether anything but the separators that HTTP requires lies between them.
const char *luath_server_head_fault(struct MHD_Connection *connection, const char *method,
                                    size_t target_size);

// The peer's address as 16 bytes of IPv6, an IPv4 address in the last four; all zero when unknown.
void luath_server_peer(struct MHD_Connection *connection, uint8_t address[16]);

// The number of bytes that can be read from a socket now.
int luath_server_unread(int socket);

// Sends as much of a text as the socket accepts without waiting, then shuts it down.
void luath_server_dismiss(int socket, const char *answer);

// Raises the limit of open files for so many connections; returns how many the process may have.
unsigned luath_socket_room(unsigned connections);

// The number of bytes that luath_server_headers_copy writes.
size_t luath_server_headers_size(struct MHD_Connection *connection);

// Writes every header line of a request: the lengths of name and value as uint32_t in native byte order,
// the name, the value.
void luath_server_headers_copy(struct MHD_Connection *connection, uint8_t *bytes);

#endif
