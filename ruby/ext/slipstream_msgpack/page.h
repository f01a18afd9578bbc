/* Pages: 4 KB of memory each, of which most messages take one. They are shared by all buffers, so that one that comes and goes needs no malloc. */
#ifndef SLIPSTREAM_PAGE_H
#define SLIPSTREAM_PAGE_H

#include <stddef.h>

#define PAGE_SIZE 4096

/* page_take gives a page, which is the caller's alone until page_give. NULL if there is no memory. It calls nothing of Ruby's: no collection may
 * begin while the list of free pages changes. Any thread may call it, of any Ractor. */
void *page_take(void);
void page_give(void *page);

#endif
