#ifndef BELLHOP_CZLIB_H
#define BELLHOP_CZLIB_H

/* The system's zlib. Swift cannot call its macro for opening a stream. */
#include <zlib.h>

/* Opens a stream for inflating. Its `zalloc`, `zfree` and `opaque` must be null. */
int bellhop_inflate_init(z_stream *stream, int window_bits);

#endif
