/* Pages are 4 KB blocks of memory. Most messages need one page. All buffers share the free pages,
 * so a short-lived buffer needs no malloc. */
#ifndef SLIPSTREAM_PAGE_H
#define SLIPSTREAM_PAGE_H

#include <stddef.h>

#define PAGE_SIZE 4096

/* page_take returns a page for the exclusive use of the caller until page_give, or NULL if memory
 * is exhausted. Neither function calls the API of Ruby: no garbage collection may start while the
 * list of free pages changes. Any thread of any Ractor may call them. */
void *page_take(void);
void page_give(void *page);

#endif
