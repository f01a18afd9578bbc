/* Errors of reading, and the constants of Ruby that C looks for. */
#ifndef SLIPSTREAM_ERRORS_H
#define SLIPSTREAM_ERRORS_H

#include "ruby.h"

extern VALUE eUnpackError, eMalformedFormatError, eStackError, eUnexpectedTypeError, eUnknownExtTypeError, eLimitError;

NORETURN(void raise_end(void)); /* EOFError */

void Init_errors(VALUE mMessagePack);

#endif
