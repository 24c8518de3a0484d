//go:build !unix

package procgroup

import "os/exec"

// Own does nothing: there are no groups to be killed here.
func Own(*exec.Cmd) {}

// Kill ends a program that was started. It may be gone already.
func Kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
