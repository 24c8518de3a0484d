// Command ctxpack compacts transcripts of LLM agents: see `ctxpack --help`.
package main

import (
	"context"
	"os"

	"github.com/ctxpack/ctxpack/cmd"
)

func main() {
	os.Exit(cmd.Main(cmd.WithSignals(context.Background()), os.Args[1:], cmd.OSStreams()))
}
