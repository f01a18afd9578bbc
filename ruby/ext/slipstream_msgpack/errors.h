/* Errors of reading, and the constants of Ruby that C looks for. */
#ifndef SLIPSTREAM_ERRORS_H
#define SLIPSTREAM_ERRORS_H

#include "ruby.h"

extern VALUE eUnpackError, eMalformedFormatError, eStackError, eUnexpectedTypeError, eUnknownExtTypeError, eLimitError;

NORETURN(void raise_end(void)); /* EOFError */

/* check_frozen is rb_check_frozen with the text of the msgpack gem, which does not inspect the object. */
void check_frozen(VALUE object);

void Init_errors(VALUE mMessagePack);

#endif
