/* To pass over an object without making it: how long it is, and whether all of it is there. */
#ifndef SLIPSTREAM_SCAN_H
#define SLIPSTREAM_SCAN_H

#include <stddef.h>
#include <stdint.h>

#define MAX_DEPTH 1024 /* the largest max_depth that may be asked for */

typedef enum { SCAN_DONE, SCAN_MORE, SCAN_INVALID, SCAN_DEEP, SCAN_LIMIT } scan_result_t;

/* What a reader wants to have no more of: bytes of a payload, elements or entries of a container. */
typedef struct {
    uint32_t max_str, max_bin, max_array, max_map, max_ext;
} limits_t;

/* scan_t is how far into an object a scan is that could not see all of it at once. */
typedef struct {
    uint64_t over;     /* bytes of a payload that are still to be passed over */
    uint64_t left;     /* elements still to come in the current container, or 1 for the object itself, or 0 after it */
    uint32_t level;    /* containers around */
    uint32_t max;      /* how many there may be */
    const limits_t *limits; /* or NULL. With them each head is looked at by itself */
    uint64_t outer[MAX_DEPTH]; /* what is left in those around that one */
} scan_t;

static inline void scan_begin(scan_t *s, uint32_t max)
{
    s->over = 0;
    s->left = 1;
    s->level = 0;
    s->max = max;
    s->limits = NULL;
}

/* scan goes on from *p, and leaves *p after the object or where it needs more bytes: before a head that does not end before end. */
scan_result_t scan(scan_t *s, const uint8_t **p, const uint8_t *end);

/* head_size is the bytes of the head that begins with this byte, without its payload; 0 for the byte that is never used. Numbers are all head. */
extern const uint8_t head_sizes[256];

/* head_payload is how many bytes follow the head at p, or for a container how many elements. */
uint64_t head_payload(const uint8_t *p, uint64_t *elements);

#endif
