//go:build unix

package command

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the program and what it starts a group of their own, to be killed together.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // it may be gone already
