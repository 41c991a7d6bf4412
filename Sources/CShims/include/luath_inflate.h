// zlib macros as functions, as Swift cannot import macros.
#ifndef LUATH_INFLATE_H
#define LUATH_INFLATE_H
#include <zlib.h>

// Prepares to read gzip or zlib data, detected from the first bytes; Z_OK on success.
static inline int luath_inflate_begin(z_stream *stream) {
  // 15 is the largest window; 32 enables the detection of both formats.
  return inflateInit2(stream, 15 + 32);
}

#endif
