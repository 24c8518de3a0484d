package report

import (
	"cmp"
	"slices"

	"github.com/ctxpack/ctxpack/compress"
)

// Scatter is how the conversations spread over sizes before and after: a histogram in two dimensions with the cells of
// Distribution, so of a fixed size however many conversations there are.
type Scatter struct {
	Cells []Cell `json:"cells"` // by before, after, then report order of the statuses; without empty ones
	Other int64  `json:"other"` // conversations in cells beyond the first 4,000
}

// Cell is how many conversations of a status had [Before, BeforeTo) tokens and have [After, AfterTo).
type Cell struct {
	Before   int64           `json:"before"`
	BeforeTo int64           `json:"before_to"`
	After    int64           `json:"after"`
	AfterTo  int64           `json:"after_to"`
	Status   compress.Status `json:"status"`
	Count    int64           `json:"count"`
}

// maxCells bounds the cells that are counted one by one; ordinary runs have some hundreds.
const maxCells = 4000

type cellKey struct {
	before, after int64
	status        compress.Status
}

type scatter struct {
	bounded[cellKey, int64]
}

func newScatter() scatter { return scatter{newBounded[cellKey, int64](maxCells)} }

func (s *scatter) add(row *Row) {
	before, _ := shownBucket(max(row.TokensBefore, 0))
	after, _ := shownBucket(max(row.TokensAfter, 0))
	*s.of(cellKey{before, after, row.Status})++
}

// cells gives the cells in their order.
func (s *scatter) cells() Scatter {
	out := Scatter{Cells: []Cell{}, Other: s.other}
	for key, n := range s.at {
		c := Cell{Before: key.before, After: key.after, Status: key.status, Count: *n}
		_, c.BeforeTo = shownBucket(c.Before)
		_, c.AfterTo = shownBucket(c.After)
		out.Cells = append(out.Cells, c)
	}
	slices.SortFunc(out.Cells, func(a, b Cell) int {
		return cmp.Or(cmp.Compare(a.Before, b.Before), cmp.Compare(a.After, b.After), cmp.Compare(statusOrder(a.Status), statusOrder(b.Status)))
	})
	return out
}

func statusOrder(s compress.Status) int { return slices.Index(compress.Statuses(), s) }
