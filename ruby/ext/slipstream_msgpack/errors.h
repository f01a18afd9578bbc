/* Error classes of unpacking, and functions that raise errors. */
#ifndef SLIPSTREAM_ERRORS_H
#define SLIPSTREAM_ERRORS_H

#include "ruby.h"

extern VALUE eUnpackError, eMalformedFormatError, eStackError, eUnexpectedTypeError, eUnknownExtTypeError, eLimitError;

NORETURN(void raise_end(void)); /* raises EOFError "end of buffer reached" */

/* check_frozen raises FrozenError if object is frozen. The message is that of the msgpack gem,
 * which names the class. rb_check_frozen would inspect the object. */
void check_frozen(VALUE object);

void Init_errors(VALUE mMessagePack);

#endif
