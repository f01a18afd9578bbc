/* The scanner skips an encoded object without creating Ruby values. It finds the end of the object
 * and reports whether the object is complete. */
#ifndef SLIPSTREAM_SCAN_H
#define SLIPSTREAM_SCAN_H

#include <stddef.h>
#include <stdint.h>

#define MAX_DEPTH 1024 /* maximum value of the option max_depth */

typedef enum { SCAN_DONE, SCAN_MORE, SCAN_INVALID, SCAN_DEEP, SCAN_LIMIT } scan_result_t;

/* limits_t holds the maximum bytes of a payload, and the maximum elements or entries of a
 * container. */
typedef struct {
    uint32_t max_str, max_bin, max_array, max_map, max_ext;
} limits_t;

/* scan_t is the state of a scan. If an object arrives in parts, the scan resumes with this
 * state. */
typedef struct {
    uint64_t over;     /* bytes of a payload that remain to be skipped */
    /* Remaining elements of the current container. Outside of containers: 1 before the object, 0
     * after it. */
    uint64_t left;
    uint32_t level;    /* number of open containers */
    uint32_t max;      /* maximum of level */
    const limits_t *limits; /* NULL if there are none; else each header is checked on its own */
    uint64_t outer[MAX_DEPTH]; /* remaining elements of the enclosing containers */
} scan_t;

static inline void scan_begin(scan_t *s, uint32_t max)
{
    s->over = 0;
    s->left = 1;
    s->level = 0;
    s->max = max;
    s->limits = NULL;
}

/* scan continues at *p. It leaves *p after the object, or at the position where it needs more
 * bytes. If a header is incomplete or invalid, *p stays before the header. */
scan_result_t scan(scan_t *s, const uint8_t **p, const uint8_t *end);

/* head_sizes maps the first byte of a value to the length of its header, without the payload. The
 * length is 0 for 0xc1, which MessagePack never uses. A number has a header only. */
extern const uint8_t head_sizes[256];

/* head_payload returns the number of payload bytes after the header at p. For a container, it
 * returns 0 and sets *elements to the number of elements; each map entry counts as two. */
uint64_t head_payload(const uint8_t *p, uint64_t *elements);

#endif
