/* Iterators against a sorted array: prefixes, bounds, edges, in every state of the data. */
#include "test.h"

typedef struct {
  unsigned char bytes[8];
  size_t len;
} Key;

static unsigned long long seed = 20240601;
static unsigned pick(unsigned n) {
  seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (unsigned)((seed >> 33) % n);
}

static int order(const void* a, const void* b) {
  const Key* x = a;
  const Key* y = b;
  int r = memcmp(x->bytes, y->bytes, x->len < y->len ? x->len : y->len);
  return r != 0 ? r : (x->len > y->len) - (x->len < y->len);
}

/* Few different bytes, so that keys share prefixes and bounds meet them. */
static Key random_key(void) {
  static const unsigned char alphabet[] = {0, 'a', 'b', 0xFF};
  Key k;
  k.len = pick(7);
  for (size_t i = 0; i < k.len; i++) k.bytes[i] = alphabet[pick(4)];
  return k;
}

static Key model[512];
static int count;

static int find(const Key* k) { /* the first one at or behind k */
  int lo = 0;
  while (lo < count && order(&model[lo], k) < 0) lo++;
  return lo;
}

static rocksdb_t* db;
static rocksdb_readoptions_t* r;
static rocksdb_iterator_t* it;
static int from, until; /* the bounds as places in the model */
static int at;          /* where the iterator ought to stand, or -1 */

static void same(const char* doing, int line) {
  char* err = NULL;
  rocksdb_iter_get_error(it, &err);
  OK(err);
  int want = at >= from && at < until ? at : -1;
  size_t len, vlen;
  const char* key = rocksdb_iter_key(it, &len);
  const char* value = rocksdb_iter_value(it, &vlen);
  if (rocksdb_iter_valid(it) != (want >= 0) || (want < 0) != (key == NULL) ||
      (want >= 0 && (len != model[want].len || memcmp(key, model[want].bytes, len) != 0 ||
                     vlen != len || memcmp(value, key, len) != 0))) {
    fprintf(stderr, "%s (line %d): wrong place, wanted %d of %d\n", doing, line, want, count);
    exit(1);
  }
  at = want;
}
#define SAME(doing) same(doing, __LINE__)

static void put(const Key* k) {
  char* err = NULL;
  rocksdb_writeoptions_t* w = rocksdb_writeoptions_create();
  rocksdb_put(db, w, (const char*)k->bytes, k->len, (const char*)k->bytes, k->len, &err);
  OK(err);
  rocksdb_writeoptions_destroy(w);
}

static void walk(int steps) {
  for (int i = 0; i < steps; i++) {
    Key k = pick(2) && count > 0 ? model[pick((unsigned)count)] : random_key();
    const char* bytes = (const char*)k.bytes;
    switch (pick(8)) {
      case 0:
        rocksdb_iter_seek_to_first(it);
        at = from < until ? from : -1;
        SAME("first");
        break;
      case 1:
        rocksdb_iter_seek_to_last(it);
        at = from < until ? until - 1 : -1;
        SAME("last");
        break;
      case 2:
        rocksdb_iter_seek(it, bytes, k.len);
        at = find(&k);
        if (at < from) at = from;
        SAME("seek");
        break;
      case 3:
        rocksdb_iter_seek_for_prev(it, bytes, k.len);
        at = find(&k);
        if (at == count || order(&model[at], &k) != 0) at--;
        if (at >= until) at = until - 1;
        SAME("seek for prev");
        break;
      case 4:
      case 5:
        rocksdb_iter_next(it); /* harmless when it stands nowhere */
        if (at >= 0) at++;
        SAME("next");
        break;
      default:
        rocksdb_iter_prev(it);
        if (at >= 0) at--;
        SAME("prev");
    }
  }
}

static void with_bounds(void) {
  for (int round = 0; round < 60; round++) {
    Key lower = random_key(), upper = random_key();
    if (pick(3) == 0 && count > 0) lower = model[pick((unsigned)count)];
    if (pick(3) == 0 && count > 0) upper = model[pick((unsigned)count)];
    if (pick(6) == 0) upper = lower;
    if (pick(8) == 0) memset(upper.bytes, 0xFF, upper.len = 6);
    int has_lower = pick(4) > 0, has_upper = pick(4) > 0;
    rocksdb_readoptions_set_iterate_lower_bound(r, has_lower ? (char*)lower.bytes : NULL,
                                                lower.len);
    rocksdb_readoptions_set_iterate_upper_bound(r, has_upper ? (char*)upper.bytes : NULL,
                                                upper.len);
    from = has_lower ? find(&lower) : 0;
    until = has_upper ? find(&upper) : count;
    it = rocksdb_create_iterator(db, r);
    at = -1;
    SAME("fresh");
    walk(60);
    rocksdb_iter_destroy(it);
  }
  rocksdb_readoptions_set_iterate_lower_bound(r, NULL, 0);
  rocksdb_readoptions_set_iterate_upper_bound(r, NULL, 0);
}

/* The first three bytes. */
static int same_prefix(const Key* a, const Key* b) {
  return a->len >= 3 && b->len >= 3 && memcmp(a->bytes, b->bytes, 3) == 0;
}

static void with_prefixes(void) {
  from = 0;
  until = count;
  for (int total = 0; total < 2; total++) {
    rocksdb_readoptions_set_total_order_seek(r, total);
    it = rocksdb_create_iterator(db, r);
    at = -1;
    walk(400);
    rocksdb_iter_destroy(it);
  }
  rocksdb_readoptions_set_total_order_seek(r, 0);
  /* Within the prefix of the seek key, and not beyond it. */
  rocksdb_readoptions_set_prefix_same_as_start(r, 1);
  for (int i = 0; i < 200; i++) {
    Key k = pick(2) ? model[pick((unsigned)count)] : random_key();
    if (k.len < 3) continue;
    it = rocksdb_create_iterator(db, r);
    rocksdb_iter_seek(it, (const char*)k.bytes, k.len);
    int place = find(&k);
    size_t len;
    for (; place < count && same_prefix(&model[place], &k); place++) {
      CHECK(rocksdb_iter_valid(it));
      const char* key = rocksdb_iter_key(it, &len);
      CHECK(len == model[place].len && memcmp(key, model[place].bytes, len) == 0);
      rocksdb_iter_next(it);
    }
    CHECK(!rocksdb_iter_valid(it));
    char* err = NULL;
    rocksdb_iter_get_error(it, &err);
    OK(err);
    rocksdb_iter_destroy(it);
  }
  rocksdb_readoptions_set_prefix_same_as_start(r, 0);
}

static rocksdb_options_t* options(int prefixes) {
  rocksdb_options_t* o = fresh_options();
  rocksdb_options_set_disable_auto_compactions(o, 1);
  if (prefixes) {
    rocksdb_options_set_prefix_extractor(o, rocksdb_slicetransform_create_fixed_prefix(3));
    rocksdb_options_set_memtable_prefix_bloom_size_ratio(o, 0.1);
    rocksdb_block_based_table_options_t* t = rocksdb_block_based_options_create();
    rocksdb_block_based_options_set_filter_policy(t, rocksdb_filterpolicy_create_bloom(10));
    rocksdb_block_based_options_set_whole_key_filtering(t, 0);
    rocksdb_block_based_options_set_block_size(t, 64);
    rocksdb_options_set_block_based_table_factory(o, t);
    rocksdb_block_based_options_destroy(t);
  }
  return o;
}

static void everything(int prefixes) {
  char* err = NULL;
  const char* path = prefixes ? "prefixes" : "plain";
  rocksdb_options_t* o = options(prefixes);
  db = rocksdb_open(o, path, &err);
  OK(err);
  r = rocksdb_readoptions_create();
  count = 0;
  with_bounds(); /* an empty store */
  for (int i = 0; i < 300; i++) {
    Key k = random_key();
    int place = find(&k);
    if (place == count || order(&model[place], &k) != 0) {
      model[count++] = k;
      qsort(model, (size_t)count, sizeof(Key), order);
    }
    put(&k);
  }
  for (int state = 0; state < 5; state++) {
    with_bounds();
    if (prefixes) with_prefixes();
    if (state == 0) flush_cf(db, NULL);
    if (state == 1) { /* hidden entries, deletions, two tables */
      rocksdb_writeoptions_t* w = rocksdb_writeoptions_create();
      for (int i = 0; i < count; i++) {
        if (i % 5 == 0) put(&model[i]);
        if (i % 7 != 3) continue;
        rocksdb_delete(db, w, (const char*)model[i].bytes, model[i].len, &err);
        OK(err);
        memmove(&model[i], &model[i + 1], (size_t)(--count - i) * sizeof(Key));
      }
      rocksdb_writeoptions_destroy(w);
    }
    if (state == 2) rocksdb_compact_range(db, NULL, 0, NULL, 0);
    if (state == 3) {
      rocksdb_close(db);
      db = rocksdb_open(o, path, &err);
      OK(err);
    }
  }
  rocksdb_readoptions_destroy(r);
  rocksdb_close(db);
  rocksdb_options_destroy(o);
}

int main(void) {
  everything(0);
  everything(1);
  return 0;
}
