/* Options as text, changed while open, and brought back from a store's file. */
#include "test.h"
#include <dirent.h>

static void strings(void) {
  char* err = NULL;
  rocksdb_options_t* base = rocksdb_options_create();
  rocksdb_options_t* o = rocksdb_options_create();
  rocksdb_options_set_max_open_files(base, 55);
  rocksdb_get_options_from_string(
      base, "write_buffer_size=64K;block_based_table_factory={block_size=8192;"
            "filter_policy=bloomfilter:10:false};compression=kLZ4Compression", o, &err);
  OK(err);
  CHECK(rocksdb_options_get_write_buffer_size(o) == 64 << 10);
  CHECK(rocksdb_options_get_compression(o) == rocksdb_lz4_compression);
  CHECK(rocksdb_options_get_max_open_files(o) == 55);
  rocksdb_get_options_from_string(base, "max_open_files=9;no_such=1", o, &err);
  FAILS(err, "Invalid argument: Could not find option: : no_such");
  CHECK(rocksdb_options_get_max_open_files(o) == 55);
  CHECK(rocksdb_options_get_write_buffer_size(o) != 64 << 10);
  rocksdb_get_options_from_string(base, "max_open_files", o, &err);
  FAILS(err, "Invalid argument: Mismatched key value pair, '=' expected");
  rocksdb_get_options_from_string(base, "num_levels=3", base, &err);
  OK(err);
  CHECK(rocksdb_options_get_num_levels(base) == 3);
  rocksdb_options_destroy(base);
  rocksdb_options_destroy(o);
}

static void newest_options_file(char* path, size_t size) {
  char best[256] = "";
  DIR* d = opendir("store");
  CHECK(d != NULL);
  for (struct dirent* e; (e = readdir(d)) != NULL;) {
    if (strncmp(e->d_name, "OPTIONS-", 8) == 0 && strcmp(e->d_name, best) > 0) {
      snprintf(best, sizeof best, "%s", e->d_name);
    }
  }
  closedir(d);
  snprintf(path, size, "store/%s", best);
}

static rocksdb_options_t* db_options;
static char** names;
static rocksdb_options_t** each;
static size_t n;

static void load(int ignore, char** err) {
  rocksdb_env_t* env = rocksdb_create_default_env();
  rocksdb_cache_t* cache = rocksdb_cache_create_lru(1 << 20);
  db_options = (rocksdb_options_t*)1;
  names = (char**)1;
  each = (rocksdb_options_t**)1;
  n = 99;
  rocksdb_load_latest_options("store", env, ignore, cache, &db_options, &n, &names, &each, err);
  rocksdb_cache_destroy(cache);
  rocksdb_env_destroy(env);
}

int main(void) {
  char* err = NULL;
  strings();
  load(0, &err);
  CHECK(err != NULL && db_options == NULL && names == NULL && each == NULL && n == 0);
  free(err);
  err = NULL;

  rocksdb_options_t* o = fresh_options();
  rocksdb_options_set_max_open_files(o, 123);
  rocksdb_t* db = rocksdb_open(o, "store", &err);
  OK(err);
  rocksdb_options_t* family = rocksdb_options_create();
  rocksdb_options_set_compression(family, rocksdb_zstd_compression);
  rocksdb_options_set_level0_file_num_compaction_trigger(family, 7);
  rocksdb_options_set_prefix_extractor(family, rocksdb_slicetransform_create_fixed_prefix(4));
  rocksdb_column_family_handle_t* cf = rocksdb_create_column_family(db, family, "zstd", &err);
  OK(err);
  const char* keys[] = {"ttl", "block_based_table_factory", "disable_auto_compactions"};
  const char* values[] = {"777", "{block_size=2048;}", "true"};
  rocksdb_set_options_cf(db, cf, 3, keys, values, &err);
  OK(err);
  keys[1] = "block_based_table_factory";
  values[1] = "{format_version=4}";
  rocksdb_set_options_cf(db, cf, 3, keys, values, &err);
  FAILS(err, "Invalid argument: Option not changeable: format_version");
  put_cf(db, cf, "k", "v");
  rocksdb_column_family_handle_destroy(cf);
  rocksdb_close(db);
  rocksdb_options_destroy(family);

  load(0, &err);
  OK(err);
  CHECK(n == 2 && strcmp(names[0], "default") == 0 && strcmp(names[1], "zstd") == 0);
  CHECK(rocksdb_options_get_max_open_files(db_options) == 123);
  CHECK(rocksdb_options_get_compression(each[0]) == rocksdb_snappy_compression);
  CHECK(rocksdb_options_get_compression(each[1]) == rocksdb_zstd_compression);
  CHECK(rocksdb_options_get_level0_file_num_compaction_trigger(each[1]) == 7);
  CHECK(rocksdb_options_get_disable_auto_compactions(each[1]) == 1);
  rocksdb_column_family_handle_t* handles[2];
  db = rocksdb_open_column_families(db_options, "store", 2, (const char* const*)names,
                                    (const rocksdb_options_t* const*)each, handles, &err);
  OK(err);
  VALUE(db, handles[1], "k", "v");
  rocksdb_column_family_handle_destroy(handles[0]);
  rocksdb_column_family_handle_destroy(handles[1]);
  rocksdb_close(db);
  rocksdb_load_latest_options_destroy(db_options, names, each, n);

  /* N1: what is not understood is skipped or named, and never hinders an open. */
  char path[300];
  newest_options_file(path, sizeof path);
  FILE* f = fopen(path, "a");
  CHECK(f != NULL);
  fputs("\n[Future \"zstd\"]\n  x=1\n[DBOptions]\n  max_opne_files=3\n  option_of_tomorrow=1\n", f);
  fclose(f);
  load(1, &err);
  OK(err);
  CHECK(n == 2 && rocksdb_options_get_max_open_files(db_options) == 123);
  rocksdb_load_latest_options_destroy(db_options, names, each, n);
  load(0, &err);
  CHECK(err != NULL && strncmp(err, "Invalid argument: ", 18) == 0);
  CHECK(strstr(err, "Future") != NULL || strstr(err, "max_opne_files") != NULL);
  CHECK(db_options == NULL && names == NULL && each == NULL && n == 0);
  free(err);
  err = NULL;
  const char* both[] = {"default", "zstd"};
  const rocksdb_options_t* with[] = {o, o};
  db = rocksdb_open_column_families(o, "store", 2, both, with, handles, &err);
  OK(err);
  VALUE(db, handles[1], "k", "v");
  rocksdb_column_family_handle_destroy(handles[0]);
  rocksdb_column_family_handle_destroy(handles[1]);
  rocksdb_close(db);
  rocksdb_options_destroy(o);
  return 0;
}
