/* Strings that share memory with the one they are cut from, until either is changed. Ruby itself shares only what ends where the other
 * ends, because C code may look for a NUL after a string; from SHARE_MIDDLE bytes on, binaries are shared from the middle too, where a test at load
 * time shows that this Ruby bears it, and nobody has switched it off. What is shared keeps the whole source alive. */
#ifndef SLIPSTREAM_SHARE_H
#define SLIPSTREAM_SHARE_H

#include "ruby.h"
#include "ruby/encoding.h"

#define SHARE_MIDDLE 4096

/* share_cut is source[from, n] with the encoding index given (binary or UTF-8), from being within source, which is frozen. From threshold bytes on
 * it shares memory where it can; below it is copied, and so is a number in text, or what text follows on, from the middle: see bears_no_nul. */
VALUE share_cut(VALUE source, size_t from, size_t n, int encoding_index, size_t threshold);

/* share_all is a frozen String with the bytes that string has now, whose memory stays where it is as long as the String is there (from 1 KB on:
 * shorter ones may be embedded). Even a frozen String is not that itself: Ruby gives it other memory where it finds an equal one (-string), or where
 * C code wants a NUL after it. */
VALUE share_all(VALUE string);

void Init_share(VALUE mMessagePack); /* MessagePack.share_middle?, share_middle=, SLIPSTREAM_MSGPACK_SHARE_MIDDLE=0, and the test */

#endif
