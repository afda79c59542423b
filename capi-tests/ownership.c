/* Who destroys what. Each callback object's destructor runs exactly once, whatever it was set on, and
 * nobody looks at a caller's bytes after the call that got them. */
#include "test.h"

static int ended;
static void on_end(void* state) {
  CHECK(state == &ended);
  ended++;
}
static const char* name(void* state) {
  (void)state;
  return "test";
}

static int compare(void* state, const char* a, size_t alen, const char* b, size_t blen) {
  (void)state;
  int r = memcmp(a, b, alen < blen ? alen : blen);
  return r != 0 ? r : alen < blen ? -1 : alen > blen;
}

static char* full_merge(void* state, const char* key, size_t key_length, const char* existing,
                        size_t existing_length, const char* const* operands, const size_t* lengths,
                        int n, unsigned char* success, size_t* new_length) {
  (void)state, (void)key, (void)key_length;
  size_t len = existing == NULL ? 1 : existing_length;
  for (int i = 0; i < n; i++) len += lengths[i];
  char* out = malloc(len == 0 ? 1 : len);
  size_t at = 0;
  if (existing == NULL) {
    out[at++] = '-';
  } else {
    memcpy(out, existing, existing_length);
    at = existing_length;
  }
  for (int i = 0; i < n; i++) {
    memcpy(out + at, operands[i], lengths[i]);
    at += lengths[i];
  }
  *success = 1;
  *new_length = at;
  return out;
}

static unsigned char filter(void* state, int level, const char* key, size_t key_length,
                            const char* value, size_t value_length, char** new_value,
                            size_t* new_length, unsigned char* changed) {
  (void)state, (void)level, (void)value, (void)value_length;
  if (key_length == 4 && memcmp(key, "drop", 4) == 0) return 1;
  if (key_length == 6 && memcmp(key, "change", 6) == 0) {
    static char other[] = "changed";
    *new_value = other;
    *new_length = 7;
    *changed = 1;
  }
  return 0;
}

static int made;
static rocksdb_compactionfilter_t* make_filter(void* state, rocksdb_compactionfiltercontext_t* ctx) {
  (void)rocksdb_compactionfiltercontext_is_full_compaction(ctx);
  CHECK(rocksdb_compactionfiltercontext_is_manual_compaction(ctx) == 1);
  made++;
  return rocksdb_compactionfilter_create(state, on_end, filter, name);
}

static char* transform(void* state, const char* key, size_t length, size_t* dst_length) {
  (void)state, (void)length;
  *dst_length = 1;
  return (char*)key;
}
static unsigned char in_domain(void* state, const char* key, size_t length) {
  (void)state, (void)key;
  return length > 0;
}

static rocksdb_mergeoperator_t* new_merge(void) {
  return rocksdb_mergeoperator_create(&ended, on_end, full_merge, NULL, NULL, name);
}
static rocksdb_slicetransform_t* new_transform(void) {
  return rocksdb_slicetransform_create(&ended, on_end, transform, in_domain, in_domain, name);
}
static rocksdb_compactionfilterfactory_t* new_factory(void) {
  return rocksdb_compactionfilterfactory_create(&ended, on_end, make_filter, name);
}

/* For each kind that options own: never set; set; set twice; set on two; replaced; reset; copied. */
#define OWNED(new_object, set, destroy, null)                    \
  do {                                                           \
    ended = 0;                                                   \
    destroy(new_object());                                       \
    CHECK(ended == 1);                                           \
    rocksdb_options_t* a = rocksdb_options_create();             \
    rocksdb_options_t* b = rocksdb_options_create();             \
    set(a, new_object());                                        \
    set(a, new_object());                                        \
    CHECK(ended == 2);                                           \
    set(a, null);                                                \
    CHECK(ended == 3);                                           \
    set(a, new_object());                                        \
    rocksdb_options_t* copy = rocksdb_options_create_copy(a);    \
    rocksdb_options_destroy(a);                                  \
    CHECK(ended == 3);                                           \
    rocksdb_options_destroy(copy);                               \
    CHECK(ended == 4);                                           \
    a = rocksdb_options_create();                                \
    void* object = new_object();                                 \
    set(a, object);                                              \
    set(a, object);                                              \
    set(b, object);                                              \
    CHECK(ended == 4);                                           \
    rocksdb_options_destroy(a);                                  \
    CHECK(ended == 4);                                           \
    rocksdb_options_destroy(b);                                  \
    CHECK(ended == 5);                                           \
  } while (0)

static void shared_objects(void) {
  rocksdb_options_t* o = fresh_options();
  rocksdb_block_based_table_options_t* t = rocksdb_block_based_options_create();
  rocksdb_cache_t* cache = rocksdb_cache_create_lru(1 << 20);
  rocksdb_block_based_options_set_block_cache(t, cache);
  rocksdb_block_based_options_set_block_cache(t, NULL);
  rocksdb_options_set_row_cache(o, cache);
  rocksdb_filterpolicy_t* policy = rocksdb_filterpolicy_create_bloom(10);
  rocksdb_block_based_options_set_filter_policy(t, policy);
  rocksdb_block_based_options_set_filter_policy(t, policy);
  rocksdb_block_based_options_set_filter_policy(t, rocksdb_filterpolicy_create_ribbon(10));
  rocksdb_options_set_block_based_table_factory(o, t);
  rocksdb_options_set_block_based_table_factory(o, NULL);
  rocksdb_block_based_options_destroy(t);
  rocksdb_filterpolicy_destroy(rocksdb_filterpolicy_create_ribbon_hybrid(10, 1));
  rocksdb_filterpolicy_destroy(NULL);
  rocksdb_cache_destroy(cache);

  rocksdb_cache_t* used = rocksdb_cache_create_hyper_clock(1 << 20, 0);
  rocksdb_write_buffer_manager_t* wbm =
      rocksdb_write_buffer_manager_create_with_cache(1 << 20, used, 0);
  CHECK(rocksdb_write_buffer_manager_enabled(wbm));
  CHECK(rocksdb_write_buffer_manager_cost_to_cache(wbm));
  CHECK(rocksdb_write_buffer_manager_buffer_size(wbm) == 1 << 20);
  rocksdb_options_set_write_buffer_manager(o, wbm);
  rocksdb_ratelimiter_t* limiter = rocksdb_ratelimiter_create(100 << 20, 100 * 1000, 10);
  rocksdb_options_set_ratelimiter(o, limiter);
  rocksdb_options_set_ratelimiter(o, NULL);
  rocksdb_env_t* env = rocksdb_create_mem_env();
  rocksdb_options_set_env(o, env);
  rocksdb_options_enable_statistics(o);

  char* err = NULL;
  rocksdb_t* db = rocksdb_open(o, "in memory", &err);
  OK(err);
  /* Handles go while the store lives. */
  rocksdb_ratelimiter_destroy(limiter);
  rocksdb_write_buffer_manager_destroy(wbm);
  rocksdb_cache_destroy(used);
  put_cf(db, NULL, "k", "v");
  flush_cf(db, NULL);
  VALUE(db, NULL, "k", "v");
  CHECK(rocksdb_options_statistics_get_ticker_count(o, 40) > 0);
  char* text = rocksdb_options_statistics_get_string(o);
  CHECK(strstr(text, "rocksdb.bytes.written COUNT : ") != NULL);
  free(text);
  rocksdb_options_destroy(o);
  VALUE(db, NULL, "k", "v");
  rocksdb_close(db);
  rocksdb_env_destroy(env);
}

static void borrowed_objects(void) {
  char* err = NULL;
  ended = 0;
  rocksdb_comparator_t* cmp = rocksdb_comparator_create(&ended, on_end, compare, name);
  rocksdb_compactionfilter_t* f = rocksdb_compactionfilter_create(&ended, on_end, filter, name);
  rocksdb_options_t* o = fresh_options();
  rocksdb_options_set_comparator(o, cmp);
  rocksdb_options_set_compaction_filter(o, f);
  rocksdb_options_set_merge_operator(o, new_merge());
  rocksdb_options_set_prefix_extractor(o, new_transform());
  rocksdb_t* db = rocksdb_open(o, "borrowed", &err);
  OK(err);
  rocksdb_options_destroy(o);
  CHECK(ended == 0);
  rocksdb_writeoptions_t* w = rocksdb_writeoptions_create();
  put_cf(db, NULL, "drop", "1");
  put_cf(db, NULL, "change", "1");
  put_cf(db, NULL, "keep", "1");
  put_cf(db, NULL, "nothing", "");
  rocksdb_merge(db, w, "keep", 4, "2", 1, &err);
  rocksdb_merge(db, w, "absent", 6, "x", 1, &err);
  rocksdb_merge(db, w, "absent", 6, "y", 1, &err);
  rocksdb_merge(db, w, "nothing", 7, "x", 1, &err);
  OK(err);
  VALUE(db, NULL, "keep", "12");
  VALUE(db, NULL, "absent", "-xy");
  VALUE(db, NULL, "nothing", "x");
  rocksdb_compact_range(db, NULL, 0, NULL, 0);
  VALUE(db, NULL, "keep", "12");
  VALUE(db, NULL, "absent", "-xy");
  VALUE(db, NULL, "nothing", "x");
  VALUE(db, NULL, "drop", NULL);
  VALUE(db, NULL, "change", "changed");
  rocksdb_writeoptions_destroy(w);
  rocksdb_close(db);
  /* The options are gone and the store is closed: what they owned is, too. */
  CHECK(ended == 2);
  rocksdb_comparator_destroy(cmp);
  CHECK(ended == 3);
  rocksdb_compactionfilter_destroy(f);
  CHECK(ended == 4);
}

static void factory(void) {
  char* err = NULL;
  ended = made = 0;
  rocksdb_options_t* o = fresh_options();
  rocksdb_options_set_compaction_filter_factory(o, new_factory());
  rocksdb_t* db = rocksdb_open(o, "factory", &err);
  OK(err);
  put_cf(db, NULL, "drop", "1");
  put_cf(db, NULL, "keep", "1");
  rocksdb_compact_range(db, NULL, 0, NULL, 0);
  VALUE(db, NULL, "drop", NULL);
  VALUE(db, NULL, "keep", "1");
  CHECK(made > 0 && ended == made);
  rocksdb_close(db);
  rocksdb_options_destroy(o);
  CHECK(ended == made + 1);
}

/* A2: bounds are those of the moment, whatever becomes of bytes and options afterwards. */
static void bounds(void) {
  char* err = NULL;
  rocksdb_options_t* o = fresh_options();
  rocksdb_t* db = rocksdb_open(o, "bounds", &err);
  OK(err);
  for (char c = 'a'; c <= 'h'; c++) {
    char key[2] = {c, 0};
    put_cf(db, NULL, key, key);
  }
  for (int flushed = 0; flushed < 2; flushed++) {
    rocksdb_readoptions_t* r = rocksdb_readoptions_create();
    char* lower = strdup("c");
    char* upper = strdup("f");
    rocksdb_readoptions_set_iterate_lower_bound(r, lower, 1);
    rocksdb_readoptions_set_iterate_upper_bound(r, upper, 1);
    rocksdb_iterator_t* it = rocksdb_create_iterator(db, r);
    lower[0] = upper[0] = 'x';
    free(lower);
    free(upper);
    rocksdb_readoptions_set_iterate_upper_bound(r, "b", 1);
    rocksdb_readoptions_set_iterate_lower_bound(r, NULL, 0);
    rocksdb_readoptions_destroy(r);
    char seen[16];
    int n = 0;
    size_t len;
    for (rocksdb_iter_seek_to_first(it); rocksdb_iter_valid(it); rocksdb_iter_next(it)) {
      seen[n++] = rocksdb_iter_key(it, &len)[0];
    }
    for (rocksdb_iter_seek_to_last(it); rocksdb_iter_valid(it); rocksdb_iter_prev(it)) {
      seen[n++] = rocksdb_iter_key(it, &len)[0];
    }
    seen[n] = 0;
    CHECK(strcmp(seen, "cdeedc") == 0);
    rocksdb_iter_seek(it, "a", 1);
    CHECK(rocksdb_iter_valid(it) && rocksdb_iter_key(it, &len)[0] == 'c');
    rocksdb_iter_seek(it, "g", 1);
    CHECK(!rocksdb_iter_valid(it));
    rocksdb_iter_seek_for_prev(it, "z", 1);
    CHECK(rocksdb_iter_valid(it) && rocksdb_iter_key(it, &len)[0] == 'e');
    rocksdb_iter_seek_for_prev(it, "a", 1);
    CHECK(!rocksdb_iter_valid(it));
    rocksdb_iter_destroy(it);
    flush_cf(db, NULL);
  }
  rocksdb_close(db);
  rocksdb_options_destroy(o);
}

int main(void) {
  OWNED(new_merge, rocksdb_options_set_merge_operator, rocksdb_mergeoperator_destroy, NULL);
  OWNED(new_transform, rocksdb_options_set_prefix_extractor, rocksdb_slicetransform_destroy, NULL);
  OWNED(new_factory, rocksdb_options_set_compaction_filter_factory,
        rocksdb_compactionfilterfactory_destroy, NULL);
  rocksdb_slicetransform_destroy(rocksdb_slicetransform_create_fixed_prefix(3));
  rocksdb_slicetransform_destroy(rocksdb_slicetransform_create_noop());
  shared_objects();
  borrowed_objects();
  factory();
  bounds();
  return 0;
}
