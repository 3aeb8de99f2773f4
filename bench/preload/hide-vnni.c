// Preload that hides AVX-512, VNNI and AMX from a program, to measure it as on a processor without them.
//
//   cc -O2 -shared -fPIC -o hide-vnni.so bench/preload/hide-vnni.c && LD_PRELOAD=$PWD/hide-vnni.so npm run bench -- --only engine
//
// Makes the CPUID instruction raise a signal, whose handler returns CPUID's values with the bits of these extensions
// cleared. Requires Linux and a processor with cpuid_fault in /proc/cpuinfo.
#define _GNU_SOURCE
#include <cpuid.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { kArchSetCpuid = 0x1012 };

// Bits to hide in CPUID leaf 7, subleaf 0: AVX-512 extensions in EBX, ECX and EDX, AMX in EDX.
static const uint32_t kHiddenB = 1u << 16 | 1u << 17 | 1u << 21 | 1u << 26 | 1u << 27 | 1u << 28 | 1u << 30 | 1u << 31;
static const uint32_t kHiddenC = 1u << 1 | 1u << 6 | 1u << 11 | 1u << 12 | 1u << 14;
static const uint32_t kHiddenD = 1u << 2 | 1u << 3 | 1u << 8 | 1u << 22 | 1u << 23 | 1u << 24 | 1u << 25;
// Bits to hide in CPUID leaf 7, subleaf 1: AVX-VNNI, AVX512-BF16, AMX-FP16 and AVX-IFMA in EAX, AVX-VNNI-INT8 and similar in EDX.
static const uint32_t kHiddenA1 = 1u << 4 | 1u << 5 | 1u << 21 | 1u << 23;
static const uint32_t kHiddenD1 = 1u << 4 | 1u << 5 | 1u << 10 | 1u << 19;

static void let_cpuid(unsigned long is_let) { syscall(SYS_arch_prctl, kArchSetCpuid, is_let); }

static void answer(int number, siginfo_t *info, void *context) {
  (void)info;
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  const uint8_t *code = (const uint8_t *)registers[REG_RIP];
  if (code[0] != 0x0f || code[1] != 0xa2) {  // the program's own invalid access
    signal(number, SIG_DFL);
    return;
  }
  uint32_t a, b, c, d;
  const uint32_t leaf = (uint32_t)registers[REG_RAX], part = (uint32_t)registers[REG_RCX];
  let_cpuid(1);
  __cpuid_count(leaf, part, a, b, c, d);
  let_cpuid(0);
  if (leaf == 7 && part == 0) b &= ~kHiddenB, c &= ~kHiddenC, d &= ~kHiddenD;
  if (leaf == 7 && part == 1) a &= ~kHiddenA1, d &= ~kHiddenD1;
  registers[REG_RAX] = a, registers[REG_RBX] = b, registers[REG_RCX] = c, registers[REG_RDX] = d;
  registers[REG_RIP] += 2;
}

typedef int (*SetAction)(int, const struct sigaction *, struct sigaction *);

static int set_action(int number, const struct sigaction *action, struct sigaction *before) {
  return ((SetAction)dlsym(RTLD_NEXT, "sigaction"))(number, action, before);
}

// Node resets all signal handlers when it starts. This wrapper keeps the handler of this file.
int sigaction(int number, const struct sigaction *action, struct sigaction *before) {
  return set_action(number, number == SIGSEGV ? NULL : action, before);
}

__attribute__((constructor)) static void hide(void) {
  struct sigaction action = {0};
  action.sa_sigaction = answer;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  set_action(SIGSEGV, &action, NULL);
  if (syscall(SYS_arch_prctl, kArchSetCpuid, 0UL) == 0) return;
  fputs("hide-vnni: this processor can't intercept CPUID (no cpuid_fault in /proc/cpuinfo)\n", stderr);
  _exit(1);
}
