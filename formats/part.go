package formats

// Part is one piece of a message's content: *Text, *Reasoning, *ToolCall, *ToolResult, *Media or *Opaque. The set is
// closed. Values are what a model reads; where they stand in the record is the part's own business (place).
type Part interface{ part() }

// Text is what is said: a message's content, one text part of it, a refusal.
type Text struct {
	Text string
	place
}

// Reasoning is the model's thinking. It is never edited.
type Reasoning struct{ Text string }

// ToolCall is one call of a tool by the assistant.
type ToolCall struct {
	ID        string // "" where the format has none: paired by position
	Name      string
	Arguments string // JSON text as the model wrote it
	old       bool   // spelled function_call: answered by a message of role function
	custom    bool   // spelled custom_tool_call: its input is free text
	Implicit  bool   // no call is spelled out; the next tool turn answers this message (text-only trajectories)
	place
}

// ToolResult is what a tool answered.
type ToolResult struct {
	CallID  string // "" where the format has none
	Name    string // the tool's name where the result carries it
	Text    string // text content: a string, text parts joined by line ends, or the JSON text of an object; "" for null
	Media   int    // images and the like inside the result
	IsError bool   // the format says that the call failed
	Fixed   bool   // the content cannot be replaced without losing its wrapper (a block that cannot be parsed)
	turn    bool   // the whole of a text-only tool turn: it answers every call of the turn before it that nothing else answers
	place
}

// Media is an image, audio or file: counted as a flat number of tokens, never by its bytes.
type Media struct{ Type string }

// Opaque is anything unknown: kept as it is, counted by its JSON text.
type Opaque struct{ JSON string }

func (*Text) part()       {}
func (*Reasoning) part()  {}
func (*ToolCall) part()   {}
func (*ToolResult) part() {}
func (*Media) part()      {}
func (*Opaque) part()     {}

// place is where a part's editable value stands in its message: the JSON value at span or, when within is set, the
// range [lo, hi) of the text that the string literal at span decodes to (a block inside a Hermes turn).
type place struct {
	span   Span // empty: nowhere, the part cannot be edited
	within bool
	lo, hi int
	form   form
	block  Span // within: the range of the whole block, wrapper included; otherwise the span of the whole list element
	whole  int  // within a block: the length of the text that the literal decodes to
	edit   int  // 1-based index of the edit that waits for this place; 0 for none
}

// form says how a new text is spelled at a place.
type form uint8

const (
	formString form = iota // a JSON string
	formParts              // a list of one text part
	formJSON               // JSON text as it is (arguments given as an object)
	formPlain              // text as it is, inside a larger string
)

func (p place) nowhere() bool { return p.span.Len() == 0 }
