//go:build unix

package cmd

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// BenchmarkProgram runs the built program, a process each time, on generated conversations half of which are over the
// threshold, and reports its peak memory and its CPU time beside the speed. MB/s are of the conversations as JSON lines,
// in either container. It is for `make bench`, which names the program in BENCH_PROGRAM and the size of the input
// in BENCH_MB.
func BenchmarkProgram(b *testing.B) {
	program := os.Getenv("BENCH_PROGRAM")
	if program == "" {
		b.Skip("BENCH_PROGRAM names no program")
	}
	size := 64
	if text := os.Getenv("BENCH_MB"); text != "" {
		var err error
		if size, err = strconv.Atoi(text); err != nil {
			b.Fatalf("BENCH_MB: %v", err)
		}
	}
	lines, bytes := benchInput(b, int64(size)*1e6)
	parquet := strings.TrimSuffix(lines, ".jsonl") + ".parquet"
	run := func(b *testing.B, args ...string) *os.ProcessState {
		command := exec.Command(program, append(args, "--force", "-q", "--workers", "2")...)
		command.Stderr = os.Stderr
		if err := command.Run(); err != nil {
			b.Fatalf("%s: %v", command, err)
		}
		return command.ProcessState
	}
	for _, input := range []struct{ name, path string }{{"jsonl", lines}, {"parquet", parquet}} {
		b.Run(input.name, func(b *testing.B) {
			if input.path == parquet {
				run(b, "convert", lines, "-o", parquet, "--to", "openai")
			}
			peak, cpu := int64(0), 0.0
			b.SetBytes(bytes)
			for b.Loop() {
				state := run(b, "compact", input.path, "-o", input.path+".out", "--context-length", "128k")
				usage := state.SysUsage().(*syscall.Rusage)
				peak = max(peak, int64(usage.Maxrss)) //nolint:unconvert // an int32 on some machines
				cpu += (state.UserTime() + state.SystemTime()).Seconds()
			}
			if runtime.GOOS != "darwin" { // which counts in bytes, the others in units of 1024
				peak *= 1024
			}
			b.ReportMetric(float64(peak)/1e6, "MB_peak")
			b.ReportMetric(cpu/float64(b.N)/float64(bytes)*1e9, "CPU-s/GB")
		})
	}
}
