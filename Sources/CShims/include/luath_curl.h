// Typed wrappers of libcurl's variadic functions, which Swift cannot import.
#ifndef LUATH_CURL_H
#define LUATH_CURL_H
#include <curl/curl.h>

static inline CURLcode luath_curl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode luath_curl_set_pointer(CURL *easy, CURLoption option, const void *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode luath_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}

// Called with chunks of the body, or with one header line at a time.
typedef size_t (*luath_curl_sink)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode luath_curl_set_body_sink(CURL *easy, luath_curl_sink sink, void *context) {
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
  return curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, sink);
}

static inline CURLcode luath_curl_set_header_sink(CURL *easy, luath_curl_sink sink, void *context) {
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
  return curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, sink);
}

// The check runs when the connection is established, each time before libcurl sends the request.
static inline CURLcode luath_curl_set_attempt_check(
    CURL *easy, curl_prereq_callback check, void *context) {
  curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
  return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, check);
}

// Called after a socket of the handle's connections was opened, and to close one.
typedef int (*luath_curl_opened)(void *context, curl_socket_t socket, curlsocktype purpose);
typedef int (*luath_curl_closer)(void *context, curl_socket_t socket);

static inline CURLcode luath_curl_set_socket_reports(
    CURL *easy, luath_curl_opened opened, luath_curl_closer closer, void *context) {
  curl_easy_setopt(easy, CURLOPT_SOCKOPTDATA, context);
  curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, opened);
  curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, context);
  return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, closer);
}

static inline long luath_curl_get_long(CURL *easy, CURLINFO info) {
  long value = 0;
  curl_easy_getinfo(easy, info, &value);
  return value;
}

static inline curl_off_t luath_curl_get_offset(CURL *easy, CURLINFO info) {
  curl_off_t value = 0;
  curl_easy_getinfo(easy, info, &value);
  return value;
}

static inline void *luath_curl_get_context(CURL *easy) {
  void *value = NULL;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &value);
  return value;
}

typedef int (*luath_curl_watch)(CURL *easy, curl_socket_t socket, int what, void *context,
                                void *mark);
typedef int (*luath_curl_alarm)(CURLM *multi, long milliseconds, void *context);

static inline CURLMcode luath_curl_multi_connect(CURLM *multi, luath_curl_watch watch,
                                                 luath_curl_alarm alarm, void *context) {
  curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
  curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch);
  return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, alarm);
}

static inline CURLMcode luath_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

// The next finished transfer, with its result; NULL when there is none.
static inline CURL *luath_curl_multi_next_done(CURLM *multi, CURLcode *result) {
  int left;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &left)) != NULL) {
    if (message->msg == CURLMSG_DONE) {
      *result = message->data.result;
      return message->easy_handle;
    }
  }
  return NULL;
}

// libcurl allocates buffers for each transfer and frees them afterwards. By default glibc returns that
// memory to the system and requests it again, which costs more than the transfer.
void luath_curl_keep_memory(void);

#endif
