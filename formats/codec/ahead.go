package codec

import (
	"io"
	"sync"
)

const (
	aheadBlock  = 256 << 10
	aheadBlocks = 3 // one being filled, one waiting, one being read
)

// ahead reads a stream in a goroutine of its own, at most aheadBlocks blocks before its reader.
type ahead struct {
	full chan block
	free chan []byte
	stop chan struct{}
	once sync.Once

	cur []byte // what is left of the block being read
	own []byte // the whole of it, to be handed back
	err error
}

type block struct {
	data []byte
	err  error
}

// readAhead starts reading r. Errors other than io.EOF are passed through explain, in the goroutine that reads.
func readAhead(r io.Reader, explain func(error) error) *ahead {
	a := &ahead{
		full: make(chan block, aheadBlocks),
		free: make(chan []byte, aheadBlocks),
		stop: make(chan struct{}),
	}
	for range aheadBlocks {
		a.free <- nil // allocated when first used: a small file needs one
	}
	go a.fill(r, explain)
	return a
}

func (a *ahead) fill(r io.Reader, explain func(error) error) {
	for {
		var buf []byte
		select {
		case buf = <-a.free:
		case <-a.stop:
			return
		}
		if buf == nil {
			buf = make([]byte, aheadBlock)
		}
		n, err := readSome(r, buf)
		if err != nil && err != io.EOF {
			err = explain(err)
		}
		a.full <- block{buf[:n], err} // never blocks: there are only aheadBlocks buffers
		if err != nil {
			return
		}
	}
}

// readSome fills buf as far as r goes, without turning the end of r into io.ErrUnexpectedEOF, which here means damage.
func readSome(r io.Reader, buf []byte) (int, error) {
	n := 0
	for n < len(buf) {
		m, err := r.Read(buf[n:])
		n += m
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

func (a *ahead) Read(p []byte) (int, error) {
	for len(a.cur) == 0 {
		if a.err != nil {
			return 0, a.err
		}
		if a.own != nil {
			a.free <- a.own
			a.own = nil
		}
		b := <-a.full
		a.cur, a.own, a.err = b.data, b.data[:cap(b.data)], b.err
	}
	n := copy(p, a.cur)
	a.cur = a.cur[n:]
	return n, nil
}

func (a *ahead) Close() error {
	a.once.Do(func() { close(a.stop) })
	if a.err == nil {
		a.err = io.ErrClosedPipe
	}
	a.cur = nil
	return nil
}
