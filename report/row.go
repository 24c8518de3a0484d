package report

import (
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ctxpack/ctxpack/compress"
	"github.com/ctxpack/ctxpack/formats"
)

// Longest texts that a row keeps, in bytes. Transcripts are hostile: an id may have megabytes.
const (
	maxName    = 200
	maxMessage = 500
)

// Row is the facts of one record: what the builder adds up, and one line of `--report rows.jsonl`. Its strings are its
// own; it does not keep the record alive.
type Row struct {
	File   string `json:"file"`
	Line   int64  `json:"line,omitempty"` // 1-based; 0 where lines mean nothing
	Index  int64  `json:"index"`          // 0-based
	Column int64  `json:"column,omitempty"`
	Place  string `json:"place,omitempty"` // "file[row].column" where a row of a table holds several records
	ID     string `json:"id,omitempty"`

	Status        compress.Status `json:"status"`
	OverLimit     bool            `json:"over_limit,omitempty"`
	Stage         formats.Stage   `json:"stage,omitempty"` // rejected, failed
	Code          string          `json:"code,omitempty"`
	Reason        string          `json:"reason,omitempty"`
	HeadShortened bool            `json:"head_shortened,omitempty"`

	NoConversation bool   `json:"no_conversation,omitempty"`
	Dialect        string `json:"dialect,omitempty"`
	Marker         string `json:"marker,omitempty"`

	Model         string `json:"model,omitempty"` // whose context length it is; the command may name another than the record does
	ContextLength int    `json:"context_length,omitempty"`
	ContextSource string `json:"context_source,omitempty"` // the command sets it
	Threshold     int    `json:"threshold,omitempty"`

	TokensBefore   int64         `json:"tokens_before"`
	TokensAfter    int64         `json:"tokens_after"`
	MessagesBefore int64         `json:"messages_before"`
	MessagesAfter  int64         `json:"messages_after"`
	RolesBefore    RoleTokens    `json:"roles_before"`
	RolesAfter     RoleTokens    `json:"roles_after"`
	Tools          []ToolTotal   `json:"tools,omitempty"`
	Actions        []ActionTotal `json:"actions,omitempty"`
	Summary        *RowSummary   `json:"summary,omitempty"`
	UnknownRoles   []Count       `json:"unknown_roles,omitempty"`
	Adapted        bool          `json:"adapted,omitempty"` // changed so that --target takes it; the command sets it
	Refused        string        `json:"refused,omitempty"` // why --target refuses what leaves, in its words; the command sets it

	// Elapsed is how long the record took; the command sets it. It is no part of the line: rows are the same in every run.
	Elapsed time.Duration `json:"-"`
	// Texts is where the side-by-side view of the record comes from; the command sets it.
	Texts Texts `json:"-"`
}

// RowSummary is what the row says of a summary.
type RowSummary struct {
	From             int      `json:"from"` // numbers of the messages it covers
	To               int      `json:"to"`
	Tokens           int      `json:"tokens"`
	Budget           int      `json:"budget"`
	Source           int      `json:"source_tokens"`
	Model            string   `json:"model,omitempty"`
	Calls            int      `json:"calls"`
	Retries          int      `json:"retries"`
	Cached           bool     `json:"cached"`
	Level            int      `json:"level"`
	PromptTokens     int      `json:"prompt_tokens"`
	CompletionTokens int      `json:"completion_tokens"`
	CacheReadTokens  int      `json:"cache_read_tokens"`
	Warnings         []string `json:"warnings,omitempty"`
}

// NewRow gathers the facts of a record that an engine has seen. conv is the conversation that was given to it; nothing
// of rec or conv is kept. Context source, elapsed time and a model named for the whole run are the caller's to set. A
// caller that rejects a record although there is a result sets Status to compress.Rejected; its tokens then count
// nowhere.
func NewRow(rec formats.Record, conv *formats.Conversation, res compress.Result) Row {
	row := Row{
		File: rec.Pos.File, Line: rec.Pos.Line, Index: rec.Pos.Index,
		Status: res.Status, OverLimit: res.OverLimit, HeadShortened: res.HeadShortened,
		Code: own(res.Code, maxName), Reason: own(res.Reason, maxMessage),
		ContextLength: res.Budget.ContextLength, Threshold: res.Budget.Threshold,
	}
	row.Place = placeOf(rec.Pos)
	if res.Status == compress.Failed {
		row.Stage = formats.StageEngine
	}
	if conv != nil {
		row.ID, row.Model = own(conv.ID, maxName), own(conv.Model, maxName)
		row.Dialect, row.Marker = own(conv.Dialect, maxName), own(conv.Marker, maxName)
		row.UnknownRoles = unknownRoles(conv.Messages)
		if !conv.HasMessages() {
			row.NoConversation = true
			return row
		}
	}
	row.TokensBefore, row.TokensAfter = int64(res.Before.Tokens), int64(res.After.Tokens)
	row.MessagesBefore, row.MessagesAfter = int64(res.Before.Messages), int64(res.After.Messages)
	row.RolesBefore, row.RolesAfter = rolesOf(res.Before), rolesOf(res.After)
	row.Tools = mergeTools(res.Before.Tools, res.After.Tools)
	row.Actions = sumActions(res.Actions)
	row.Summary = newRowSummary(res.Summary)
	return row
}

// RejectRow is the row of a record that never reached an engine.
func RejectRow(fault *formats.Fault) Row {
	reason := ""
	if fault.Err != nil {
		reason = own(fault.Err.Error(), maxMessage)
	}
	return Row{
		File: fault.Pos.File, Line: fault.Pos.Line, Index: fault.Pos.Index, Column: fault.Column, Place: placeOf(fault.Pos),
		Status: compress.Rejected, Stage: fault.Stage, Code: own(fault.Code, maxName), Reason: reason,
	}
}

// placeOf is the address of a record that shares its row with others; "" for any other.
func placeOf(pos formats.Position) string {
	if pos.Column == "" {
		return ""
	}
	return own(pos.String(), maxMessage)
}

// AppendRow appends the row as one line of JSON, line end included.
func AppendRow(dst []byte, row Row) ([]byte, error) {
	line, err := json.Marshal(row)
	if err != nil {
		return dst, err
	}
	return append(append(dst, line...), '\n'), nil
}

// worst is the row's short form.
func (r *Row) worst() WorstRow {
	return WorstRow{
		File: r.File, Line: r.Line, Index: r.Index, ID: r.ID, Status: r.Status, OverLimit: r.OverLimit,
		TokensBefore: r.TokensBefore, TokensAfter: r.TokensAfter,
		MessagesBefore: r.MessagesBefore, MessagesAfter: r.MessagesAfter, Place: r.Place,
	}
}

// own copies a text, cut to limit bytes on a rune boundary.
func own(text string, limit int) string {
	if len(text) <= limit {
		return strings.Clone(text)
	}
	const ellipsis = "…"
	cut := limit - len(ellipsis)
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + ellipsis
}

func rolesOf(t compress.Tally) RoleTokens {
	role := func(r formats.Role) int64 { return int64(t.Role[r]) }
	return RoleTokens{
		System: role(formats.RoleSystem), User: role(formats.RoleUser), Assistant: role(formats.RoleAssistant),
		Tool: role(formats.RoleTool), Other: role(formats.RoleOther), Definitions: int64(t.Schema),
	}
}

// mergeTools joins two tallies by tool name, in the order of the first.
func mergeTools(before, after []compress.ToolTokens) []ToolTotal {
	if len(before)+len(after) == 0 {
		return nil
	}
	list := make([]ToolTotal, 0, max(len(before), len(after)))
	at := make(map[string]int, len(before))
	entry := func(name string) *ToolTotal {
		k, ok := at[name]
		if !ok {
			k = len(list)
			at[name] = k
			list = append(list, ToolTotal{Name: own(name, maxName)})
		}
		return &list[k]
	}
	for _, t := range before {
		e := entry(t.Name)
		e.TokensBefore, e.ResultsBefore = e.TokensBefore+int64(t.Tokens), e.ResultsBefore+int64(t.Results)
	}
	for _, t := range after {
		e := entry(t.Name)
		e.TokensAfter, e.ResultsAfter = e.TokensAfter+int64(t.Tokens), e.ResultsAfter+int64(t.Results)
	}
	return list
}

// sumActions adds actions up by kind, in order of first occurrence.
func sumActions(actions []compress.Action) []ActionTotal {
	var list []ActionTotal
next:
	for _, a := range actions {
		for i := range list {
			if list[i].Kind == a.Kind {
				list[i].Count++
				list[i].Saved += int64(a.Saved)
				continue next
			}
		}
		list = append(list, ActionTotal{compress.ActionKind(own(string(a.Kind), maxName)), 1, int64(a.Saved)})
	}
	return list
}

func newRowSummary(info *compress.SummaryInfo) *RowSummary {
	if info == nil {
		return nil
	}
	p := info.Prose
	s := &RowSummary{
		From: info.From, To: info.To, Tokens: info.Tokens, Budget: info.Budget, Source: info.Source,
		Model: own(p.Model, maxName), Calls: p.Calls, Retries: p.Retries, Cached: p.Cached, Level: p.Level,
		PromptTokens: p.Tokens.Prompt, CompletionTokens: p.Tokens.Completion, CacheReadTokens: p.Tokens.CacheRead,
	}
	for _, w := range p.Warnings {
		s.Warnings = append(s.Warnings, own(w, maxMessage))
	}
	return s
}

// unknownRoles counts the messages whose role name is not known, by name, in order of first occurrence.
func unknownRoles(messages []*formats.Message) []Count {
	var list []Count
	var at map[string]int
	for _, m := range messages {
		if m.Role != formats.RoleOther {
			continue
		}
		k, ok := at[m.RoleName]
		if !ok {
			if at == nil {
				at = map[string]int{}
			}
			k = len(list)
			at[m.RoleName] = k
			list = append(list, Count{Name: own(m.RoleName, maxName)})
		}
		list[k].Count++
	}
	return list
}
