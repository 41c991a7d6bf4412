// accept4's flags and SOCK_CLOEXEC are not in POSIX.
#define _GNU_SOURCE
#include "luath_microhttp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct MHD_Daemon *luath_server_start(int socket, luath_server_limits limits, void *server,
                                      luath_server_target target,
                                      MHD_AccessHandlerCallback handler,
                                      MHD_RequestCompletedCallback completed) {
  return MHD_start_daemon(
      MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handler, server,
      MHD_OPTION_LISTEN_SOCKET, socket, MHD_OPTION_URI_LOG_CALLBACK, target, server,
      MHD_OPTION_NOTIFY_COMPLETED, completed, server, MHD_OPTION_CONNECTION_LIMIT,
      limits.connections, MHD_OPTION_CONNECTION_TIMEOUT, limits.idle_seconds,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, limits.connection_memory, MHD_OPTION_STRICT_FOR_CLIENT, 1,
      MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_END);
}

int luath_server_poll(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info == NULL ? -1 : info->epoll_fd;
}

int luath_server_listen(uint16_t *port, int backlog) {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  // A port whose last connections still linger is free; one that somebody listens on is not.
  int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_port = htons(*port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t length = sizeof address;
  if (bind(fd, (struct sockaddr *)&address, length) != 0 || listen(fd, backlog) != 0 ||
      getsockname(fd, (struct sockaddr *)&address, &length) != 0) {
    int reason = errno;
    close(fd);
    errno = reason;
    return -1;
  }
  *port = ntohs(address.sin_port);
  return fd;
}
