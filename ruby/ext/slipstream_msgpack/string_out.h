/* string_out_t collects a message for one String. A short message is on the C stack, a longer one
 * in memory that grows. string_out_finish copies the bytes to a String of the final length. A
 * String that grows instead would have to release its unused memory, and the system would provide
 * new pages for each message. Long Strings are not copied to that memory. The message is cut at
 * their positions, and string_out_finish copies them directly to the result. */
#ifndef SLIPSTREAM_STRING_OUT_H
#define SLIPSTREAM_STRING_OUT_H

#include "out.h"

#define SHORT_MESSAGE 8192 /* most messages are shorter */
#define FIRST_CUTS 16
#define CUT_FROM 256 /* length in bytes from which on a cut is faster than two copies */

/* cut_t is a String to insert after the first `at` bytes of the written bytes. */
typedef struct {
    VALUE string;
    size_t at, length;
} cut_t;

typedef struct {
    out_t out;    /* must be the first member */
    uint8_t *larger;       /* memory of the bytes once first is too small, or NULL */
    /* temporary buffer that contains larger, or 0; the garbage collector frees it if nothing else
     * does */
    volatile VALUE memory;
    /* first_cuts, or memory that the garbage collector scans for the Strings */
    cut_t *cuts;
    size_t cuts_n, cuts_capacity;
    volatile VALUE cuts_memory;
    cut_t first_cuts[FIRST_CUTS];
    uint8_t first[SHORT_MESSAGE];
} string_out_t;

void string_out_init(string_out_t *s);
/* string_out_finish returns the message as a binary String and frees the memory. It raises
 * RuntimeError if the length of a cut String has changed. */
VALUE string_out_finish(string_out_t *s);

#endif
