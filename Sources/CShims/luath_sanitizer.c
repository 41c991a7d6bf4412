// Shows the thread sanitizer what Swift's Mutex orders.
//
// The lock of an uncontended Mutex is compiled into its caller, and the sanitizer sees it. A contended one is taken and
// given up in libswiftSynchronization, which is not instrumented, so that everything it protects looks like a race.
// These functions stand in for the library's and report its order.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

typedef SWIFT void lock_function(uint32_t thread, SELF void *mutex);
typedef SWIFT void unlock_function(SELF void *mutex);

SWIFT void lock_mutex(uint32_t thread, SELF void *mutex) __asm__(
  "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
SWIFT void unlock_mutex(SELF void *mutex) __asm__(
  "$s15Synchronization12_MutexHandleV11_unlockSlowyyF");

SWIFT void lock_mutex(uint32_t thread, SELF void *mutex) {
  lock_function *lock = (lock_function *)dlsym(
    RTLD_NEXT, "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
  lock(thread, mutex);
  __tsan_acquire(mutex);
}

SWIFT void unlock_mutex(SELF void *mutex) {
  unlock_function *unlock = (unlock_function *)dlsym(
    RTLD_NEXT, "$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
  __tsan_release(mutex);
  unlock(mutex);
}

#endif
#endif
