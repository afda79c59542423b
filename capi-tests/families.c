/* Families, their options and their comparators are one truth on disk; every mismatch is named. */
#include "test.h"
#include <dirent.h>
#include <sys/stat.h>
#include <time.h>

static rocksdb_options_t* o;

static void lists(void) {
  char* err = NULL;
  rocksdb_t* db = rocksdb_open(o, "lists", &err);
  OK(err);
  rocksdb_column_family_handle_t* one = rocksdb_create_column_family(db, o, "one", &err);
  OK(err);
  CHECK(rocksdb_create_column_family(db, o, "one", &err) == NULL);
  FAILS(err, "Invalid argument: Column family already exists");
  CHECK(rocksdb_column_family_handle_get_id(one) == 1);
  size_t len;
  char* name = rocksdb_column_family_handle_get_name(one, &len);
  CHECK(len == 3 && memcmp(name, "one", 3) == 0);
  free(name);
  const char* more[] = {"two", "three", "one", "four"};
  size_t n;
  rocksdb_column_family_handle_t** handles =
      rocksdb_create_column_families(db, o, 4, more, &n, &err);
  FAILS(err, "Invalid argument: Column family already exists");
  CHECK(n == 2 && rocksdb_column_family_handle_get_id(handles[1]) == 3);
  put_cf(db, handles[0], "k", "in two");
  for (size_t i = 0; i < n; i++) rocksdb_column_family_handle_destroy(handles[i]);
  rocksdb_create_column_families_destroy(handles);
  rocksdb_column_family_handle_destroy(one);
  rocksdb_close(db);

  char** names = rocksdb_list_column_families(o, "lists", &n, &err);
  OK(err);
  CHECK(n == 4 && strcmp(names[0], "default") == 0 && strcmp(names[3], "three") == 0);
  rocksdb_list_column_families_destroy(names, n);

  CHECK(rocksdb_open(o, "lists", &err) == NULL);
  FAILS(err, "Invalid argument: Column families not opened: *");
  const char* all[] = {"three", "two", "default", "one", "nine"};
  const rocksdb_options_t* each[] = {o, o, o, o, o};
  rocksdb_column_family_handle_t* cf[5];
  memset(cf, 0x5A, sizeof cf);
  CHECK(rocksdb_open_column_families(o, "lists", 3, all, each, cf, &err) == NULL);
  FAILS(err, "Invalid argument: Column families not opened: one");
  for (size_t i = 0; i < sizeof cf; i++) CHECK(((char*)cf)[i] == 0x5A);
  CHECK(rocksdb_open_column_families(o, "lists", 5, all, each, cf, &err) == NULL);
  FAILS(err, "Invalid argument: Column family not found: nine");
  CHECK(rocksdb_open_column_families(o, "lists", 2, all, each, cf, &err) == NULL);
  FAILS(err, "Invalid argument: Default column family not specified");
  db = rocksdb_open_for_read_only_column_families(o, "lists", 3, all, each, cf, 0, &err);
  OK(err);
  VALUE(db, cf[1], "k", "in two");
  for (int i = 0; i < 3; i++) rocksdb_column_family_handle_destroy(cf[i]);
  rocksdb_close(db);
  db = rocksdb_open_column_families(o, "lists", 4, all, each, cf, &err);
  OK(err);
  VALUE(db, cf[1], "k", "in two");
  CHECK(rocksdb_column_family_handle_get_id(cf[0]) == 3);
  CHECK(rocksdb_column_family_handle_get_id(cf[2]) == 0);
  for (int i = 0; i < 4; i++) rocksdb_column_family_handle_destroy(cf[i]);
  rocksdb_close(db);
}

static long long used(const char* dir) {
  long long bytes = 0;
  DIR* d = opendir(dir);
  CHECK(d != NULL);
  for (struct dirent* e; (e = readdir(d)) != NULL;) {
    char path[512];
    struct stat s;
    snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
    if (stat(path, &s) == 0 && S_ISREG(s.st_mode)) bytes += s.st_size;
  }
  closedir(d);
  return bytes;
}

static void drops(void) {
  char* err = NULL;
  rocksdb_writeoptions_t* w = rocksdb_writeoptions_create();
  rocksdb_writeoptions_disable_WAL(w, 1);
  rocksdb_options_t* small = rocksdb_options_create_copy(o);
  rocksdb_options_set_write_buffer_size(small, 1 << 20);
  rocksdb_options_set_compression(small, rocksdb_no_compression);
  uint32_t last_id = 0;
  for (int round = 0; round < 3; round++) {
    rocksdb_t* db = rocksdb_open(small, "drops", &err);
    OK(err);
    rocksdb_column_family_handle_t* cf = rocksdb_create_column_family(db, small, "brief", &err);
    OK(err);
    CHECK(rocksdb_column_family_handle_get_id(cf) > last_id);
    last_id = rocksdb_column_family_handle_get_id(cf);
    VALUE(db, cf, "key1", NULL);
    static char value[1000];
    for (int i = 0; i < 8000; i++) {
      char key[16];
      sprintf(key, "key%d", i);
      for (size_t at = 0; at < sizeof value; at++) value[at] = (char)(i * 31 + at * 7);
      rocksdb_put_cf(db, w, cf, key, strlen(key), value, sizeof value, &err);
      OK(err);
    }
    flush_cf(db, cf);
    long long full = used("drops");
    CHECK(full > 7 << 20);
    rocksdb_drop_column_family(db, cf, &err);
    OK(err);
    rocksdb_drop_column_family(db, cf, &err);
    FAILS(err, "Invalid argument: Column family already dropped!\n");
    size_t n, len;
    char** names = rocksdb_list_column_families(o, "drops", &n, &err);
    OK(err);
    CHECK(n == 1);
    rocksdb_list_column_families_destroy(names, n);
    rocksdb_readoptions_t* r = rocksdb_readoptions_create();
    char* read = rocksdb_get_cf(db, r, cf, "key7999", 7, &len, &err);
    OK(err);
    CHECK(len == sizeof value && memcmp(read, value, len) == 0);
    free(read);
    rocksdb_put_cf(db, w, cf, "k", 1, "v", 1, &err);
    FAILS(err, "Invalid argument: Invalid column family specified in write batch");
    put_cf(db, NULL, "others", "go on");
    VALUE(db, NULL, "others", "go on");
    rocksdb_flushoptions_t* f = rocksdb_flushoptions_create();
    rocksdb_flush_cf(db, f, cf, &err);
    FAILS(err, "Column family dropped: ");
    rocksdb_flushoptions_destroy(f);
    rocksdb_readoptions_destroy(r);
    rocksdb_column_family_handle_destroy(cf);
    for (int tries = 0; used("drops") > full / 2; tries++) {
      CHECK(tries < 1000);
      nanosleep(&(struct timespec){0, 10 * 1000 * 1000}, NULL);
    }
    if (round == 0) {
      /* Anew without a reopen: empty. */
      cf = rocksdb_create_column_family(db, small, "brief", &err);
      OK(err);
      VALUE(db, cf, "key1", NULL);
      last_id = rocksdb_column_family_handle_get_id(cf);
      rocksdb_drop_column_family(db, cf, &err);
      OK(err);
      rocksdb_column_family_handle_destroy(cf);
    }
    rocksdb_close(db);
  }
  rocksdb_options_destroy(small);
  rocksdb_writeoptions_destroy(w);
}

static int reversed(void* state, const char* a, size_t alen, const char* b, size_t blen) {
  (void)state;
  int r = memcmp(b, a, alen < blen ? alen : blen);
  return r != 0 ? r : blen < alen ? -1 : blen > alen;
}
static const char* name_x(void* state) { return (void)state, "X"; }
static const char* name_y(void* state) { return (void)state, "Y"; }
static void nothing(void* state) { (void)state; }

/* Names, sizes and bytes of the tables, logs and manifests of a folder, as one number. */
static unsigned long print_of(const char* dir) {
  unsigned long sum = 0;
  DIR* d = opendir(dir);
  CHECK(d != NULL);
  for (struct dirent* e; (e = readdir(d)) != NULL;) {
    if (strncmp(e->d_name, "LOG", 3) == 0 || e->d_name[0] == '.') continue;
    unsigned long h = 5381;
    for (const char* c = e->d_name; *c; c++) h = h * 33 + (unsigned char)*c;
    char path[512];
    snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
    FILE* f = fopen(path, "rb");
    CHECK(f != NULL);
    for (int c; (c = fgetc(f)) != EOF;) h = h * 33 + (unsigned)c;
    fclose(f);
    sum += h;
  }
  closedir(d);
  return sum;
}

static void comparators(void) {
  char* err = NULL;
  rocksdb_comparator_t* x = rocksdb_comparator_create(NULL, nothing, reversed, name_x);
  rocksdb_comparator_t* y = rocksdb_comparator_create(NULL, nothing, reversed, name_y);
  rocksdb_options_t* with[3];
  for (int i = 0; i < 3; i++) with[i] = rocksdb_options_create_copy(o);
  rocksdb_options_set_create_missing_column_families(with[0], 1);
  rocksdb_options_set_comparator(with[0], x);
  rocksdb_options_set_comparator(with[1], y);
  const char* names[] = {"default", "other"};
  rocksdb_column_family_handle_t* cf[2];
  for (int odd = 0; odd < 2; odd++) { /* which of the two families has comparator X */
    const char* path = odd ? "cmp1" : "cmp0";
    const rocksdb_options_t* each[2] = {with[2], with[2]};
    each[odd] = with[0];
    rocksdb_t* db = rocksdb_open_column_families(with[0], path, 2, names, each, cf, &err);
    OK(err);
    put_cf(db, cf[odd], "a", "1");
    put_cf(db, cf[odd], "b", "2");
    flush_cf(db, cf[odd]);
    put_cf(db, cf[odd], "c", "3");
    for (int i = 0; i < 2; i++) rocksdb_column_family_handle_destroy(cf[i]);
    rocksdb_close(db);
    unsigned long before = print_of(path);
    each[odd] = with[1];
    CHECK(rocksdb_open_column_families(o, path, 2, names, each, cf, &err) == NULL);
    FAILS(err, "Invalid argument: Y: does not match existing comparator X");
    each[odd] = with[2];
    CHECK(rocksdb_open_column_families(o, path, 2, names, each, cf, &err) == NULL);
    FAILS(err, "Invalid argument: leveldb.BytewiseComparator: does not match existing comparator X");
    CHECK(print_of(path) == before);
    each[odd] = with[0];
    db = rocksdb_open_column_families(o, path, 2, names, each, cf, &err);
    OK(err);
    rocksdb_readoptions_t* r = rocksdb_readoptions_create();
    rocksdb_iterator_t* it = rocksdb_create_iterator_cf(db, r, cf[odd]);
    char seen[8];
    int n = 0;
    size_t len;
    for (rocksdb_iter_seek_to_first(it); rocksdb_iter_valid(it); rocksdb_iter_next(it)) {
      seen[n++] = rocksdb_iter_key(it, &len)[0];
    }
    CHECK(n == 3 && memcmp(seen, "cba", 3) == 0);
    rocksdb_iter_destroy(it);
    rocksdb_readoptions_destroy(r);
    for (int i = 0; i < 2; i++) rocksdb_column_family_handle_destroy(cf[i]);
    rocksdb_close(db);
  }
  for (int i = 0; i < 3; i++) rocksdb_options_destroy(with[i]);
  rocksdb_comparator_destroy(x);
  rocksdb_comparator_destroy(y);
}

int main(void) {
  o = fresh_options();
  lists();
  drops();
  comparators();
  rocksdb_options_destroy(o);
  return 0;
}
