//go:build unix

package summarize

import (
	"os"
	"syscall"
)

// lockFile takes the file for this process, until it is closed or the process ends, however it ends. It says false when
// another process has it.
func lockFile(file *os.File) bool {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
