// The part of zlib that is a macro, which Swift cannot import.
#ifndef LUATH_INFLATE_H
#define LUATH_INFLATE_H
#include <zlib.h>

// Begins to read gzip or zlib data, whichever the first bytes show; Z_OK on success.
static inline int luath_inflate_begin(z_stream *stream) {
  // 15 is the largest window, 32 asks for both formats.
  return inflateInit2(stream, 15 + 32);
}

#endif
