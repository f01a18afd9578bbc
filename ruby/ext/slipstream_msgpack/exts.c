#include "exts.h"

static ID id_call;

int ext_type(VALUE type)
{
    if (!RB_INTEGER_TYPE_P(type)) {
        rb_unexpected_type(type, T_FIXNUM);
    }
    int t = NUM2INT(type);
    if (t < -128 || t > 127) {
        rb_raise(rb_eRangeError, "integer %d too big to convert to `signed char'", t);
    }
    return t;
}

static VALUE new_entry(VALUE key, VALUE callable, int flags)
{
    VALUE entry = rb_ary_new_from_args(3, key, callable, INT2FIX(flags));
    return rb_obj_freeze(entry);
}

void pack_exts_init(pack_exts_t *x, VALUE owner)
{
    x->types = x->symbol = x->integer = Qnil;
    x->cache = Qfalse;
    x->owner = owner;
}

void pack_exts_mark(const pack_exts_t *x)
{
    rb_gc_mark_movable(x->types);
    rb_gc_mark_movable(x->cache);
    rb_gc_mark_movable(x->symbol);
    rb_gc_mark_movable(x->integer);
}

void pack_exts_compact(pack_exts_t *x)
{
    x->types = rb_gc_location(x->types);
    x->cache = rb_gc_location(x->cache);
    x->symbol = rb_gc_location(x->symbol);
    x->integer = rb_gc_location(x->integer);
    x->owner = rb_gc_location(x->owner);
}

static VALUE new_cache(void)
{
    VALUE cache = rb_hash_new();
    rb_funcall(cache, rb_intern("compare_by_identity"), 0);
    return rb_obj_hide(cache);
}

void pack_exts_copy(pack_exts_t *to, const pack_exts_t *from)
{
    RB_OBJ_WRITE(to->owner, &to->types, from->types);
    RB_OBJ_WRITE(to->owner, &to->symbol, from->symbol);
    RB_OBJ_WRITE(to->owner, &to->integer, from->integer);
    to->cache = Qfalse;
}

void pack_exts_add(pack_exts_t *x, int type, VALUE klass, VALUE callable, int flags)
{
    VALUE entry = new_entry(INT2FIX(type), callable, flags);
    VALUE types = NIL_P(x->types) ? rb_hash_new() : rb_hash_dup(x->types);
    rb_hash_aset(types, klass, entry);
    RB_OBJ_WRITE(x->owner, &x->types, rb_obj_freeze(types));
    x->cache = Qfalse;
    VALUE packs = NIL_P(callable) ? Qnil : entry;
    if (klass == rb_cSymbol) {
        RB_OBJ_WRITE(x->owner, &x->symbol, packs);
    } else if (klass == rb_cInteger) {
        RB_OBJ_WRITE(x->owner, &x->integer, flags & EXT_OVERSIZED ? packs : Qnil);
    }
}

VALUE pack_exts_hash(const pack_exts_t *x)
{
    return NIL_P(x->types) ? rb_hash_new() : rb_hash_dup(x->types);
}

typedef struct {
    VALUE klass, found;
} search_t;

static int is_ancestor(VALUE klass, VALUE entry, VALUE arg)
{
    search_t *s = (search_t *)arg;
    if (klass != s->klass && !RTEST(rb_class_inherited_p(s->klass, klass))) {
        return ST_CONTINUE;
    }
    s->found = entry;
    return ST_STOP;
}

/* packing returns the entry, or Qfalse if the entry has no callable. */
static VALUE packing(VALUE entry) { return entry != Qfalse && NIL_P(entry_callable(entry)) ? Qfalse : entry; }

static VALUE search(VALUE types, VALUE object)
{
    VALUE singleton = rb_class_of(object), real = rb_obj_class(object);
    VALUE found = packing(rb_hash_lookup2(types, singleton, Qfalse));
    if (found == Qfalse) {
        found = packing(rb_hash_lookup2(types, real, Qfalse));
    }
    if (found == Qfalse) { /* a singleton class may include modules, so search its ancestors too */
        search_t s = {singleton, Qfalse};
        rb_hash_foreach(types, is_ancestor, (VALUE)&s);
        found = packing(s.found);
    }
    return found;
}

VALUE pack_exts_find(pack_exts_t *x, VALUE object)
{
    if (NIL_P(x->types)) {
        return Qfalse;
    }
    if (NIL_P(x->cache)) {
        return search(x->types, object);
    }
    if (x->cache == Qfalse) {
        RB_OBJ_WRITE(x->owner, &x->cache, new_cache());
    }
    VALUE klass = rb_class_of(object);
    VALUE entry = rb_hash_lookup2(x->cache, klass, Qundef);
    if (entry == Qundef) {
        entry = search(x->types, object);
        /* Cache only entries that were found, because a class may include a registered module
         * later. Do not cache singleton classes, because each has only one object. */
        if (entry != Qfalse && klass == rb_obj_class(object) && RB_TYPE_P(x->cache, T_HASH)) {
            rb_hash_aset(x->cache, klass, entry);
        }
    }
    return entry;
}

/* pack_exts_memsize counts five words for each class: a key, an entry of three values, and a hash
 * value. */
size_t pack_exts_memsize(const pack_exts_t *x) { return NIL_P(x->types) ? 0 : RHASH_SIZE(x->types) * 5 * sizeof(VALUE); }

void unpack_exts_init(unpack_exts_t *x) { x->types = Qnil; }

void unpack_exts_mark(const unpack_exts_t *x) { rb_gc_mark_movable(x->types); }

void unpack_exts_compact(unpack_exts_t *x) { x->types = rb_gc_location(x->types); }

void unpack_exts_add(unpack_exts_t *x, VALUE owner, int type, VALUE klass, VALUE callable, int flags)
{
    VALUE types = NIL_P(x->types) ? rb_ary_new_capa(256) : rb_ary_dup(x->types);
    rb_ary_store(types, 255, rb_ary_entry(types, 255));
    rb_ary_store(types, type + 128, new_entry(klass, callable, flags));
    RB_OBJ_WRITE(owner, &x->types, rb_obj_freeze(types));
}

VALUE unpack_exts_hash(const unpack_exts_t *x)
{
    VALUE hash = rb_hash_new();
    if (!NIL_P(x->types)) {
        for (int type = -128; type < 128; type++) {
            VALUE entry = RARRAY_AREF(x->types, type + 128);
            if (!NIL_P(entry)) {
                rb_hash_aset(hash, INT2FIX(type), entry);
            }
        }
    }
    return hash;
}

size_t unpack_exts_memsize(const unpack_exts_t *x) { return NIL_P(x->types) ? 0 : (size_t)RARRAY_LEN(x->types) * sizeof(VALUE); }

VALUE ext_call(VALUE callable, int argc, const VALUE *argv)
{
    if (RTEST(rb_obj_is_proc(callable))) {
        return rb_proc_call_with_block(callable, argc, argv, Qnil);
    }
    return rb_funcallv(callable, id_call, argc, argv);
}

void Init_exts(void)
{
    id_call = rb_intern("call");
}
