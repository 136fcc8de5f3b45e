// SPDX-License-Identifier: Apache-2.0
// Functions of glibc that Debian's libc++abi.a and libgcc_eh.a call and musl lacks. tools/check_ports.sh links them, so
// that a program of Tenon runs on musl without another C++ library.
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct dl_find_object;
struct destructor {
  void (*call)(void*);
  void* object;
  struct destructor* next;
};

static pthread_key_t key;
static pthread_once_t key_made = PTHREAD_ONCE_INIT;

static void run_all(void* first) {
  for (struct destructor* d = first; d != NULL;) {
    struct destructor* const next = d->next;
    d->call(d->object);
    free(d);
    d = next;
  }
}
static void run_all_of_main(void) {
  void* const first = pthread_getspecific(key);
  pthread_setspecific(key, NULL);
  run_all(first);
}
static void make_key(void) {
  pthread_key_create(&key, &run_all);
  atexit(&run_all_of_main);
}

// Destructors of thread_local objects, the last first.
int __cxa_thread_atexit_impl(void (*call)(void*), void* object, void* library) {
  (void)library;
  pthread_once(&key_made, &make_key);
  struct destructor* const d = malloc(sizeof *d);
  if (d == NULL) return -1;
  *d = (struct destructor){call, object, pthread_getspecific(key)};
  return pthread_setspecific(key, d);
}
// "Not found": the unwinder then asks dl_iterate_phdr, which musl has.
int _dl_find_object(void* address, struct dl_find_object* result) {
  (void)address;
  (void)result;
  return -1;
}
int __vfprintf_chk(FILE* file, int flag, const char* format, va_list arguments) {
  (void)flag;
  return vfprintf(file, format, arguments);
}
