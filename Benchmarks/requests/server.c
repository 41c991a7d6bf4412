// The server both clients of the benchmark talk to: libmicrohttpd on a free loopback port, one small
// JSON answer for every GET. Prints its port; ends when its input ends.
//
//   cc -O2 server.c -o server -lmicrohttpd
#include <arpa/inet.h>
#include <microhttpd.h>
#include <stdio.h>
#include <string.h>

static struct MHD_Response *answer;

static enum MHD_Result handle(
    void *context, struct MHD_Connection *connection, const char *url, const char *method,
    const char *version, const char *data, size_t *size, void **state) {
  (void)context, (void)url, (void)method, (void)version, (void)data, (void)size;
  // Answered in the first call, before the request has ended, the connection would be closed.
  if (*state == NULL) {
    *state = connection;
    return MHD_YES;
  }
  return MHD_queue_response(connection, MHD_HTTP_OK, answer);
}

int main(void) {
  static const char body[] = "{\"displayName\":\"Ada\",\"mail\":\"ada@contoso.example\"}";
  answer = MHD_create_response_from_buffer(sizeof body - 1, (void *)body, MHD_RESPMEM_PERSISTENT);
  MHD_add_response_header(answer, "Content-Type", "application/json");
  struct sockaddr_in address = {.sin_family = AF_INET};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  struct MHD_Daemon *daemon = MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, handle, NULL, MHD_OPTION_SOCK_ADDR, &address,
      MHD_OPTION_CONNECTION_LIMIT, 4096u, MHD_OPTION_LISTEN_BACKLOG_SIZE, 4096u, MHD_OPTION_END);
  if (daemon == NULL) {
    fprintf(stderr, "server: error: cannot start\n");
    return 1;
  }
  printf("%d\n", MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
  fflush(stdout);
  while (getchar() != EOF) continue;
  MHD_stop_daemon(daemon);
  MHD_destroy_response(answer);
  return 0;
}
