/* A message as one String: its bytes are on the C stack as long as they are few, then in memory that grows, and are copied once more when it is known
 * how many they are. A String that grows instead must be given back what is too much, and its pages come new from the system each time. */
#ifndef SLIPSTREAM_STRING_OUT_H
#define SLIPSTREAM_STRING_OUT_H

#include "out.h"

#define SHORT_MESSAGE 8192 /* as most messages are */

typedef struct {
    out_t out;    /* must be first */
    uint8_t *larger;       /* where the bytes are when first was too small, or NULL */
    volatile VALUE memory; /* of that, which the collector frees if nobody else does, or 0 */
    uint8_t first[SHORT_MESSAGE];
} string_out_t;

void string_out_init(string_out_t *s);
VALUE string_out_finish(string_out_t *s);

#endif
