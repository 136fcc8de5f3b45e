// SPDX-License-Identifier: Apache-2.0
#pragma once
// Differences between systems, for the headers below the floor `io`: POSIX threads, processes, aligned memory.
// io/file_system.hpp has the differences between file systems. docs/reference/platforms.md lists the tested systems.
//
// TENON_FORCE_STD, a macro of the user's build, chooses the standard library's mutexes, condition variables, threads
// and clocks on every system. The standard library's are used anyway where the system has none that fit: on Windows,
// and locks where the C library is musl or older than glibc 2.30. Define it for all files of a binary, or for none: it
// is in the ABI tag (base/config.hpp).

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <tenon/base/config.hpp>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>
#define TENON_DETAIL_POSIX 1
#else
#include <malloc.h>
#include <process.h>
#define TENON_DETAIL_POSIX 0
#endif
#if defined(__linux__)
#include <sys/syscall.h>
#endif

// TENON_DETAIL_PTHREADS: threads and clocks come from POSIX. TENON_DETAIL_PTHREAD_LOCKS: locks, too; they need
// pthread_cond_clockwait, and constant initialisers. TENON_DETAIL_SINGLE_THREADED_FLAG: __libc_single_threaded is
// there.
#if TENON_DETAIL_POSIX && !defined(TENON_FORCE_STD)
#define TENON_DETAIL_PTHREADS 1
#else
#define TENON_DETAIL_PTHREADS 0
#endif
#if TENON_DETAIL_PTHREADS && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 30)
#define TENON_DETAIL_PTHREAD_LOCKS 1
#endif
#endif
#if !defined(TENON_DETAIL_PTHREAD_LOCKS)
#define TENON_DETAIL_PTHREAD_LOCKS 0
#endif
#if __has_include(<sys/single_threaded.h>) && !defined(TENON_FORCE_STD)
#include <sys/single_threaded.h>
#define TENON_DETAIL_SINGLE_THREADED_FLAG 1
#else
#define TENON_DETAIL_SINGLE_THREADED_FLAG 0
#endif

#if defined(_WIN32)
// Declared here: <windows.h> defines hundreds of macros.
extern "C" __declspec(dllimport) void __stdcall Sleep(unsigned long milliseconds);
#endif

TENON_DETAIL_NAMESPACE_BEGIN
namespace detail {

// The number of this process in the system.
inline std::int64_t ProcessId() {
#if TENON_DETAIL_POSIX
  return ::getpid();
#else
  return ::_getpid();
#endif
}

#if defined(__linux__)
// The number of the calling thread in the system. glibc before 2.30 has no gettid().
inline pid_t ThreadId() { return static_cast<pid_t>(::syscall(SYS_gettid)); }
#endif

// Lets other threads run.
inline void YieldThread() {
#if TENON_DETAIL_POSIX
  ::sched_yield();
#else
  ::Sleep(0);
#endif
}
// Sleeps for so long; for at least a millisecond on Windows.
inline void NapThread(long nanoseconds) {
#if TENON_DETAIL_POSIX
  const timespec nap{0, nanoseconds};
  ::nanosleep(&nap, nullptr);
#else
  ::Sleep(static_cast<unsigned long>(nanoseconds / 1'000'000 + 1));
#endif
}

// Memory whose address is a multiple of `alignment`, a power of two that divides `bytes`; null: there is none.
// FreeAligned gives it back; on Windows std::free does not.
inline void* AllocateAligned(std::size_t alignment, std::size_t bytes) {
#if TENON_DETAIL_POSIX
  return std::aligned_alloc(alignment, bytes);
#else
  return ::_aligned_malloc(bytes, alignment);
#endif
}
inline void FreeAligned(void* memory) {
#if TENON_DETAIL_POSIX
  std::free(memory);
#else
  ::_aligned_free(memory);
#endif
}

}  // namespace detail
TENON_DETAIL_NAMESPACE_END
