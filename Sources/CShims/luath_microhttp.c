// SOCK_CLOEXEC and POLLRDHUP are not in POSIX.
#define _GNU_SOURCE
#include "luath_microhttp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
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
      // In strict mode it would refuse a request without Host itself, and send the head of that response twice.
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, limits.connection_memory, MHD_OPTION_STRICT_FOR_CLIENT, 0,
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
  // Allows a port with connections in TIME_WAIT, but not one that another socket listens on.
  int on = 1, off = 0;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  // The address :: then accepts IPv4 connections as well.
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

void luath_server_hide_query(const char *target) {
  // The text is in libmicrohttpd's read buffer. It has already found the query, and reads it up to the first NUL.
  char *mark = strchr((char *)(uintptr_t)target, '?');
  if (mark != NULL && mark[1] != '\0') mark[1] = '\0';
}

void luath_server_peer(struct MHD_Connection *connection, uint8_t address[16]) {
  memset(address, 0, 16);
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  if (info == NULL || info->client_addr == NULL) return;
  if (info->client_addr->sa_family == AF_INET) {
    memcpy(address + 12, &((const struct sockaddr_in *)(const void *)info->client_addr)->sin_addr, 4);
  } else if (info->client_addr->sa_family == AF_INET6) {
    memcpy(address, &((const struct sockaddr_in6 *)(const void *)info->client_addr)->sin6_addr, 16);
  }
}

int luath_server_unread(int socket) {
  int count = 0;
  return ioctl(socket, FIONREAD, &count) == 0 ? count : 0;
}

void luath_server_dismiss(int socket, const char *answer) {
  (void)!send(socket, answer, strlen(answer), MSG_NOSIGNAL | MSG_DONTWAIT);
  luath_server_break(socket);
}

unsigned luath_socket_room(unsigned connections) {
  // Reserved for files, pipes and connections to other servers.
  const rlim_t others = 128;
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return connections;
  if (limit.rlim_cur < connections + others && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max < connections + others ? limit.rlim_max : connections + others;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  if (limit.rlim_cur >= connections + others) return connections;
  return limit.rlim_cur > 2 * others ? (unsigned)(limit.rlim_cur - others) : (unsigned)(limit.rlim_cur / 2);
}

// libmicrohttpd keeps white space after a value, which does not belong to it (RFC 9110 section 5.5).
static size_t trimmed(const char *value, size_t size) {
  while (size > 0 && (value[size - 1] == ' ' || value[size - 1] == '\t')) size--;
  return size;
}

// The state of checking a request's head line by line.
struct head {
  const char *fault;
  // The end of the last line, without its line break.
  const char *end;
  unsigned hosts, lengths, codings;
};

static bool is_name(const char *name, size_t size) {
  for (size_t index = 0; index < size; index++) {
    const unsigned char byte = (unsigned char)name[index];
    // A token (RFC 9110 section 5.6.2).
    if (byte <= ' ' || byte >= 0x7F || strchr("\"(),/:;<=>?@[\\]{}", byte) != NULL) return false;
  }
  return size > 0;
}

static bool is(const char *name, size_t size, const char *expected) {
  return size == strlen(expected) && strncasecmp(name, expected, size) == 0;
}

static enum MHD_Result check_line(void *state, enum MHD_ValueKind kind, const char *name,
                                  size_t name_size, const char *value, size_t value_size) {
  (void)kind;
  struct head *head = state;
  if (!is_name(name, name_size)) {
    head->fault = "a header name is no token";
  } else if (name != head->end + 2) {
    head->fault = "a line of the head has a NUL, or does not end with CR and LF";
  } else if (value == NULL || memchr(value, '\r', value_size) != NULL) {
    head->fault = "a header value has a control character";
  }
  if (head->fault != NULL) return MHD_NO;
  head->end = value + value_size;
  head->hosts += is(name, name_size, "Host");
  head->lengths += is(name, name_size, "Content-Length");
  if (is(name, name_size, "Transfer-Encoding")) {
    head->codings++;
    if (!is(value, trimmed(value, value_size), "chunked")) {
      head->fault = "the only transfer coding is chunked";
    }
  }
  return MHD_YES;
}

const char *luath_server_head_fault(struct MHD_Connection *connection, const char *method,
                                    size_t target_size) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  // Method, target and version, separated by single spaces.
  struct head head = {.end = method + strlen(method) + 1 + target_size + 1 + strlen("HTTP/1.1")};
  MHD_get_connection_values_n(connection, MHD_HEADER_KIND, check_line, &head);
  if (head.fault != NULL) return head.fault;
  if (info == NULL || method + info->header_size != head.end + 4) {
    return "a line of the head has a NUL, or does not end with CR and LF";
  }
  if (head.hosts > 1) return "the request has more than one Host header";
  if (head.lengths + head.codings > 1) {
    return "the request has more than one Content-Length or Transfer-Encoding";
  }
  return NULL;
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
