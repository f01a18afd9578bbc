#include "page.h"

#include <stdatomic.h>
#include <stdlib.h>

/* Maximum number of free pages that are kept (1 MB). If PAGES_KEPT is 0, each page is a separate
 * malloc, so that valgrind and ASan detect any access to a freed page. */
#ifndef PAGES_KEPT
#define PAGES_KEPT 256
#endif

/* A free page begins with the address of the next free page. */
typedef struct free_page free_page_t;
struct free_page {
    free_page_t *next;
};

static free_page_t *free_pages;
static size_t free_count;
static atomic_flag taken = ATOMIC_FLAG_INIT;

/* lock tries to lock the list of free pages and returns whether it succeeded. It never waits:
 * without the lock, callers use malloc and free. So a thread that stops while it has the lock, or
 * that no longer exists after a fork, blocks no other thread. */
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
