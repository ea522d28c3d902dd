#ifndef BELLHOP_CZLIB_H
#define BELLHOP_CZLIB_H

/* zlib as the system has it; its macro for opening a stream is no function that Swift can call. */
#include <zlib.h>

/* Opens a stream for inflating, whose `zalloc`, `zfree` and `opaque` are null. */
int bellhop_inflate_init(z_stream *stream, int window_bits);

#endif
