// Runs a program and records in a journal what it changes below a folder: it stops the program at each system call that
// opens, writes, renames, removes or flushes a file. On request, some of these calls fail instead.
//
//     trace JOURNAL FOLDER PERIOD SEED PROGRAM ARGUMENT...
//
// With a PERIOD above 0, each call on a file below FOLDER fails with a probability of 1/PERIOD while faults are on. The
// program switches them with the lines "faults on" and "faults off" on its standard output. A line "committed N" there
// becomes a record too.
//
// A record is a header of 32 bytes (kind u8, flag u8, two bytes of zeros, descriptor i32, number i64, lengths of path
// and data u32 each, 8 bytes of zeros), the path, and the data. Kinds:
//
//     O  opened a path as a descriptor; flag 1: created, 2: truncated      P  duplicated a descriptor as `number`
//     W  wrote data at the offset `number`                                  T  set the length to `number`
//     R  renamed a path to the path in data                                U  removed a path
//     D  made a folder                                                     S  flushed a path; flag 1: a folder
//     C  committed `number`                                                F  a call failed on request
//     X  changed a file in a way that this program does not record
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static const long CALLS[] = {
    SYS_openat, SYS_write, SYS_pwrite64, SYS_writev, SYS_pwritev, SYS_ftruncate, SYS_truncate, SYS_fallocate,
    SYS_fsync, SYS_fdatasync, SYS_renameat, SYS_renameat2, SYS_unlinkat, SYS_mkdirat, SYS_linkat, SYS_symlinkat,
    SYS_copy_file_range, SYS_sendfile, SYS_mmap, SYS_dup, SYS_dup3, SYS_fcntl, SYS_openat2,
#ifdef SYS_open
    SYS_open, SYS_creat, SYS_rename, SYS_unlink, SYS_rmdir, SYS_mkdir, SYS_link, SYS_symlink, SYS_dup2,
#endif
};
#define NUM_CALLS (sizeof CALLS / sizeof *CALLS)
#define MAX_THREADS 512

struct header {
    uint8_t kind, flag, zeros[2];
    int32_t descriptor;
    int64_t number;
    uint32_t path_length, data_length;
    uint64_t reserved;
};

// A call that was entered, with the record to write if it succeeds.
struct call {
    pid_t thread;
    int fault;
    struct header header;
    char path[4096];
    char *data;
};

static struct call calls[MAX_THREADS];
static FILE *journal;
static const char *folder;
static uint64_t period, random_state;
static int faults_are_on;

static void fail(const char *what) {
    perror(what);
    exit(125);
}

static uint64_t next_random(void) {
    uint64_t z = (random_state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static void write_record(const struct call *call) {
    const struct header *header = &call->header;
    fwrite(header, sizeof *header, 1, journal);
    fwrite(call->path, header->path_length, 1, journal);
    fwrite(call->data, header->data_length, 1, journal);
}

static size_t read_memory(pid_t thread, uint64_t address, void *to, size_t length) {
    struct iovec local = {to, length}, remote = {(void *)address, length};
    ssize_t read = process_vm_readv(thread, &local, 1, &remote, 1, 0);
    return read < 0 ? 0 : (size_t)read;
}

static void read_text(pid_t thread, uint64_t address, char *to, size_t size) {
    size_t length = 0;
    // Byte by byte, because the memory after the text may not be readable.
    while (length < size - 1 && read_memory(thread, address + length, to + length, 1) == 1 && to[length]) length++;
    to[length] = 0;
}

static void descriptor_path(pid_t thread, int descriptor, char *to, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/%d/fd/%d", thread, descriptor);
    ssize_t length = readlink(link, to, size - 1);
    to[length < 0 ? 0 : length] = 0;
}

// Reads a path argument and makes it absolute.
static void read_path(pid_t thread, int descriptor, uint64_t address, char *to, size_t size) {
    char text[4096], base[4096] = "";
    read_text(thread, address, text, sizeof text);
    if (text[0] != '/') {
        char link[64];
        snprintf(link, sizeof link, "/proc/%d/cwd", thread);
        if (descriptor != AT_FDCWD) descriptor_path(thread, descriptor, base, sizeof base);
        else if (readlink(link, base, sizeof base - 1) < 0) base[0] = 0;
    }
    if (base[0]) snprintf(to, size, "%.2000s/%.2000s", base, text);
    else snprintf(to, size, "%s", text);
}

static int is_below(const char *path) {
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static int64_t position(pid_t thread, int descriptor) {
    char path[64];
    long long offset = 0;
    snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", thread, descriptor);
    FILE *info = fopen(path, "r");
    if (info && fscanf(info, "pos: %lld", &offset) != 1) offset = 0;
    if (info) fclose(info);
    return offset;
}

// Reads the bytes of a write, from one buffer or several.
static void read_data(pid_t thread, struct call *call, uint64_t address, uint64_t count, int is_vector) {
    struct iovec one = {(void *)address, count}, parts[64], *part = &one;
    size_t part_count = 1, total = 0;
    if (is_vector) {
        part = parts;
        part_count = count < 64 ? count : 64;
        read_memory(thread, address, parts, part_count * sizeof *parts);
    }
    for (size_t at = 0; at < part_count; at++) total += part[at].iov_len;
    call->data = malloc(total + 1);
    size_t length = 0;
    for (size_t at = 0; at < part_count; at++)
        length += read_memory(thread, (uint64_t)part[at].iov_base, call->data + length, part[at].iov_len);
    call->data[length] = 0;
    call->header.data_length = length;
}

// Acts on a line that the program wrote to its standard output.
static void read_output(pid_t thread, uint64_t address, uint64_t count) {
    struct call output = {.thread = thread};
    read_data(thread, &output, address, count, 0);
    if (strstr(output.data, "faults on")) faults_are_on = 1;
    if (strstr(output.data, "faults off")) faults_are_on = 0;
    char *commit = strstr(output.data, "committed ");
    if (commit) {
        struct call record = {.header = {.kind = 'C', .number = atoll(commit + 10)}};
        write_record(&record);
    }
    free(output.data);
}

// Fills in the record of a call. Returns false if the call changes nothing below the folder.
static int enter(pid_t thread, struct call *call, long number, const uint64_t *argument) {
    struct header *header = &call->header;
    char path[4096];
    int descriptor = (int)argument[0];
    header->descriptor = descriptor;
    // The forms without a folder's descriptor become those with one.
    uint64_t shifted[6] = {(uint64_t)AT_FDCWD, argument[0], argument[1], argument[2], argument[3], argument[4]};
#ifdef SYS_open
    uint64_t of_rename[6] = {(uint64_t)AT_FDCWD, argument[0], (uint64_t)AT_FDCWD, argument[1], 0, 0};
    if (number == SYS_open) number = SYS_openat, argument = shifted;
    else if (number == SYS_rename) number = SYS_renameat, argument = of_rename;
    else if (number == SYS_unlink || number == SYS_rmdir) number = SYS_unlinkat, argument = shifted;
    else if (number == SYS_mkdir) number = SYS_mkdirat, argument = shifted;
    else if (number == SYS_link || number == SYS_symlink || number == SYS_creat) {
        read_path(thread, AT_FDCWD, argument[number == SYS_creat ? 0 : 1], call->path, sizeof call->path);
        header->kind = 'X';
        return is_below(call->path);
    } else if (number == SYS_dup2) number = SYS_dup;
#else
    (void)shifted;
#endif
    switch (number) {
    case SYS_openat: {
        read_path(thread, (int)argument[0], argument[1], call->path, sizeof call->path);
        struct stat status;
        int exists = stat(call->path, &status) == 0;
        if (exists && S_ISDIR(status.st_mode)) return 0;
        header->kind = 'O';
        header->flag = (!exists && (argument[2] & O_CREAT) ? 1 : 0) | (exists && (argument[2] & O_TRUNC) ? 2 : 0);
        return is_below(call->path);
    }
    case SYS_write: case SYS_pwrite64: case SYS_writev: case SYS_pwritev:
        if (descriptor == 1 && number == SYS_write) read_output(thread, argument[1], argument[2]);
        descriptor_path(thread, descriptor, call->path, sizeof call->path);
        if (!is_below(call->path)) return 0;
        header->kind = 'W';
        read_data(thread, call, argument[1], argument[2], number == SYS_writev || number == SYS_pwritev);
        header->number = number == SYS_pwrite64 || number == SYS_pwritev ? (int64_t)argument[3] : position(thread, descriptor);
        return 1;
    case SYS_ftruncate:
        descriptor_path(thread, descriptor, call->path, sizeof call->path);
        header->kind = 'T';
        header->number = (int64_t)argument[1];
        return is_below(call->path);
    case SYS_fsync: case SYS_fdatasync: {
        descriptor_path(thread, descriptor, call->path, sizeof call->path);
        struct stat status;
        header->kind = 'S';
        header->flag = stat(call->path, &status) == 0 && S_ISDIR(status.st_mode);
        return is_below(call->path);
    }
    case SYS_renameat: case SYS_renameat2:
        read_path(thread, (int)argument[0], argument[1], call->path, sizeof call->path);
        read_path(thread, (int)argument[2], argument[3], path, sizeof path);
        header->kind = number == SYS_renameat2 && argument[4] ? 'X' : 'R';
        call->data = strdup(path);
        header->data_length = strlen(path);
        return is_below(call->path) || is_below(path);
    case SYS_unlinkat:
        read_path(thread, (int)argument[0], argument[1], call->path, sizeof call->path);
        header->kind = 'U';
        return is_below(call->path);
    case SYS_mkdirat:
        read_path(thread, (int)argument[0], argument[1], call->path, sizeof call->path);
        header->kind = 'D';
        return is_below(call->path);
    case SYS_dup: case SYS_dup3: case SYS_fcntl:
        if (number == SYS_fcntl && argument[1] != F_DUPFD && argument[1] != F_DUPFD_CLOEXEC) return 0;
        descriptor_path(thread, descriptor, call->path, sizeof call->path);
        header->kind = 'P';
        return is_below(call->path);
    case SYS_mmap:
        // Reading is fine. Writing through a mapping would not be seen here.
        if (!(argument[3] & MAP_SHARED) || !(argument[2] & PROT_WRITE)) return 0;
        descriptor_path(thread, (int)argument[4], call->path, sizeof call->path);
        header->kind = 'X';
        return is_below(call->path);
    case SYS_truncate: case SYS_linkat: case SYS_symlinkat: case SYS_openat2:
        read_path(thread, AT_FDCWD, argument[number == SYS_truncate ? 0 : number == SYS_linkat ? 3 : 1], call->path,
                  sizeof call->path);
        header->kind = 'X';
        return is_below(call->path);
    default:
        // fallocate, copy_file_range, sendfile
        descriptor_path(thread, (int)argument[number == SYS_copy_file_range ? 2 : 0], call->path, sizeof call->path);
        header->kind = 'X';
        return is_below(call->path);
    }
}

static int error_of(char kind) {
    if (kind == 'S') return EIO;
    if (kind == 'U') return EACCES;
    return next_random() % 2 ? ENOSPC : EIO;
}

// Makes the system skip the call that the thread has entered.
static void skip(pid_t thread) {
#if defined(__x86_64__)
    struct user_regs_struct registers;
    ptrace(PTRACE_GETREGS, thread, 0, &registers);
    registers.orig_rax = (unsigned long long)-1;
    ptrace(PTRACE_SETREGS, thread, 0, &registers);
#elif defined(__aarch64__)
    int number = -1;
    struct iovec value = {&number, sizeof number};
    ptrace(PTRACE_SETREGSET, thread, NT_ARM_SYSTEM_CALL, &value);
#else
#error "this processor is not supported"
#endif
}

static void set_result(pid_t thread, long result) {
    struct user_regs_struct registers;
    struct iovec value = {&registers, sizeof registers};
    ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &value);
#if defined(__x86_64__)
    registers.rax = (unsigned long long)result;
#else
    registers.regs[0] = (unsigned long long)result;
#endif
    ptrace(PTRACE_SETREGSET, thread, NT_PRSTATUS, &value);
}

static struct call *call_of(pid_t thread) {
    struct call *unused = NULL;
    for (size_t at = 0; at < MAX_THREADS; at++) {
        if (calls[at].thread == thread) return &calls[at];
        if (calls[at].thread == 0 && !unused) unused = &calls[at];
    }
    if (!unused) fail("too many threads");
    return unused;
}

static void finish(struct call *call) {
    free(call->data);
    memset(call, 0, offsetof(struct call, path));
    call->data = NULL;
}

static void on_entry(pid_t thread) {
    struct __ptrace_syscall_info info;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) <= 0) fail("PTRACE_GET_SYSCALL_INFO");
    struct call *call = call_of(thread);
    memset(&call->header, 0, sizeof call->header);
    call->thread = thread;
    if (!enter(thread, call, (long)info.seccomp.nr, (const uint64_t *)info.seccomp.args)) {
        finish(call);
        ptrace(PTRACE_CONT, thread, 0, 0);
        return;
    }
    call->header.path_length = strlen(call->path);
    if (faults_are_on && period && call->header.kind != 'P' && next_random() % period == 0) {
        call->fault = error_of(call->header.kind);
        skip(thread);
    }
    ptrace(PTRACE_SYSCALL, thread, 0, 0);
}

static void on_exit_of_call(pid_t thread) {
    struct __ptrace_syscall_info info;
    struct call *call = call_of(thread);
    if (call->thread == thread && call->fault) {
        set_result(thread, -call->fault);
        call->header.flag = call->header.kind;
        call->header.kind = 'F';
        call->header.data_length = 0;
        write_record(call);
    } else if (call->thread == thread && ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) > 0 &&
               info.exit.rval >= 0) {
        if (call->header.kind == 'O') call->header.descriptor = (int)info.exit.rval;
        if (call->header.kind == 'P') call->header.number = info.exit.rval;
        if (call->header.kind == 'W') call->header.data_length = (uint32_t)info.exit.rval;
        write_record(call);
    }
    finish(call);
    ptrace(PTRACE_CONT, thread, 0, 0);
}

// Makes the kernel stop this process at the calls in the list, and only there.
static void install_filter(void) {
    struct sock_filter filter[2 * NUM_CALLS + 2], *end = filter;
    *end++ = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t at = 0; at < NUM_CALLS; at++) {
        *end++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)CALLS[at], 0, 1);
        *end++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
    }
    *end++ = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {(unsigned short)(end - filter), filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        fail("PR_SET_SECCOMP");
}

int main(int count, char **arguments) {
    if (count < 6) return 125;
    journal = fopen(arguments[1], "wb");
    if (!journal) fail(arguments[1]);
    folder = arguments[2];
    period = strtoull(arguments[3], NULL, 10);
    random_state = strtoull(arguments[4], NULL, 10);
    pid_t program = fork();
    if (program == 0) {
        fclose(journal);
        if (ptrace(PTRACE_TRACEME, 0, 0, 0)) fail("PTRACE_TRACEME");
        raise(SIGSTOP);
        install_filter();
        execv(arguments[5], arguments + 5);
        fail(arguments[5]);
    }
    int status;
    if (program < 0 || waitpid(program, &status, 0) < 0 || !WIFSTOPPED(status)) fail("fork");
    long options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD |
                   PTRACE_O_EXITKILL;
    if (ptrace(PTRACE_SETOPTIONS, program, 0, options)) fail("PTRACE_SETOPTIONS");
    ptrace(PTRACE_CONT, program, 0, 0);
    for (;;) {
        pid_t thread = waitpid(-1, &status, __WALL);
        if (thread < 0) fail("waitpid");
        if (!WIFSTOPPED(status)) {
            struct call *call = call_of(thread);
            finish(call);
            if (thread == program) break;
            continue;
        }
        int signal = WSTOPSIG(status), event = status >> 16;
        if (event == PTRACE_EVENT_SECCOMP) on_entry(thread);
        else if (signal == (SIGTRAP | 0x80)) on_exit_of_call(thread);
        else ptrace(PTRACE_CONT, thread, 0, event || signal == SIGSTOP ? 0 : signal);
    }
    if (fclose(journal)) fail(arguments[1]);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}
