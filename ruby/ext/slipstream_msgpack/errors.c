#include "errors.h"

VALUE eUnpackError, eMalformedFormatError, eStackError, eUnexpectedTypeError, eUnknownExtTypeError, eLimitError;

void raise_end(void)
{
    rb_raise(rb_eEOFError, "end of buffer reached");
}

void check_frozen(VALUE object)
{
    if (RB_OBJ_FROZEN(object)) {
        rb_frozen_error_raise(object, "can't modify frozen %"PRIsVALUE, rb_obj_class(object));
    }
}

void Init_errors(VALUE mMessagePack)
{
    eUnpackError = rb_define_class_under(mMessagePack, "UnpackError", rb_eStandardError);
    eMalformedFormatError = rb_define_class_under(mMessagePack, "MalformedFormatError", eUnpackError);
    eStackError = rb_define_class_under(mMessagePack, "StackError", eUnpackError);
    eUnexpectedTypeError = rb_define_class_under(mMessagePack, "UnexpectedTypeError", eUnpackError);
    eUnknownExtTypeError = rb_define_class_under(mMessagePack, "UnknownExtTypeError", eUnpackError);
    eLimitError = rb_define_class_under(mMessagePack, "LimitError", eUnpackError);
    rb_include_module(eUnexpectedTypeError, rb_define_module_under(mMessagePack, "TypeError"));
}
