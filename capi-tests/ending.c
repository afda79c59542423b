/* However a store or its process ends: no crash, no hang, nothing acknowledged is lost. */
#include "test.h"
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static char value[1000];

static void fill(rocksdb_t* db, int n) {
  char* err = NULL;
  rocksdb_writeoptions_t* w = rocksdb_writeoptions_create();
  for (int i = 0; i < n; i++) {
    char key[24];
    int len = sprintf(key, "key%08d", (int)((unsigned)i * 2654435761u % 100000000u));
    for (size_t at = 0; at < sizeof value; at++) value[at] = (char)(i * 31 + (int)(at * at));
    rocksdb_put(db, w, key, (size_t)len, value, sizeof value, &err);
    OK(err);
  }
  rocksdb_writeoptions_destroy(w);
}

static rocksdb_options_t* small_options(void) {
  rocksdb_options_t* o = fresh_options();
  rocksdb_options_set_write_buffer_size(o, 256 << 10);
  rocksdb_options_set_target_file_size_base(o, 256 << 10);
  rocksdb_options_set_max_bytes_for_level_base(o, 1 << 20);
  return o;
}

static void nothing(void) {}
static void* leave(void* unused) {
  (void)unused;
  exit(3);
}
static void leave_now(void) { _exit(3); }

/* Opens, writes so that flushes and compactions run, and leaves without closing. */
static void child(int how) {
  if (how == 2) atexit(leave_now);
  char* err = NULL;
  rocksdb_t* db = rocksdb_open(small_options(), "exits", &err);
  OK(err);
  if (how == 3) atexit(leave_now);
  atexit(nothing);
  fill(db, 1500);
  put_cf(db, NULL, "last", how == 0 ? "0" : "1");
  if (how == 1) {
    pthread_t t;
    pthread_create(&t, NULL, leave, NULL);
    pthread_join(t, NULL);
  }
  exit(3);
}

static void exits(const char* program) {
  const char* rounds = getenv("MOUNTDB_ROUNDS");
  int n = rounds != NULL ? atoi(rounds) : 2;
  for (int i = 0; i < n; i++) {
    for (int how = 0; how < 4; how++) {
      char command[512];
      snprintf(command, sizeof command, "%s %d", program, how);
      int status = system(command);
      CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3);
      char* err = NULL;
      rocksdb_options_t* o = small_options();
      rocksdb_t* db = rocksdb_open(o, "exits", &err);
      OK(err);
      VALUE(db, NULL, "last", how == 0 ? "0" : "1");
      rocksdb_close(db);
      rocksdb_options_destroy(o);
    }
  }
}

static rocksdb_t* busy;
static rocksdb_column_family_handle_t* family;
static volatile int began;

static void* compact(void* how) {
  began = 1;
  if (how != NULL) {
    rocksdb_compact_range_cf(busy, family, NULL, 0, NULL, 0);
  } else {
    rocksdb_compact_range(busy, NULL, 0, NULL, 0);
  }
  return NULL;
}

/* A manual compaction in one thread; another ends it by closing, cancelling or pausing. */
static void ends_early(int how) {
  char* err = NULL;
  rocksdb_options_t* o = fresh_options();
  rocksdb_options_set_compression(o, rocksdb_zstd_compression);
  rocksdb_options_set_disable_auto_compactions(o, 1);
  rocksdb_options_set_create_missing_column_families(o, 1);
  const char* names[] = {"default", "other"};
  const rocksdb_options_t* each[] = {o, o};
  rocksdb_column_family_handle_t* cf[2];
  busy = rocksdb_open_column_families(o, "busy", 2, names, each, cf, &err);
  OK(err);
  family = cf[0];
  for (int i = 0; i < 4; i++) {
    fill(busy, 8000);
    flush_cf(busy, NULL);
  }
  began = 0;
  pthread_t t;
  pthread_create(&t, NULL, compact, how % 2 == 0 ? NULL : &family);
  while (!began) usleep(100);
  usleep(20 * 1000);
  double start = now();
  if (how == 1) rocksdb_cancel_all_background_work(busy, 1);
  if (how == 2) {
    rocksdb_disable_manual_compaction(busy);
    pthread_join(t, NULL);
    rocksdb_compact_range(busy, NULL, 0, NULL, 0); /* returns at once */
    rocksdb_enable_manual_compaction(busy);
  }
  rocksdb_column_family_handle_destroy(cf[0]);
  rocksdb_column_family_handle_destroy(cf[1]);
  rocksdb_close(busy);
  CHECK(now() - start < 2);
  if (how != 2) pthread_join(t, NULL);
  CHECK(now() - start < 2);
  busy = rocksdb_open_column_families(o, "busy", 2, names, each, cf, &err);
  OK(err);
  VALUE(busy, NULL, "absent", NULL);
  rocksdb_column_family_handle_destroy(cf[0]);
  rocksdb_column_family_handle_destroy(cf[1]);
  rocksdb_close(busy);
  rocksdb_destroy_db(o, "busy", &err);
  OK(err);
  rocksdb_options_destroy(o);
}

/* What C holds longer than the store does no harm. */
static void late_destroys(void) {
  char* err = NULL;
  rocksdb_options_t* o = fresh_options();
  rocksdb_t* db = rocksdb_open(o, "late", &err);
  OK(err);
  put_cf(db, NULL, "k", "value");
  flush_cf(db, NULL);
  rocksdb_readoptions_t* r = rocksdb_readoptions_create();
  rocksdb_column_family_handle_t* cf = rocksdb_create_column_family(db, o, "cf", &err);
  OK(err);
  rocksdb_iterator_t* it = rocksdb_create_iterator(db, r);
  rocksdb_iter_seek_to_first(it);
  rocksdb_pinnableslice_t* pinned = rocksdb_get_pinned(db, r, "k", 1, &err);
  OK(err);
  const rocksdb_snapshot_t* snapshot = rocksdb_create_snapshot(db);
  rocksdb_checkpoint_t* checkpoint = rocksdb_checkpoint_object_create(db, &err);
  OK(err);
  rocksdb_close(db);
  size_t len;
  CHECK(memcmp(rocksdb_pinnableslice_value(pinned, &len), "value", 5) == 0);
  rocksdb_checkpoint_create(checkpoint, "copy", 0, &err);
  CHECK(err != NULL);
  free(err);
  err = NULL;
  rocksdb_iter_destroy(it);
  rocksdb_pinnableslice_destroy(pinned);
  rocksdb_release_snapshot(NULL, snapshot);
  rocksdb_column_family_handle_destroy(cf);
  rocksdb_checkpoint_object_destroy(checkpoint);
  rocksdb_readoptions_destroy(r);
  rocksdb_destroy_db(o, "late", &err);
  OK(err);
  rocksdb_options_destroy(o);
}

int main(int argc, char** argv) {
  if (argc > 1) child(atoi(argv[1]));
  exits(argv[0]);
  for (int how = 0; how < 4; how++) ends_early(how);
  late_destroys();
  return 0;
}
