package report

import (
	"cmp"
	"io"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/formats"
)

// Inspected is one record as `ctxpack inspect` has read it. With a Fault, or without a conversation in it, the other
// fields but Record are not looked at. Nothing of it is kept.
type Inspected struct {
	Record       formats.Record
	Conversation *formats.Conversation
	Tally        compress.Tally
	Pairing      formats.Pairing
	Fault        *formats.Fault
	Threshold    int // tokens at which `compact` would fire for this record; 0 when that is not known
}

// InspectOptions are the figures an inspection is made with.
type InspectOptions struct {
	Tool, Version string
	Tokenizer     Tokenizer
	Windows       []int // beside the usual ones of Windows
	Thresholds    []int // tokens; each is reported with how many conversations reach it
}

// InspectedFile is what is known of a file beside its records.
type InspectedFile struct {
	Name        string
	Bytes       int64  // as stored; 0 when unknown
	Container   string // "JSON lines", "JSON array", …
	Why         string // it was taken for that, in words
	Compression string // "gzip", "zstd"; "" for none
}

// Inspection is the outcome of `ctxpack inspect`, and its --json form.
type Inspection struct {
	SchemaVersion string           `json:"schema_version"`
	Tool          string           `json:"tool"`
	Version       string           `json:"version"`
	Tokenizer     Tokenizer        `json:"tokenizer"`
	Files         []FileInspection `json:"files"`
	Total         *FileInspection  `json:"total,omitempty"` // when there are several files
}

// FileInspection is what one file holds. Tokens speak of conversations; a record without one has none.
type FileInspection struct {
	Name        string `json:"name"`
	Bytes       int64  `json:"bytes"`
	Container   string `json:"container,omitempty"`
	Why         string `json:"why,omitempty"`
	Compression string `json:"compression,omitempty"`

	Records       int64        `json:"records"`
	Conversations int64        `json:"conversations"`
	Messages      int64        `json:"messages"`
	Tokens        int64        `json:"tokens"`
	Dialects      Counts       `json:"dialects"`   // records by dialect and marker
	RoleNames     Counts       `json:"role_names"` // messages by role name and what it means
	Roles         RoleTokens   `json:"roles"`
	Tools         ToolResults  `json:"tools"`
	Models        Counts       `json:"models"`    // conversations by the model that the record names, "" for none
	Sizes         Distribution `json:"sizes"`     // tokens per conversation
	Fits          []Share      `json:"fits"`      // tokens <= the window
	Fires         []Share      `json:"fires"`     // tokens >= the threshold
	FiresOwn      int64        `json:"fires_own"` // conversations that reach the threshold of their own record
	Problems      []Problem    `json:"problems"`  // most frequent first
}

// Share is how many conversations fit a window or reach a threshold.
type Share struct {
	Tokens        int     `json:"tokens"`
	Conversations int64   `json:"conversations"`
	Share         float64 `json:"share"` // 4 digits
}

// ToolResults is the tokens of results by tool, the largest first. Bounds are those of Tools.
type ToolResults struct {
	Distinct int          `json:"distinct"`
	Capped   bool         `json:"capped"`
	List     []ToolResult `json:"list"`
	Other    ToolResult   `json:"other"`
}

// ToolResult is the results of one tool.
type ToolResult struct {
	Name    string `json:"name"`
	Tokens  int64  `json:"tokens"`
	Results int64  `json:"results"`
}

// Problem is one kind of trouble with its first example.
type Problem struct {
	Code    string  `json:"code"` // one of the Problem constants, or the code of a fault
	Records int64   `json:"records"`
	Count   int64   `json:"count"` // how often, all records together
	Example Example `json:"example"`
}

// The problems that records can have beside faults.
const (
	ProblemOrphanResult   = "orphan_result"      // a tool result without a call: compacting removes it
	ProblemOpenCall       = "open_call"          // a call without a result, other than one in flight at the end
	ProblemMispaired      = "mispaired"          // more than half of the results have no call: compacting refuses
	ProblemUnknownRole    = "unknown_role"       // kept as it is
	ProblemUnknownPart    = "unknown_part"       // a part of an unknown type, kept as it is
	ProblemUnreadable     = "unreadable_result"  // a tool result whose block cannot be parsed: never pruned
	ProblemEmpty          = "empty_conversation" // a list without messages
	ProblemNoConversation = "no_conversation"    // the record is passed through
)

// Inspector gathers what files hold, in memory that does not depend on the number of records. One goroutine calls it:
// File, then Add for every record of that file in order, and so on for the next.
type Inspector struct {
	options InspectOptions
	files   []FileInspection
	current *inspected
	total   *inspected
}

// NewInspector makes an inspector.
func NewInspector(o InspectOptions) *Inspector {
	return &Inspector{options: o, total: newInspected(o, InspectedFile{})}
}

// File begins the next file.
func (n *Inspector) File(f InspectedFile) {
	n.finish()
	n.current = newInspected(n.options, f)
	n.total.out.Bytes += f.Bytes
}

// Add adds a record to the current file. Framing without a payload is nobody's record.
func (n *Inspector) Add(one Inspected) {
	if one.Record.FramingOnly() && one.Fault == nil {
		return
	}
	if n.current == nil {
		n.File(InspectedFile{Name: one.Record.Pos.File})
	}
	n.current.add(&one)
	n.total.add(&one)
}

func (n *Inspector) finish() {
	if n.current != nil {
		n.files = append(n.files, n.current.inspection())
		n.current = nil
	}
}

// Inspection ends the last file and gives the outcome.
func (n *Inspector) Inspection() Inspection {
	n.finish()
	out := Inspection{
		SchemaVersion: SchemaVersion, Tool: n.options.Tool, Version: n.options.Version, Tokenizer: n.options.Tokenizer,
		Files: append([]FileInspection{}, n.files...),
	}
	if len(n.files) > 1 {
		total := n.total.inspection()
		out.Total = &total
	}
	return out
}

// WriteInspectionJSON writes the inspection as data, in the style of WriteJSON.
func WriteInspectionJSON(w io.Writer, n *Inspection) error { return writeData(w, n) }

// inspected is the sums of one file.
type inspected struct {
	out       FileInspection
	sizes     Histogram
	fits      []Share
	fires     []Share
	dialects  nameCounts
	roleNames nameCounts
	models    nameCounts
	tools     toolCounts
	problems  bounded[string, Problem]
}

func newInspected(o InspectOptions, f InspectedFile) *inspected {
	n := &inspected{
		out:      FileInspection{Name: f.Name, Bytes: f.Bytes, Container: f.Container, Why: f.Why, Compression: f.Compression},
		dialects: newNameCounts(maxDistinct / 10), roleNames: newNameCounts(maxDistinct), models: newNameCounts(maxDistinct),
		tools: newToolCounts(), problems: newBounded[string, Problem](maxKinds),
	}
	for _, w := range withWindows(o.Windows) {
		n.fits = append(n.fits, Share{Tokens: w})
	}
	for _, t := range o.Thresholds {
		n.fires = append(n.fires, Share{Tokens: t})
	}
	return n
}

func (n *inspected) add(one *Inspected) {
	n.out.Records++
	c := one.Conversation
	switch {
	case one.Fault != nil:
		message := ""
		if one.Fault.Err != nil {
			message = own(one.Fault.Err.Error(), maxMessage)
		}
		n.problem(one, own(one.Fault.Code, maxName), 1, one.Fault.Column, message)
		return
	case c == nil || !c.HasMessages():
		n.problem(one, ProblemNoConversation, 1, 0, "no dialect's conversation was found in this record")
		return
	case len(c.Messages) == 0:
		n.problem(one, ProblemEmpty, 1, 0, "the list of messages is empty")
	}
	t := &one.Tally
	n.out.Conversations++
	n.out.Messages += int64(t.Messages)
	n.out.Tokens += int64(t.Tokens)
	n.out.Roles.add(rolesOf(*t))
	n.sizes.Add(int64(t.Tokens))
	for i := range n.fits {
		count(&n.fits[i].Conversations, t.Tokens <= n.fits[i].Tokens)
	}
	for i := range n.fires {
		count(&n.fires[i].Conversations, t.Tokens >= n.fires[i].Tokens)
	}
	count(&n.out.FiresOwn, one.Threshold > 0 && t.Tokens >= one.Threshold)
	addOwned(&n.dialects, c.Dialect, c.Marker)
	addOwned(&n.models, c.Model, "")
	for _, m := range c.Messages {
		addOwned(&n.roleNames, m.RoleName, m.Role.String())
	}
	for _, tool := range t.Tools {
		n.tool(tool)
	}
	n.messageProblems(one)
	n.pairProblems(one)
}

// addOwned counts a name that may be a view of the record: it is copied when it is new.
func addOwned(c *nameCounts, name, detail string) {
	key := nameDetail{name, detail}
	if v, ok := c.at[key]; ok {
		*v++
		return
	}
	c.add(own(name, maxName), own(detail, maxName), 1)
}

func (n *inspected) tool(t compress.ToolTokens) {
	v, ok := n.tools.at[t.Name]
	if !ok {
		v = n.tools.of(own(t.Name, maxName))
	}
	v.add(ToolTotal{TokensBefore: int64(t.Tokens), ResultsBefore: int64(t.Results)})
}

// problem counts a problem of a record that occurs times times in it.
func (n *inspected) problem(one *Inspected, code string, times, column int64, message string) {
	p := n.problems.of(code)
	p.Records++
	if p.Count += times; p.Records == 1 {
		at := one.Record.Pos
		p.Example = Example{at.File, at.Line, at.Index, column, message, placeOf(at)}
	}
}

// inspection is the outcome for the file.
func (n *inspected) inspection() FileInspection {
	out := n.out
	out.Dialects, out.RoleNames, out.Models = n.dialects.counts(listed), n.roleNames.counts(listed), n.models.counts(listed)
	out.Sizes = n.sizes.Distribution()
	out.Fits, out.Fires = shares(n.fits, out.Conversations), shares(n.fires, out.Conversations)
	tools := n.tools.tools(listed)
	out.Tools = ToolResults{Distinct: tools.Distinct, Capped: tools.Capped, List: []ToolResult{}, Other: toolResult(tools.Other)}
	for _, t := range tools.List {
		out.Tools.List = append(out.Tools.List, toolResult(t))
	}
	out.Problems = []Problem{}
	codes := n.problems.sorted(maxKinds, func(x string, a *Problem, y string, b *Problem) int {
		return cmp.Or(cmp.Compare(b.Records, a.Records), cmp.Compare(x, y))
	}, func(*Problem) {})
	for _, code := range codes {
		p := *n.problems.at[code]
		p.Code = code
		out.Problems = append(out.Problems, p)
	}
	return out
}

func shares(list []Share, all int64) []Share {
	out := make([]Share, len(list))
	for i, s := range list {
		s.Share = round(share(s.Conversations, all), 4)
		out[i] = s
	}
	return out
}

func toolResult(t ToolTotal) ToolResult { return ToolResult{t.Name, t.TokensBefore, t.ResultsBefore} }
