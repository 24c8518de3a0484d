package codec

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

const (
	inputBuffer = 64 << 10

	// maxZstdWindow is what the zstd command line accepts without --long=31 (--ultra frames use 128 MiB): a frame that asks for
	// more memory is refused rather than obeyed.
	maxZstdWindow = 128 << 20
)

// foreign lists compressions and archives that are recognised in order to be refused with a useful hint.
var foreign = []struct {
	magic, name, command string
}{
	{"BZh", "bzip2", "bzip2 -dc FILE | ctxpack compact - -o OUT"},
	{"\xfd7zXZ\x00", "xz", "xz -dc FILE | ctxpack compact - -o OUT"},
	{"\x04\x22\x4d\x18", "lz4", "lz4 -dc FILE | ctxpack compact - -o OUT"},
	{"PK\x03\x04", "zip", "unzip -p FILE | ctxpack compact - -o OUT"},
	{"7z\xbc\xaf\x27\x1c", "7z", "7z x -so FILE | ctxpack compact - -o OUT"},
}

// NewReader tells the compression of r from its first bytes and returns the decompressed stream. Concatenated gzip
// members and zstd frames are one stream. Anything that is not compressed (also an empty input) is Plain and comes
// through as it is.
//
// A stream that is cut off or damaged makes Read return an *Error; the bytes before the damage are delivered first.
// A compression that is known but not supported is an *Error at once. Close stops the goroutine that decompresses
// ahead, does not wait for a Read of r that blocks, and does not close r. Read and Close are for one caller.
func NewReader(r io.Reader) (io.ReadCloser, Kind, error) {
	src := &counted{r: r}
	br := bufio.NewReaderSize(src, inputBuffer)
	head, err := br.Peek(6)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, Plain, err
	}
	for _, f := range foreign {
		if bytes.HasPrefix(head, []byte(f.magic)) {
			return nil, Plain, &Error{Kind: Kind(f.name), Err: errUnsupported, next: f.command}
		}
	}
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		rc, err := newGzipReader(br, src)
		return rc, Gzip, err
	case isZstd(head):
		rc, err := newZstdReader(br, src)
		return rc, Zstd, err
	default:
		return io.NopCloser(br), Plain, nil
	}
}

// isZstd knows the magic number of a frame and those of skippable frames, with which parallel writers begin
// (RFC 8878, sections 3.1.1 and 3.1.2).
func isZstd(head []byte) bool {
	if len(head) < 4 {
		return false
	}
	return bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}) ||
		(head[0]&0xf0 == 0x50 && head[1] == 0x2a && head[2] == 0x4d && head[3] == 0x18)
}

func newGzipReader(br *bufio.Reader, src *counted) (io.ReadCloser, error) {
	fail := func(err error) error { return src.explain(Gzip, err, int64(br.Buffered())) }
	zr, err := gzip.NewReader(br)
	if err == io.EOF { // the magic bytes were there
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, fail(err)
	}
	return readAhead(zr, fail), nil
}

// newZstdReader relies on the decoder's own goroutines, which read and decode ahead by themselves.
func newZstdReader(br *bufio.Reader, src *counted) (io.ReadCloser, error) {
	zr, err := zstd.NewReader(br, zstd.WithDecoderMaxWindow(maxZstdWindow), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, src.explain(Zstd, err, 0)
	}
	return &zstdReader{dec: zr, src: src}, nil
}

type zstdReader struct {
	dec *zstd.Decoder
	src *counted
}

func (z *zstdReader) Read(p []byte) (int, error) {
	n, err := z.dec.Read(p)
	if err != nil && err != io.EOF {
		err = z.src.explain(Zstd, err, 0)
	}
	return n, err
}

func (z *zstdReader) Close() error {
	z.dec.Close()
	return nil
}

// counted counts what was read of a compressed stream and remembers why reading failed, so that a failing disk is not
// reported as a damaged stream.
type counted struct {
	r      io.Reader
	n      atomic.Int64
	failed atomic.Pointer[error]
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	if err != nil && err != io.EOF {
		c.failed.Store(&err)
	}
	return n, err
}

// explain turns a decompressor's error into an *Error, unless the input itself could not be read. buffered is the
// number of bytes that were read but not looked at.
func (c *counted) explain(kind Kind, err error, buffered int64) error {
	if failed := c.failed.Load(); failed != nil {
		return *failed
	}
	return &Error{Kind: kind, Offset: c.n.Load() - buffered, Err: err}
}

// errUnsupported is the cause for a compression that is recognised but cannot be read.
var errUnsupported = errors.New("this compression is not supported")

// Error says that a compressed stream cannot be read (further).
type Error struct {
	Kind   Kind
	Offset int64 // bytes of the compressed stream read so far: the damage lies here or a little before
	Err    error // the decompressor's own error

	next string
}

func (e *Error) Error() string {
	switch {
	case errors.Is(e.Err, errUnsupported):
		return fmt.Sprintf("%s: %v", e.Kind, e.Err)
	case e.Truncated():
		return fmt.Sprintf("%s stream is cut off after %d compressed bytes", e.Kind, e.Offset)
	case errors.Is(e.Err, zstd.ErrWindowSizeExceeded), errors.Is(e.Err, zstd.ErrDecoderSizeExceeded):
		return fmt.Sprintf("%s stream asks for a window of more than %d MiB", e.Kind, maxZstdWindow>>20)
	default:
		return fmt.Sprintf("%s stream is damaged near compressed byte %d: %v", e.Kind, e.Offset, e.Err)
	}
}

// Unwrap gives the decompressor's own error.
func (e *Error) Unwrap() error { return e.Err }

// Truncated says that the stream simply ends too early.
func (e *Error) Truncated() bool { return errors.Is(e.Err, io.ErrUnexpectedEOF) }

// Hint is the user's next step.
func (e *Error) Hint() string {
	switch {
	case e.next != "":
		return "decompress it first: " + e.next
	case errors.Is(e.Err, zstd.ErrWindowSizeExceeded), errors.Is(e.Err, zstd.ErrDecoderSizeExceeded):
		return "compress it again without --long: zstd -dc --long=31 FILE | zstd -o NEW.zst"
	case e.Truncated():
		return fmt.Sprintf("the file is probably an incomplete copy or still being written; check it with: %s -t FILE", e.Kind)
	default:
		return fmt.Sprintf("check the file with: %s -t FILE", e.Kind)
	}
}
