/* put_get DIR [N] [VALUE_BYTES]: puts and gets per second, to compare libraries with one binary.
 *
 * Links -lrocksdb; run it once with LD_LIBRARY_PATH at MountDB and once at RocksDB. 8-byte keys in random
 * order, write-ahead log on, Bloom filter of 10 bits, no compression, block cache of 512 MiB; every value
 * read is checked. */
#define _POSIX_C_SOURCE 199309L
#include <rocksdb/c.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void check(char* err, const char* what) {
  if (err != NULL) {
    fprintf(stderr, "%s: %s\n", what, err);
    exit(1);
  }
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A permutation of the 64-bit numbers, so that keys are distinct and in no order. */
static uint64_t scatter(uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

static void make_key(uint64_t i, char key[8]) {
  uint64_t x = scatter(i);
  for (int b = 0; b < 8; b++) key[b] = (char)(x >> (56 - 8 * b));
}

int main(int argc, char** argv) {
  const char* dir = argc > 1 ? argv[1] : "put_get.db";
  uint64_t n = argc > 2 ? strtoull(argv[2], NULL, 10) : 20000;
  size_t size = argc > 3 ? strtoull(argv[3], NULL, 10) : 100;
  char* err = NULL;
  char key[8];
  char* value = malloc(size + 8);

  rocksdb_options_t* options = rocksdb_options_create();
  rocksdb_destroy_db(options, dir, &err);
  check(err, "destroy");
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_compression(options, rocksdb_no_compression);
  rocksdb_block_based_table_options_t* table = rocksdb_block_based_options_create();
  rocksdb_block_based_options_set_filter_policy(table, rocksdb_filterpolicy_create_bloom_full(10));
  rocksdb_cache_t* cache = rocksdb_cache_create_lru((size_t)512 << 20);
  rocksdb_block_based_options_set_block_cache(table, cache);
  rocksdb_options_set_block_based_table_factory(options, table);
  rocksdb_t* db = rocksdb_open(options, dir, &err);
  check(err, "open");
  rocksdb_writeoptions_t* wo = rocksdb_writeoptions_create();
  rocksdb_readoptions_t* ro = rocksdb_readoptions_create();

  double t0 = now();
  for (uint64_t i = 0; i < n; i++) {
    make_key(i, key);
    memset(value, (int)(i & 0xff), size);
    rocksdb_put(db, wo, key, sizeof key, value, size, &err);
    check(err, "put");
  }
  double t1 = now();
  rocksdb_flushoptions_t* fo = rocksdb_flushoptions_create();
  rocksdb_flush(db, fo, &err);
  check(err, "flush");
  rocksdb_compact_range(db, NULL, 0, NULL, 0);
  double t2 = now();
  for (int round = 0; round < 2; round++) {
    double start = now();
    for (uint64_t i = 0; i < n; i++) {
      uint64_t at = scatter(i + 7) % n;
      size_t len = 0;
      make_key(at, key);
      char* got = rocksdb_get(db, ro, key, sizeof key, &len, &err);
      check(err, "get");
      if (got == NULL || len != size || (size > 0 && got[size - 1] != (char)(at & 0xff))) {
        fprintf(stderr, "get %llu: wrong value\n", (unsigned long long)at);
        return 1;
      }
      rocksdb_free(got);
    }
    printf("get %s   %9.0f /s\n", round == 0 ? "first " : "cached", (double)n / (now() - start));
  }
  double t3 = now();
  for (uint64_t i = 0; i < n; i++) {
    size_t len = 0;
    make_key(n + i, key);
    char* got = rocksdb_get(db, ro, key, sizeof key, &len, &err);
    check(err, "get");
    if (got != NULL) return 1;
  }
  printf("get absent   %9.0f /s\n", (double)n / (now() - t3));
  printf("put          %9.0f /s\n", (double)n / (t1 - t0));
  printf("flush+compact %8.2f s\n", t2 - t1);

  rocksdb_flushoptions_destroy(fo);
  rocksdb_readoptions_destroy(ro);
  rocksdb_writeoptions_destroy(wo);
  rocksdb_close(db);
  rocksdb_cache_destroy(cache);
  rocksdb_block_based_options_destroy(table);
  rocksdb_options_destroy(options);
  free(value);
  return 0;
}
