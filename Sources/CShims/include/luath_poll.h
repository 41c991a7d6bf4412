// epoll for the event loop: each socket has a mark, and one wait fills a list of ready marks.
#ifndef LUATH_POLL_H
#define LUATH_POLL_H
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <time.h>

typedef struct luath_ready {
  uint64_t mark;
  bool readable, writable, failed;
} luath_ready;

// Opens an eventfd with which another thread ends a wait; -1 with errno.
int luath_poll_wake_open(void);

// Names the calling thread for debuggers; Linux refuses names of more than 15 bytes.
void luath_name_thread(const char *name);

static inline int luath_poll_open(void) { return epoll_create1(EPOLL_CLOEXEC); }

// Watches a socket, or changes the events of a watched one; 0, or -1 with errno.
static inline int luath_poll_watch(int poll, int socket, bool known, bool reading, bool writing,
                                   uint64_t mark) {
  struct epoll_event event = {.events = (reading ? EPOLLIN : 0u) | (writing ? EPOLLOUT : 0u),
                              .data = {.u64 = mark}};
  int first = known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
  if (epoll_ctl(poll, first, socket, &event) == 0) return 0;
  // Descriptor numbers are reused after a close, so `known` may be stale.
  if (errno != ENOENT && errno != EEXIST) return -1;
  return epoll_ctl(poll, known ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event);
}

// Reports once that the peer of a socket has disconnected or finished sending; 0, or -1 with errno.
static inline int luath_poll_watch_end(int poll, int socket, uint64_t mark) {
  struct epoll_event event = {.events = EPOLLRDHUP | EPOLLONESHOT, .data = {.u64 = mark}};
  return epoll_ctl(poll, EPOLL_CTL_ADD, socket, &event);
}

static inline void luath_poll_forget(int poll, int socket) {
  struct epoll_event unused = {0};
  epoll_ctl(poll, EPOLL_CTL_DEL, socket, &unused);
}

// Waits until something is ready; -1 nanoseconds wait without limit. An interrupted wait returns 0.
//
// epoll_pwait2, as epoll_wait counts in milliseconds: up to 1 ms too late, a twentieth of a latency of
// 20 ms. Kernels before 5.11 and some sandboxes only have epoll_wait.
static inline int luath_poll_wait(int poll, luath_ready *ready, int capacity, int64_t nanoseconds) {
  struct epoll_event events[64];
  if (capacity > 64) capacity = 64;
  struct timespec time = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
  int count = epoll_pwait2(poll, events, capacity, nanoseconds < 0 ? NULL : &time, NULL);
  if (count < 0 && (errno == ENOSYS || errno == EPERM)) {
    int64_t milliseconds = nanoseconds < 0 ? -1 : (nanoseconds + 999999) / 1000000;
    count = epoll_wait(poll, events, capacity,
                       milliseconds > INT32_MAX ? INT32_MAX : (int)milliseconds);
  }
  for (int i = 0; i < count; i++) {
    uint32_t seen = events[i].events;
    ready[i] = (luath_ready){.mark = events[i].data.u64,
                             .readable = (seen & (EPOLLIN | EPOLLHUP)) != 0,
                             .writable = (seen & EPOLLOUT) != 0,
                             .failed = (seen & EPOLLERR) != 0};
  }
  return count < 0 ? 0 : count;
}

#endif
