// Most wrappers are inline; this file also checks that their header compiles alone.
#include "luath_curl.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

void luath_curl_keep_memory(void) {
#ifdef __GLIBC__
  mallopt(M_TRIM_THRESHOLD, 32 << 20);
#endif
}
