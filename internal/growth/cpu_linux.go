package growth

import (
	"syscall"
	"time"
	"unsafe"
)

// clockThreadCPU is CLOCK_THREAD_CPUTIME_ID.
const clockThreadCPU = 3

// hasClock reports whether threadTime works on this system.
const hasClock = true

// threadTime returns the CPU time that the calling thread has used. The system call getrusage would
// need no unsafe code, but it returns the time at the last tick of the scheduler.
func threadTime() time.Duration {
	var t syscall.Timespec
	if _, _, errno := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockThreadCPU, uintptr(unsafe.Pointer(&t)), 0); errno != 0 {
		panic("growth: clock_gettime: " + errno.Error())
	}
	return time.Duration(t.Nano())
}
