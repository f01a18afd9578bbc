/* MessagePack::Factory, and MessagePack.pack and MessagePack.unpack, which use the default
 * factory. */
#ifndef SLIPSTREAM_FACTORY_H
#define SLIPSTREAM_FACTORY_H

#include "ruby.h"

void Init_factory(VALUE mMessagePack);

#endif
