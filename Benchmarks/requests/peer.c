// The plain C peer of our client's benchmark: N GET requests with C at a time over one libcurl
// multi handle, with keep-alive and reused easy handles.
//
//   cc -O2 peer.c -o peer -lcurl && ./peer http://127.0.0.1:8080/ 100000 64
//
// Prints {"requests":N,"seconds":S,"perSecond":R}; exits 1 when any request fails.
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { most = 4096 };

static size_t count_bytes(char *bytes, size_t size, size_t count, void *total) {
  (void)bytes;
  *(size_t *)total += size * count;
  return size * count;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int fail(const char *what) {
  fprintf(stderr, "peer: error: %s\n", what);
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 4) return fail("usage: peer URL REQUESTS CONNECTIONS");
  long requests = atol(argv[2]), concurrency = atol(argv[3]);
  if (requests < 1) return fail("REQUESTS must be a number above 0");
  if (concurrency < 1 || concurrency > most) return fail("CONNECTIONS must be between 1 and 4096");
  curl_global_init(CURL_GLOBAL_DEFAULT);
  CURLM *multi = curl_multi_init();
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, concurrency * 2);

  size_t bytes = 0;
  long started = 0, finished = 0;
  CURL *handles[most];
  double start = now();
  for (int i = 0; i < concurrency; i++) {
    CURL *easy = handles[i] = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_URL, argv[1]);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, count_bytes);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &bytes);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, 30000L);
    if (started < requests) {
      curl_multi_add_handle(multi, easy);
      started++;
    }
  }

  while (finished < requests) {
    int running, left;
    if (curl_multi_perform(multi, &running) != CURLM_OK) return fail("curl_multi_perform failed");
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left)) != NULL) {
      if (message->msg != CURLMSG_DONE) continue;
      CURL *easy = message->easy_handle;
      CURLcode result = message->data.result;
      long status = 0;
      curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
      if (result != CURLE_OK) return fail(curl_easy_strerror(result));
      if (status != 200) return fail("the status of an answer is not 200");
      curl_multi_remove_handle(multi, easy);
      finished++;
      if (started < requests) {
        curl_multi_add_handle(multi, easy);
        started++;
      }
    }
    if (finished < requests && curl_multi_poll(multi, NULL, 0, 1000, NULL) != CURLM_OK) {
      return fail("curl_multi_poll failed");
    }
  }

  double seconds = now() - start;
  for (int i = 0; i < concurrency; i++) curl_easy_cleanup(handles[i]);
  curl_multi_cleanup(multi);
  curl_global_cleanup();
  printf("{\"requests\":%ld,\"seconds\":%.6f,\"perSecond\":%.1f}\n", requests, seconds,
         (double)requests / seconds);
  return 0;
}
