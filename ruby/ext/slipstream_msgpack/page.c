#include "page.h"

#include <stdatomic.h>
#include <stdlib.h>

/* So many free pages are kept (1 MB). Built with 0, each page is a malloc of its own, so that valgrind and ASan see who touches one that was given
 * away. */
#ifndef PAGES_KEPT
#define PAGES_KEPT 256
#endif

/* A free page begins with the address of the next one. */
typedef struct free_page free_page_t;
struct free_page {
    free_page_t *next;
};

static free_page_t *free_pages;
static size_t free_count;
static atomic_flag taken = ATOMIC_FLAG_INIT;

/* Nobody waits for the list: who does not get it at once takes the other road, which is malloc. So a thread that was stopped while it had the list,
 * or that is not there any more after a fork, holds up nobody. */
static int lock(void)
{
    return !atomic_flag_test_and_set_explicit(&taken, memory_order_acquire);
}

static void unlock(void)
{
    atomic_flag_clear_explicit(&taken, memory_order_release);
}

void *page_take(void)
{
    free_page_t *page = NULL;
    if (lock()) {
        page = free_pages;
        if (page != NULL) {
            free_pages = page->next;
            free_count--;
        }
        unlock();
    }
    return page != NULL ? (void *)page : malloc(PAGE_SIZE);
}

void page_give(void *memory)
{
    free_page_t *page = memory;
    if (lock()) {
        if (free_count < PAGES_KEPT) {
            page->next = free_pages;
            free_pages = page;
            free_count++;
            page = NULL;
        }
        unlock();
    }
    free(page);
}
