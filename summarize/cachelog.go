package summarize

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// Log is a Store in a directory of append-only files: a magic line, then for each value its length, a checksum, the key
// and the value. A record that was not written to its end (a crash, a full disk) is cut off when the file is opened.
//
// Several processes may use one directory: each appends to a file of its own, which it holds locked, and reads those of
// the others as they were when it began.
type Log struct {
	mu    sync.RWMutex
	index map[Key]place
	files []*os.File // all of them, by number
	own   *os.File
	end   int64 // of own, behind the last whole record
	bad   error // why nothing more is written

	queue  chan *write
	closed chan struct{}
}

// place is where a value stands.
type place struct {
	file   int
	offset int64
	length int
}

type write struct {
	key   Key
	value []byte
	done  chan error
}

const (
	logMagic  = "ctxpack answers 1\n"
	logFiles  = 256 // names that are tried
	logHeader = 4 + 4 + len(Key{})
	maxValue  = 64 << 20
)

// OpenLog opens the directory, which is made when it does not exist, for its owner only.
func OpenLog(dir string) (*Log, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the cache directory: %w", err)
	}
	l := &Log{index: map[Key]place{}, queue: make(chan *write, 256), closed: make(chan struct{})}
	if err := l.open(dir); err != nil {
		return nil, errors.Join(err, l.closeFiles())
	}
	go l.writer()
	return l, nil
}

// open reads the files that are there and locks one to write, or makes one.
func (l *Log) open(dir string) error {
	for i := range logFiles {
		name := filepath.Join(dir, fmt.Sprintf("answers-%d.log", i))
		_, missing := os.Stat(name)
		if missing != nil && l.own != nil {
			return nil // the files are numbered without gaps
		}
		file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return fmt.Errorf("cannot open the cache: %w", err)
		}
		l.files = append(l.files, file)
		mine := l.own == nil && lockFile(file)
		end, err := l.read(file, len(l.files)-1)
		if err != nil {
			return fmt.Errorf("cannot read the cache %s: %w", name, err)
		}
		if mine {
			if err := l.adopt(file, end); err != nil {
				return fmt.Errorf("cannot write the cache %s: %w", name, err)
			}
		}
	}
	if l.own == nil {
		return fmt.Errorf("cannot write the cache: all of %d files in %s are in use", logFiles, dir)
	}
	return nil
}

// adopt makes file the one that is written, from end on. What stands behind it was never finished.
func (l *Log) adopt(file *os.File, end int64) error {
	l.own = file
	if end == 0 {
		if err := file.Truncate(0); err != nil {
			return err
		}
		if _, err := file.WriteAt([]byte(logMagic), 0); err != nil {
			return err
		}
		l.end = int64(len(logMagic))
		return file.Sync()
	}
	l.end = end
	return file.Truncate(end)
}

// read indexes a file and says where its last whole record ends; 0 for a file without the magic line.
func (l *Log) read(file *os.File, number int) (int64, error) {
	r := &offsetReader{r: io.NewSectionReader(file, 0, 1<<62)}
	magic := make([]byte, len(logMagic))
	if err := r.full(magic); err != nil || string(magic) != logMagic {
		return 0, notEOF(err)
	}
	end := r.at
	header := make([]byte, logHeader)
	var value []byte
	for {
		if err := r.full(header); err != nil {
			return end, notEOF(err)
		}
		length := int(binary.LittleEndian.Uint32(header))
		if length > maxValue {
			return end, nil
		}
		if cap(value) < length {
			value = make([]byte, length)
		}
		if err := r.full(value[:length]); err != nil {
			return end, notEOF(err)
		}
		sum := crc32.Update(crc32.Checksum(header[8:], castagnoli()), castagnoli(), value[:length])
		if sum != binary.LittleEndian.Uint32(header[4:]) {
			return end, nil
		}
		l.index[Key(header[8:])] = place{number, end + logHeader64, length}
		end = r.at
	}
}

const logHeader64 = int64(logHeader)

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) } // the library makes it once

// notEOF is nil for the end of a file, wherever it comes.
func notEOF(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// offsetReader reads a file in large pieces and knows where it is.
type offsetReader struct {
	r      io.Reader
	at     int64
	buffer []byte
	rest   []byte
}

func (o *offsetReader) full(p []byte) error {
	for n := 0; n < len(p); {
		if len(o.rest) == 0 {
			if o.buffer == nil {
				o.buffer = make([]byte, 256<<10)
			}
			k, err := o.r.Read(o.buffer)
			if k == 0 && err != nil {
				return err
			}
			o.rest = o.buffer[:k]
		}
		k := copy(p[n:], o.rest)
		o.rest, n, o.at = o.rest[k:], n+k, o.at+int64(k)
	}
	return nil
}

// Get reads a value.
func (l *Log) Get(key Key) ([]byte, bool, error) {
	l.mu.RLock()
	at, ok := l.index[key]
	l.mu.RUnlock()
	if !ok {
		return nil, false, nil
	}
	value := make([]byte, at.length)
	if _, err := l.files[at.file].ReadAt(value, at.offset); err != nil {
		return nil, false, fmt.Errorf("cannot read the cache: %w", err)
	}
	return value, true, nil
}

// Put appends a value and waits until it is on the disk. Values that come together share one fsync.
func (l *Log) Put(key Key, value []byte) error {
	if len(value) > maxValue {
		return fmt.Errorf("an answer of %d bytes is too large for the cache", len(value))
	}
	w := &write{key, value, make(chan error, 1)}
	l.queue <- w
	return <-w.done
}

// Len is the number of values.
func (l *Log) Len() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.index)
}

// Close ends the writing and closes the files. No Put may follow or be under way.
func (l *Log) Close() error {
	close(l.queue)
	<-l.closed
	return l.closeFiles()
}

func (l *Log) closeFiles() error {
	var errs []error
	for _, f := range l.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// writer is the one goroutine that appends: whatever waits, at once.
func (l *Log) writer() {
	defer close(l.closed)
	for first := range l.queue {
		batch := []*write{first}
	gather:
		for len(batch) < cap(l.queue) {
			select {
			case w, open := <-l.queue:
				if !open {
					break gather
				}
				batch = append(batch, w)
			default:
				break gather
			}
		}
		err := l.append(batch)
		for _, w := range batch {
			w.done <- err
		}
	}
}

// append writes a batch behind the last whole record. After a failure the file is cut there again; when that fails too,
// nothing more is written.
func (l *Log) append(batch []*write) error {
	if l.bad != nil {
		return l.bad
	}
	var data []byte
	places := make([]place, len(batch))
	for i, w := range batch {
		places[i] = place{l.number(), l.end + int64(len(data)) + logHeader64, len(w.value)}
		data = binary.LittleEndian.AppendUint32(data, uint32(len(w.value)))
		sum := crc32.Update(crc32.Checksum(w.key[:], castagnoli()), castagnoli(), w.value)
		data = binary.LittleEndian.AppendUint32(data, sum)
		data = append(append(data, w.key[:]...), w.value...)
	}
	_, err := l.own.WriteAt(data, l.end)
	if err == nil {
		err = l.own.Sync()
	}
	if err != nil {
		if cut := l.own.Truncate(l.end); cut != nil {
			l.bad = fmt.Errorf("the cache can no longer be written: %w", cut)
		}
		return fmt.Errorf("cannot write the cache: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end += int64(len(data))
	for i, w := range batch {
		l.index[w.key] = places[i]
	}
	return nil
}

// number is the place of own in files.
func (l *Log) number() int {
	for i, f := range l.files {
		if f == l.own {
			return i
		}
	}
	return 0
}
