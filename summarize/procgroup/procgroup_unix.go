//go:build unix

package procgroup

import (
	"os/exec"
	"syscall"
)

// Own makes the program, which has not been started yet, and what it starts a group of their own.
func Own(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Kill ends the group of a program that was started. It may be gone already.
func Kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
