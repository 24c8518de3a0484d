package pipeline

import (
	"sync/atomic"

	"github.com/ctxpack/ctxpack/formats"
)

// Observer sees every record that carries a payload, in input order, one call at a time, once it has been written or
// rejected. An error is fatal for the run, which returns it as it is: the observer knows the record.
type Observer interface {
	Record(rec formats.Record, out Outcome) error
}

// ObserverFunc is a function as an Observer.
type ObserverFunc func(rec formats.Record, out Outcome) error

// Record calls f.
func (f ObserverFunc) Record(rec formats.Record, out Outcome) error { return f(rec, out) }

// Counts is what was done, in records that carry a payload and in bytes of the decompressed streams.
type Counts struct {
	Records  int64
	Changed  int64 // written with a new payload
	Rejected int64
	Omitted  int64 // left out because they were not asked for
	BytesIn  int64
	BytesOut int64
}

func (c *Counts) add(d Counts) {
	c.Records += d.Records
	c.Changed += d.Changed
	c.Rejected += d.Rejected
	c.Omitted += d.Omitted
	c.BytesIn += d.BytesIn
	c.BytesOut += d.BytesOut
}

// Totals is what a run has done. After an error it counts what was written before it.
type Totals struct {
	Counts
	Inputs int // that are done
}

// Progress is how far a run has come. It may be read at any time from any goroutine; the numbers only grow.
type Progress struct {
	readRecords, readBytes       atomic.Int64
	writtenRecords, writtenBytes atomic.Int64
	panics                       atomic.Int64
}

// Read is how many records and bytes have been taken from the sources.
func (p *Progress) Read() (records, bytes int64) { return p.readRecords.Load(), p.readBytes.Load() }

// Written is how many of these records and input bytes have come out at the other end.
func (p *Progress) Written() (records, bytes int64) {
	return p.writtenRecords.Load(), p.writtenBytes.Load()
}

// Panics is how many records were rejected because process panicked: each is a bug.
func (p *Progress) Panics() int64 { return p.panics.Load() }

func (p *Progress) read(rec formats.Record) {
	p.readBytes.Add(int64(rec.Size()))
	if !rec.FramingOnly() {
		p.readRecords.Add(1)
	}
}

func (p *Progress) written(rec formats.Record) {
	p.writtenBytes.Add(int64(rec.Size()))
	if !rec.FramingOnly() {
		p.writtenRecords.Add(1)
	}
}
