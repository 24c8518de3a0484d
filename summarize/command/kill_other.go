//go:build !unix

package command

import "os/exec"

func ownGroup(*exec.Cmd) {}

func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() } // it may be gone already
