// SOCK_CLOEXEC and POLLRDHUP are not in POSIX.
#define _GNU_SOURCE
#include "luath_microhttp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct MHD_Daemon *luath_server_start(int socket, luath_server_limits limits, void *server,
                                      luath_server_target target,
                                      MHD_AccessHandlerCallback handler,
                                      MHD_RequestCompletedCallback completed,
                                      MHD_NotifyConnectionCallback connected) {
  return MHD_start_daemon(
      MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handler, server,
      MHD_OPTION_LISTEN_SOCKET, socket, MHD_OPTION_URI_LOG_CALLBACK, target, server,
      MHD_OPTION_NOTIFY_COMPLETED, completed, server, MHD_OPTION_NOTIFY_CONNECTION, connected,
      server, MHD_OPTION_CONNECTION_LIMIT,
      limits.connections, MHD_OPTION_CONNECTION_TIMEOUT, limits.idle_seconds,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, limits.connection_memory, MHD_OPTION_STRICT_FOR_CLIENT, 1,
      MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_END);
}

int luath_server_poll(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info == NULL ? -1 : info->epoll_fd;
}

int luath_server_listen(const char *address, uint16_t *port, int backlog) {
  union {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
  } place;
  memset(&place, 0, sizeof place);
  socklen_t length;
  if (inet_pton(AF_INET, address, &place.four.sin_addr) == 1) {
    place.four.sin_family = AF_INET;
    place.four.sin_port = htons(*port);
    length = sizeof place.four;
  } else if (inet_pton(AF_INET6, address, &place.six.sin6_addr) == 1) {
    place.six.sin6_family = AF_INET6;
    place.six.sin6_port = htons(*port);
    length = sizeof place.six;
  } else {
    errno = EINVAL;
    return -1;
  }
  int fd = socket(place.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  // A port whose last connections still linger is free; one that somebody listens on is not.
  int on = 1, off = 0;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  // The address :: means every address of the machine, those of IPv4 too.
  if (place.any.sa_family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  if (bind(fd, &place.any, length) != 0 || listen(fd, backlog) != 0 ||
      getsockname(fd, &place.any, &length) != 0) {
    int reason = errno;
    close(fd);
    errno = reason;
    return -1;
  }
  *port = ntohs(place.any.sa_family == AF_INET ? place.four.sin_port : place.six.sin6_port);
  return fd;
}

int luath_server_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? -1 : info->connect_fd;
}

void luath_server_break(int socket) { shutdown(socket, SHUT_RDWR); }

bool luath_server_has_ended(int socket) {
  struct pollfd state = {.fd = socket, .events = POLLRDHUP};
  if (poll(&state, 1, 0) != 1 || (state.revents & (POLLRDHUP | POLLHUP)) == 0) return false;
  shutdown(socket, SHUT_RD);
  return true;
}

// libmicrohttpd keeps white space after a value, which is no part of it (RFC 9110 section 5.5).
static size_t trimmed(const char *value, size_t size) {
  while (size > 0 && (value[size - 1] == ' ' || value[size - 1] == '\t')) size--;
  return size;
}

static enum MHD_Result add_size(void *size, enum MHD_ValueKind kind, const char *name,
                                size_t name_size, const char *value, size_t value_size) {
  (void)kind, (void)name;
  *(size_t *)size += 2 * sizeof(uint32_t) + name_size + trimmed(value, value_size);
  return MHD_YES;
}

static enum MHD_Result add_line(void *end, enum MHD_ValueKind kind, const char *name,
                                size_t name_size, const char *value, size_t value_size) {
  (void)kind;
  uint8_t **bytes = end;
  value_size = trimmed(value, value_size);
  const uint32_t sizes[2] = {(uint32_t)name_size, (uint32_t)value_size};
  memcpy(*bytes, sizes, sizeof sizes);
  *bytes += sizeof sizes;
  memcpy(*bytes, name, name_size);
  *bytes += name_size;
  if (value_size > 0) memcpy(*bytes, value, value_size);
  *bytes += value_size;
  return MHD_YES;
}

size_t luath_server_headers_size(struct MHD_Connection *connection) {
  size_t size = 0;
  MHD_get_connection_values_n(connection, MHD_HEADER_KIND, add_size, &size);
  return size;
}

void luath_server_headers_copy(struct MHD_Connection *connection, uint8_t *bytes) {
  MHD_get_connection_values_n(connection, MHD_HEADER_KIND, add_line, &bytes);
}
