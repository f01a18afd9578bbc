/* A message as one String: its bytes are on the C stack as long as they are few, then in memory that grows, and are copied once more when it is known
 * how many they are. A String that grows instead must be given back what is too much, and its pages come new from the system each time. Long strings are
 * not copied on the way: the message is cut where they belong, and they go from their own memory into the String. */
#ifndef SLIPSTREAM_STRING_OUT_H
#define SLIPSTREAM_STRING_OUT_H

#include "out.h"

#define SHORT_MESSAGE 8192 /* as most messages are */
#define FIRST_CUTS 16
#define CUT_FROM 256 /* bytes of a string from which on two copies take longer than a cut */

/* A string that belongs after at bytes of what was written. */
typedef struct {
    VALUE string;
    size_t at, length;
} cut_t;

typedef struct {
    out_t out;    /* must be first */
    uint8_t *larger;       /* where the bytes are when first was too small, or NULL */
    volatile VALUE memory; /* of that, which the collector frees if nobody else does, or 0 */
    cut_t *cuts;           /* first_cuts, or memory in which the collector finds the strings */
    size_t cuts_n, cuts_room;
    volatile VALUE cuts_memory;
    cut_t first_cuts[FIRST_CUTS];
    uint8_t first[SHORT_MESSAGE];
} string_out_t;

void string_out_init(string_out_t *s);
VALUE string_out_finish(string_out_t *s);

#endif
