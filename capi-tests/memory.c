/* Bounds on memory and on bytes a second, and the numbers that tell of them. */
#include "test.h"
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static char value[1000];

static void fill(rocksdb_t* db, rocksdb_column_family_handle_t* cf, int from, int n) {
  char* err = NULL;
  rocksdb_writeoptions_t* w = rocksdb_writeoptions_create();
  rocksdb_writeoptions_disable_WAL(w, 1);
  for (int i = from; i < from + n; i++) {
    char key[16];
    int len = sprintf(key, "key%08d", i);
    for (size_t at = 0; at < sizeof value; at += 8) value[at] = (char)(i * 31 + (int)at * 7);
    if (cf != NULL) {
      rocksdb_put_cf(db, w, cf, key, (size_t)len, value, sizeof value, &err);
    } else {
      rocksdb_put(db, w, key, (size_t)len, value, sizeof value, &err);
    }
    OK(err);
  }
  rocksdb_writeoptions_destroy(w);
}

static void write_buffer_manager(int stall) {
  char* err = NULL;
  enum { BOUND = 4 << 20 };
  rocksdb_cache_t* cache = rocksdb_cache_create_lru(64 << 20);
  rocksdb_write_buffer_manager_t* wbm =
      rocksdb_write_buffer_manager_create_with_cache(BOUND, cache, stall);
  rocksdb_options_t* o = fresh_options();
  rocksdb_options_set_write_buffer_manager(o, wbm);
  rocksdb_t* a = rocksdb_open(o, "wbm-a", &err);
  OK(err);
  rocksdb_t* b = rocksdb_open(o, "wbm-b", &err);
  OK(err);
  rocksdb_column_family_handle_t* cf = rocksdb_create_column_family(b, o, "other", &err);
  OK(err);
  size_t most = 0;
  for (int i = 0; i < 100; i++) {
    fill(a, NULL, i * 100, 100);
    fill(b, cf, i * 100, 100);
    size_t used = rocksdb_write_buffer_manager_memory_usage(wbm);
    CHECK(rocksdb_write_buffer_manager_mutable_memtable_memory_usage(wbm) <= used);
    CHECK(rocksdb_write_buffer_manager_dummy_entries_in_cache_usage(wbm) <= used + (1 << 20));
    most = used > most ? used : most;
  }
  CHECK(most > BOUND / 2);
  /* Memtables grow in steps, and sealed ones live until they are flushed. */
  CHECK(most < 3 * BOUND);
  CHECK(rocksdb_cache_get_usage(cache) >= rocksdb_write_buffer_manager_memory_usage(wbm));

  rocksdb_memory_consumers_t* consumers = rocksdb_memory_consumers_create();
  rocksdb_memory_consumers_add_db(consumers, a);
  rocksdb_memory_consumers_add_db(consumers, b);
  rocksdb_memory_consumers_add_cache(consumers, cache);
  rocksdb_memory_consumers_add_cache(consumers, cache);
  rocksdb_memory_usage_t* usage = rocksdb_approximate_memory_usage_create(consumers, &err);
  OK(err);
  CHECK(rocksdb_approximate_memory_usage_get_mem_table_total(usage) > 0);
  CHECK(rocksdb_approximate_memory_usage_get_mem_table_unflushed(usage) <=
        rocksdb_approximate_memory_usage_get_mem_table_total(usage));
  CHECK(rocksdb_approximate_memory_usage_get_cache_total(usage) <=
        rocksdb_cache_get_usage(cache) + (1 << 20));
  rocksdb_approximate_memory_usage_destroy(usage);
  rocksdb_memory_consumers_destroy(consumers);

  rocksdb_column_family_handle_destroy(cf);
  rocksdb_close(a);
  rocksdb_close(b);
  CHECK(rocksdb_write_buffer_manager_memory_usage(wbm) == 0);
  rocksdb_destroy_db(o, "wbm-a", &err);
  OK(err);
  rocksdb_destroy_db(o, "wbm-b", &err);
  OK(err);
  rocksdb_options_destroy(o);
  rocksdb_write_buffer_manager_destroy(wbm);
  rocksdb_cache_destroy(cache);
}

static void rate_limiter(void) {
  char* err = NULL;
  rocksdb_options_t* o = fresh_options();
  rocksdb_ratelimiter_t* limiter = rocksdb_ratelimiter_create(4 << 20, 100 * 1000, 10);
  rocksdb_options_set_ratelimiter(o, limiter);
  rocksdb_ratelimiter_destroy(limiter);
  rocksdb_options_set_compression(o, rocksdb_no_compression);
  rocksdb_t* db = rocksdb_open(o, "limited", &err);
  OK(err);
  fill(db, NULL, 0, 4000);
  double began = now();
  flush_cf(db, NULL); /* 4 MB at 4 MB a second */
  CHECK(now() - began > 0.5);
  rocksdb_close(db);
  rocksdb_options_destroy(o);
}

static void caches(void) {
  char* err = NULL;
  rocksdb_lru_cache_options_t* c = rocksdb_lru_cache_options_create();
  rocksdb_lru_cache_options_set_capacity(c, 8 << 20);
  rocksdb_lru_cache_options_set_num_shard_bits(c, 0);
  rocksdb_cache_t* cache = rocksdb_cache_create_lru_opts(c);
  rocksdb_lru_cache_options_destroy(c);
  CHECK(rocksdb_cache_get_capacity(cache) == 8 << 20);
  CHECK(rocksdb_cache_get_usage(cache) == 0 && rocksdb_cache_get_occupancy_count(cache) == 0);
  rocksdb_options_t* o = fresh_options();
  rocksdb_block_based_table_options_t* t = rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_block_cache(t, cache);
  rocksdb_options_set_block_based_table_factory(o, t);
  rocksdb_block_based_options_destroy(t);
  rocksdb_options_enable_statistics(o);
  CHECK(rocksdb_options_get_statistics_level(o) == 3);
  rocksdb_options_set_statistics_level(o, rocksdb_statistics_level_all);
  CHECK(rocksdb_options_get_statistics_level(o) == 5);
  rocksdb_t* db = rocksdb_open(o, "cached", &err);
  OK(err);
  fill(db, NULL, 0, 2000);
  flush_cf(db, NULL);
  rocksdb_readoptions_t* r = rocksdb_readoptions_create();
  rocksdb_readoptions_set_pin_data(r, 1);
  rocksdb_iterator_t* it = rocksdb_create_iterator(db, r);
  for (rocksdb_iter_seek_to_first(it); rocksdb_iter_valid(it); rocksdb_iter_next(it)) {
    size_t len;
    CHECK(rocksdb_iter_key(it, &len)[0] == 'k');
  }
  rocksdb_iter_seek(it, "key00001000", 11);
  CHECK(rocksdb_iter_valid(it));
  CHECK(rocksdb_cache_get_usage(cache) > 1 << 20);
  CHECK(rocksdb_cache_get_pinned_usage(cache) > 0);
  CHECK(rocksdb_cache_get_occupancy_count(cache) > 0);
  CHECK(rocksdb_cache_get_table_address_count(cache) > 0);
  rocksdb_iter_destroy(it);
  CHECK(rocksdb_cache_get_pinned_usage(cache) == 0);
  rocksdb_cache_set_capacity(cache, 1 << 10);
  CHECK(rocksdb_cache_get_usage(cache) <= 1 << 10);
  rocksdb_readoptions_destroy(r);

  uint64_t number;
  CHECK(rocksdb_property_int(db, "rocksdb.block-cache-capacity", &number) == 0);
  CHECK(number == 1 << 10);
  /* BYTES_WRITTEN is 40 and NUMBER_DB_NEXT 46 in RocksDB 8.10. */
  CHECK(rocksdb_options_statistics_get_ticker_count(o, 40) > 2000 * sizeof value);
  CHECK(rocksdb_options_statistics_get_ticker_count(o, 100000) == 0);
  rocksdb_statistics_histogram_data_t* h = rocksdb_statistics_histogram_data_create();
  rocksdb_options_statistics_get_histogram_data(o, 0, h);
  CHECK(rocksdb_statistics_histogram_data_get_max(h) >=
        rocksdb_statistics_histogram_data_get_min(h));
  rocksdb_options_statistics_get_histogram_data(o, 100000, h);
  CHECK(rocksdb_statistics_histogram_data_get_count(h) == 0);
  rocksdb_statistics_histogram_data_destroy(h);
  char* text = rocksdb_options_statistics_get_string(o);
  CHECK(strncmp(text, "rocksdb.block.cache.miss COUNT : ", 33) == 0);
  free(text);
  rocksdb_close(db);
  rocksdb_options_destroy(o);
  rocksdb_cache_destroy(cache);
  o = rocksdb_options_create();
  CHECK(rocksdb_options_statistics_get_string(o) == NULL);
  CHECK(rocksdb_options_statistics_get_ticker_count(o, 40) == 0);
  CHECK(rocksdb_options_get_statistics_level(o) == 0);
  rocksdb_options_destroy(o);
}

int main(void) {
  write_buffer_manager(0);
  write_buffer_manager(1);
  rate_limiter();
  caches();
  return 0;
}
