// Package codec is the compression around a container: plain, gzip or zstd, told by the first bytes when reading and by
// the file name's ending when writing.
//
// Both directions work in goroutines of their own, a bounded number of blocks ahead, so that neither the reader nor the
// writer of a pipeline spends its time in a compressor.
package codec

import (
	"path/filepath"
	"strings"
)

// Kind names a compression.
type Kind string

// The kinds that can be read and written.
const (
	Plain Kind = "plain"
	Gzip  Kind = "gzip"
	Zstd  Kind = "zstd"
)

// extensions lists the endings that name a compression; the first one of a kind is the one to write.
var extensions = []struct {
	ext  string
	kind Kind
}{
	{".gz", Gzip},
	{".gzip", Gzip},
	{".zst", Zstd},
	{".zstd", Zstd},
}

// KindByName tells the compression from a path's ending, whatever its case; Plain when no ending names one.
func KindByName(path string) Kind {
	kind, _ := split(path)
	return kind
}

// TrimExtension cuts the ending that names a compression: "runs.jsonl.gz" becomes "runs.jsonl". Other paths come back
// as they are.
func TrimExtension(path string) string {
	_, trimmed := split(path)
	return trimmed
}

func split(path string) (Kind, string) {
	ext := filepath.Ext(path)
	for _, e := range extensions {
		if strings.EqualFold(ext, e.ext) {
			return e.kind, path[:len(path)-len(ext)]
		}
	}
	return Plain, path
}

// Extension is the usual ending of the kind: ".gz", ".zst", or "" for Plain.
func (k Kind) Extension() string {
	for _, e := range extensions {
		if e.kind == k {
			return e.ext
		}
	}
	return ""
}
