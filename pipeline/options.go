package pipeline

import "runtime"

const (
	minWindow        = 256
	windowPerRequest = 32
	defaultBytes     = 256 << 20

	// weightPerByte is the share of the byte bound that a record takes for each byte: its own, its decoded form and the
	// new payload.
	weightPerByte = 4

	// Small records travel together in units of so many bytes, and at most so many: a goroutine each would cost more than
	// their work.
	unitBytes   = 16 << 10
	unitRecords = 64
)

// Options bound a run. The zero value is what a run without a model wants.
type Options struct {
	Workers int   // permits of the gate; 0: GOMAXPROCS
	Gate    *Gate // nil: a new one with Workers permits

	// Concurrency is how many calls to a model may be under way at once, which the window must feed. 0: process never
	// waits for anything but the CPU, and small records may be processed one after the other.
	Concurrency int

	Window   int   // units between reader and writer; 0: 32 for each of Concurrency, at least 256
	Bytes    int64 // raw bytes between reader and writer, each counted four times; 0: 256 MiB. A larger record passes alone
	Progress *Progress

	batch int
}

func (o Options) withDefaults() Options {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Gate == nil {
		o.Gate = NewGate(o.Workers)
	}
	if o.Window <= 0 {
		o.Window = max(minWindow, windowPerRequest*o.Concurrency)
	}
	if o.Bytes <= 0 {
		o.Bytes = defaultBytes
	}
	if o.Progress == nil {
		o.Progress = &Progress{}
	}
	if o.Concurrency <= 0 {
		o.batch = unitBytes
	}
	return o
}
