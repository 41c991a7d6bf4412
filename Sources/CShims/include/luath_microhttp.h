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

// Hides the query of a target from libmicrohttpd, inside luath_server_target, whose text is its own copy.
//
// It would keep every parameter in the memory of the connection, and leave a request with many without an answer.
void luath_server_hide_query(const char *target);

// What is wrong with the head of a request, as a sentence; NULL when nothing is. Only at the first call of the handler,
// with the length of the target as it was sent and the handler's method.
//
// libmicrohttpd takes more than HTTP allows, and what other servers read differently is how requests are smuggled past
// them: two lengths, two hosts, a bare line feed. It hands out texts, which end at a NUL; that nothing lies between them
// but what HTTP wants shows in their places in its buffer.
const char *luath_server_head_fault(struct MHD_Connection *connection, const char *method,
                                    size_t target_size);

// The address of the peer as IPv6 has it; all zero when it has none.
void luath_server_peer(struct MHD_Connection *connection, uint8_t address[16]);

// How many bytes wait to be read at a socket.
int luath_server_unread(int socket);

// Sends a text as far as the peer takes it at once, and ends the socket as luath_server_break does.
void luath_server_dismiss(int socket, const char *answer);

// How many of so many connections this process may have: raises its limit of open files as far as it can.
unsigned luath_server_room(unsigned connections);

// How many bytes luath_server_headers_copy writes.
size_t luath_server_headers_size(struct MHD_Connection *connection);

// Writes every header line of a request: the lengths of name and value as uint32_t in the machine's
// order, the name, the value.
void luath_server_headers_copy(struct MHD_Connection *connection, uint8_t *bytes);

#endif
