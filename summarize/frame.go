package summarize

// The fixed lines of a summary. Texts that begin with one of Markers, at the start of a message's text or after
// PriorEnd, are earlier summaries; anywhere else they are quotations.
const (
	// Marker is the first line of every summary that ctxpack writes.
	Marker = "[CONTEXT COMPACTION] Earlier turns were compacted into the summary below."
	// End is the last line of every summary.
	End = "--- END OF CONTEXT SUMMARY ---"
	// PriorEnd is the line between a message's own text and a summary appended to it.
	PriorEnd = "[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]"
	// Note is appended once to the first system text of a compacted conversation; its first 50 characters recognise it.
	Note = "[Note: Some earlier conversation turns have been compacted into a summary.]"
	// Cleared is the whole content of a tool result pruned in the style `placeholder`.
	Cleared = "[Old tool output cleared to save context space]"
)

// Markers are the ways in which an earlier summary may begin (Hermes Agent's of several versions, and ours).
var Markers = [...]string{"[CONTEXT COMPACTION]", "[CONTEXT COMPACTION — REFERENCE ONLY]", "[CONTEXT SUMMARY]:"}

// Earlier is a summary found in the input.
type Earlier struct {
	Body    string // the text between the marker line(s) and the end marker
	Message int    // number of the message it was found in
}
