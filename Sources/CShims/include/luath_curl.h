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

#endif
