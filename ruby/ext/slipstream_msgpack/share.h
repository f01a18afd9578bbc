/* Substrings that share memory with their source String until one of the two changes. Ruby itself
 * shares memory only with a substring that ends where the source ends, because C code may look for
 * a NUL after a String. share_cut also shares memory with a binary substring that ends earlier, if
 * it has at least SHARE_MIDDLE bytes. This requires that a test at load time succeeds on the
 * running Ruby, and that the feature is not switched off. A substring that shares memory keeps the
 * whole source alive. */
#ifndef SLIPSTREAM_SHARE_H
#define SLIPSTREAM_SHARE_H

#include "ruby.h"
#include "ruby/encoding.h"

#define SHARE_MIDDLE 4096

/* share_cut returns source[from, n] with the given encoding index, binary or UTF-8. source must be
 * frozen and contain that range. From threshold bytes on, the String shares memory if possible; a
 * shorter String is a copy. A substring from the middle is also copied if text follows it, or if it
 * could be a number in text: see works_without_nul. */
VALUE share_cut(VALUE source, size_t from, size_t n, int encoding_index, size_t threshold);

/* share_all returns a frozen String with the current bytes of string. The memory does not move
 * while the String exists, from 1 KB on; shorter Strings may be embedded. share_all never returns
 * string itself, even if string is frozen. Ruby replaces the memory of a frozen String when it
 * finds an equal one (-string), or when C code needs a NUL after it. */
VALUE share_all(VALUE string);

/* Init_share runs the test, reads SLIPSTREAM_MSGPACK_SHARE_MIDDLE (0 switches the feature off), and
 * defines MessagePack.share_middle? and MessagePack.share_middle=. */
void Init_share(VALUE mMessagePack);

#endif
