#include "scan.h"
#include "format.h"

#define FOUR(v) v, v, v, v
#define SIXTEEN(v) FOUR(v), FOUR(v), FOUR(v), FOUR(v)

const uint8_t head_sizes[256] = {
    /* positive fixint */
    SIXTEEN(1), SIXTEEN(1), SIXTEEN(1), SIXTEEN(1), SIXTEEN(1), SIXTEEN(1), SIXTEEN(1), SIXTEEN(1),
    /* fixmap, fixarray, fixstr */
    SIXTEEN(1), SIXTEEN(1), SIXTEEN(1), SIXTEEN(1),
    [NIL] = 1, [FALSE_BYTE] = 1, [TRUE_BYTE] = 1,
    [BIN8] = 2, [BIN16] = 3, [BIN32] = 5,
    [EXT8] = 3, [EXT16] = 4, [EXT32] = 6,
    [FLOAT32] = 5, [FLOAT64] = 9,
    [UINT8] = 2, [UINT16] = 3, [UINT32] = 5, [UINT64] = 9,
    [INT8] = 2, [INT16] = 3, [INT32] = 5, [INT64] = 9,
    [FIXEXT1] = 2, [FIXEXT2] = 2, [FIXEXT4] = 2, [FIXEXT8] = 2, [FIXEXT16] = 2,
    [STR8] = 2, [STR16] = 3, [STR32] = 5,
    [ARRAY16] = 3, [ARRAY32] = 5, [MAP16] = 3, [MAP32] = 5,
    [NEGATIVE_FIXINT] = 1, 1, 1, 1, FOUR(1), FOUR(1), FOUR(1), SIXTEEN(1),
};

/* payload returns the number of payload bytes after the header at p. For a container, it returns 0
 * and sets *elements to the number of elements; each map entry counts as two. */
static inline uint64_t payload(const uint8_t *p, uint64_t *elements)
{
    uint8_t b = *p;
    *elements = 0;
    if (b >= FIXSTR && b < NIL) {
        return b & 0x1f;
    }
    if (b < FIXMAP || b >= NEGATIVE_FIXINT) {
        return 0;
    }
    if (b < FIXSTR) {
        *elements = b < FIXARRAY ? (uint64_t)(b & 0x0f) * 2 : (uint64_t)(b & 0x0f);
        return 0;
    }
    switch (b) {
    case BIN8: case STR8: case EXT8: return p[1];
    case BIN16: case STR16: case EXT16: return load16(p + 1);
    case BIN32: case STR32: case EXT32: return load32(p + 1);
    case FIXEXT1: return 1;
    case FIXEXT2: return 2;
    case FIXEXT4: return 4;
    case FIXEXT8: return 8;
    case FIXEXT16: return 16;
    case ARRAY16: *elements = load16(p + 1); return 0;
    case ARRAY32: *elements = load32(p + 1); return 0;
    case MAP16: *elements = (uint64_t)load16(p + 1) * 2; return 0;
    case MAP32: *elements = (uint64_t)load32(p + 1) * 2; return 0;
    }
    return 0;
}

/* WINDOW is the number of bytes that the loop of quick may read without a check of the end. The
 * largest read is that of five float 64 values. */
#define WINDOW 48

#define HIGH_BITS UINT64_C(0x8080808080808080)

static inline uint64_t word(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
    return v;
}

/* quick skips values while at least WINDOW bytes remain. It leaves ext types, the last bytes and
 * all errors to the loop of scan. */
static const uint8_t *quick(scan_t *s, const uint8_t *p, const uint8_t *end)
{
    uint64_t left = s->left, size;
    unsigned head;
    uint32_t level = s->level;
    const uint8_t *last = end - p > WINDOW ? end - WINDOW : p;
    while (p < last) {
        if (left == 0) {
            if (level == 0) {
                break;
            }
            left = s->outer[--level];
            continue;
        }
        uint8_t b = *p;
        if (b < FIXMAP || b >= NEGATIVE_FIXINT) {
            p++;
            left--;
            while (left >= 8 && p < last && (word(p) & HIGH_BITS) == 0) {
                p += 8;
                left -= 8;
            }
            continue;
        }
        if (b < NIL) {
            if (b >= FIXSTR) {
                p += 1 + (b & 0x1f);
                left--;
                continue;
            }
            size = b < FIXARRAY ? (uint64_t)(b & 0x0f) * 2 : b & 0x0f;
            head = 1;
            goto container;
        }
        switch (b) {
        case NIL: case FALSE_BYTE: case TRUE_BYTE: p++; break;
        case UINT8: case INT8: p += 2; break;
        case UINT16: case INT16: p += 3; break;
        case UINT32: case INT32: case FLOAT32: p += 5; break;
        case FLOAT64:
            while (left >= 4 && p < last && p[9] == FLOAT64 && p[18] == FLOAT64 && p[27] == FLOAT64) {
                p += 36;
                left -= 4;
            }
            if (left == 0 || *p != FLOAT64) {
                continue;
            }
            p += 9;
            break;
        case UINT64: case INT64: p += 9; break;
        case BIN8: case STR8: size = 2 + (uint64_t)p[1]; goto sized;
        case BIN16: case STR16: size = 3 + (uint64_t)load16(p + 1); goto sized;
        case BIN32: case STR32: size = 5 + (uint64_t)load32(p + 1); goto sized;
        case ARRAY16: size = load16(p + 1); head = 3; goto container;
        case ARRAY32: size = load32(p + 1); head = 5; goto container;
        case MAP16: size = (uint64_t)load16(p + 1) * 2; head = 3; goto container;
        case MAP32: size = (uint64_t)load32(p + 1) * 2; head = 5; goto container;
        sized:
            if (size > (uint64_t)(end - p)) {
                goto out;
            }
            p += size;
            break;
        container:
            if (size > 0) { /* an empty container needs no level */
                if (level == s->max) {
                    goto out;
                }
                s->outer[level++] = left - 1;
                left = size + 1; /* left-- below subtracts 1 again */
            }
            p += head;
            break;
        default:
            goto out;
        }
        left--;
    }
out:
    s->left = left;
    s->level = level;
    return p;
}

/* beyond reports whether a header exceeds the limits. b is its first byte; size and elements are
 * the results of payload. */
static bool beyond(const limits_t *limits, uint8_t b, uint64_t size, uint64_t elements)
{
    switch (b) {
    case BIN8: case BIN16: case BIN32: return size > limits->max_bin;
    case STR8: case STR16: case STR32: return size > limits->max_str;
    case EXT8: case EXT16: case EXT32: case FIXEXT1: case FIXEXT2: case FIXEXT4: case FIXEXT8: case FIXEXT16: return size > limits->max_ext;
    case ARRAY16: case ARRAY32: return elements > limits->max_array;
    case MAP16: case MAP32: return elements / 2 > limits->max_map;
    }
    if (b >= FIXSTR && b < NIL) {
        return size > limits->max_str;
    }
    return (b >= FIXARRAY && b < FIXSTR && elements > limits->max_array) || (b >= FIXMAP && b < FIXARRAY && elements / 2 > limits->max_map);
}

uint64_t head_payload(const uint8_t *p, uint64_t *elements) { return payload(p, elements); }

/* one skips one header, if it is complete, and prepares the scan of its payload or elements. */
static scan_result_t one(scan_t *s, const uint8_t **at, const uint8_t *end)
{
    const uint8_t *p = *at;
    size_t head = p == end ? 1 : head_sizes[*p];
    if (head == 0) {
        return SCAN_INVALID;
    }
    if ((size_t)(end - p) < head) {
        return SCAN_MORE;
    }
    uint64_t elements;
    uint64_t size = payload(p, &elements);
    if (s->limits != NULL && beyond(s->limits, *p, size, elements)) {
        return SCAN_LIMIT;
    }
    s->over = size;
    s->left--;
    if (elements > 0) {
        if (s->level == s->max) {
            return SCAN_DEEP;
        }
        s->outer[s->level++] = s->left;
        s->left = elements;
    }
    *at = p + head;
    return SCAN_DONE;
}

scan_result_t scan(scan_t *s, const uint8_t **at, const uint8_t *end)
{
    const uint8_t *p = *at;
    scan_result_t result;
    do {
        if (s->over > 0) {
            uint64_t n = (uint64_t)(end - p) < s->over ? (uint64_t)(end - p) : s->over;
            p += n;
            s->over -= n;
            if (s->over > 0) {
                result = SCAN_MORE;
                break;
            }
        }
        if (s->limits == NULL) {
            p = quick(s, p, end);
        }
        while (s->left == 0 && s->level > 0) {
            s->left = s->outer[--s->level];
        }
        if (s->left == 0) {
            result = SCAN_DONE;
            break;
        }
        result = one(s, &p, end);
    } while (result == SCAN_DONE);
    *at = p;
    return result;
}
