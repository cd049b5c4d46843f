// Makes calls of the C library fail, for processes that load it first (LD_PRELOAD): the FAULT_NTH-th call of FAULT_CALL on files below FAULT_DIR
// fails with the error number FAULT_ERRNO, or with FAULT_ERRNO=short does half of its work. At exit "fault: 1" on FAULT_REPORT, a file, when it
// came to that.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { kDescriptors = 4096 };
static atomic_uchar below[kDescriptors];  // descriptors of files below FAULT_DIR
static atomic_int calls, failed;
static const char *directory, *call_name, *how, *report;
static int nth;

__attribute__((constructor)) static void begin(void) {
  directory = getenv("FAULT_DIR");
  call_name = getenv("FAULT_CALL");
  how = getenv("FAULT_ERRNO");
  report = getenv("FAULT_REPORT");
  const char* number = getenv("FAULT_NTH");
  nth = number ? atoi(number) : 0;
}
__attribute__((destructor)) static void end(void) {
  if (!report || !failed) return;
  FILE* file = fopen(report, "w");
  if (file) {
    fputs("fault: 1\n", file);
    fclose(file);
  }
}

static int is_below(const char* path) { return directory && path && strncmp(path, directory, strlen(directory)) == 0; }
static int is_below_fd(int fd) { return fd >= 0 && fd < kDescriptors && below[fd]; }

/// Is this the call? Then errno says how it fails; 0: in part.
static int is_due(const char* name, int concerned) {
  if (!concerned || !call_name || strcmp(name, call_name) != 0 || atomic_fetch_add(&calls, 1) + 1 != nth) return 0;
  failed = 1;
  errno = strcmp(how, "short") == 0 ? 0 : atoi(how);
  return 1;
}
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int opened(int fd, const char* path) {
  if (fd >= 0 && fd < kDescriptors) below[fd] = (unsigned char)is_below(path);
  return fd;
}
int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if (is_due("open", is_below(path)) && errno) return -1;
  return opened(REAL(open)(path, flags, mode), path);
}
int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if (is_due("open", is_below(path)) && errno) return -1;
  return opened(REAL(open64)(path, flags, mode), path);
}
int close(int fd) {
  if (fd >= 0 && fd < kDescriptors) below[fd] = 0;
  return REAL(close)(fd);
}
ssize_t read(int fd, void* to, size_t count) {
  if (is_due("read", is_below_fd(fd))) {
    if (errno) return -1;
    count = (count + 1) / 2;
  }
  return REAL(read)(fd, to, count);
}
ssize_t write(int fd, const void* from, size_t count) {
  if (is_due("write", is_below_fd(fd))) {
    if (errno) return -1;
    count = (count + 1) / 2;
  }
  return REAL(write)(fd, from, count);
}
int fsync(int fd) { return is_due("fsync", is_below_fd(fd)) && errno ? -1 : REAL(fsync)(fd); }
int fstat(int fd, struct stat* status) { return is_due("fstat", is_below_fd(fd)) && errno ? -1 : REAL(fstat)(fd, status); }
int rename(const char* from, const char* to) { return is_due("rename", is_below(to)) && errno ? -1 : REAL(rename)(from, to); }
int link(const char* from, const char* to) { return is_due("link", is_below(to)) && errno ? -1 : REAL(link)(from, to); }
int unlink(const char* path) { return is_due("unlink", is_below(path)) && errno ? -1 : REAL(unlink)(path); }
int mkdir(const char* path, mode_t mode) { return is_due("mkdir", is_below(path)) && errno ? -1 : REAL(mkdir)(path, mode); }
int utimensat(int at, const char* path, const struct timespec times[2], int flags) {
  return is_due("utimensat", is_below(path)) && errno ? -1 : REAL(utimensat)(at, path, times, flags);
}
void* mmap(void* address, size_t size, int protection, int flags, int fd, off_t offset) {
  return is_due("mmap", is_below_fd(fd)) && errno ? MAP_FAILED : REAL(mmap)(address, size, protection, flags, fd, offset);
}
