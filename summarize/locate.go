package summarize

import "strings"

// gap is what stands between a summary and a message's own text.
const gap = "\n\n"

// opening is how the rest of a marker line reads in summaries that agents write; the rest of any other first line is part
// of the body.
const opening = "Earlier turns were compacted"

// Located is an earlier summary within one message's text.
type Located struct {
	Start, End int    // what must be cut so that the rest is the message's own text: separators and the line PriorEnd included
	Body       string // what Parse reads: without marker line and end marker
}

// Locate finds the first earlier summary in one message's text: at the start of the text (white space aside) or after the
// line PriorEnd, a text that begins with one of Markers, up to the line End or the end of the text. Anywhere else such a
// text is a quotation.
//
// For any own text in which Locate finds nothing, cutting [Start, End) from JoinFront(s, own)+own or from
// own+JoinBack(own, s) gives own, byte for byte.
func Locate(text string) (Located, bool) {
	at := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	if body, ok := afterMarker(text, at); ok {
		return locateFront(text, body), true
	}
	for at := 0; ; {
		i := strings.Index(text[at:], PriorEnd)
		if i < 0 {
			return Located{}, false
		}
		i += at
		at = i + len(PriorEnd)
		if i > 0 && text[i-1] != '\n' {
			continue
		}
		next := at
		for next < len(text) && strings.IndexByte(" \t\r\n", text[next]) >= 0 {
			next++
		}
		if !strings.Contains(text[at:next], "\n") {
			continue
		}
		if body, ok := afterMarker(text, next); ok {
			return locateBack(text, i, body), true
		}
	}
}

// afterMarker gives the offset of the body when one of Markers stands at at.
func afterMarker(text string, at int) (int, bool) {
	for _, marker := range Markers {
		rest, ok := strings.CutPrefix(text[at:], marker)
		if !ok {
			continue
		}
		body := len(text) - len(rest)
		line, _, more := strings.Cut(rest, "\n")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(strings.TrimSpace(line), opening) {
			body += len(line)
			if more {
				body++
			}
		}
		return body, true
	}
	return 0, false
}

func locateFront(text string, body int) Located {
	end, after := endLine(text, body)
	l := Located{Start: 0, End: after, Body: text[body:end]}
	rest := text[after:]
	switch {
	case strings.HasPrefix(rest, gap):
		l.End += len(gap)
	case strings.HasPrefix(rest, "\r\n\r\n"):
		l.End += 4
	case strings.TrimSpace(rest) == "":
		l.End = len(text)
	}
	return l
}

func locateBack(text string, prior, body int) Located {
	end, after := endLine(text, body)
	l := Located{Start: prior, End: after, Body: text[body:end]}
	switch own := text[:prior]; {
	case strings.HasSuffix(own, gap):
		l.Start -= len(gap)
	case strings.HasSuffix(own, "\r\n\r\n"):
		l.Start -= 4
	case strings.HasSuffix(own, "\n"):
		l.Start--
	}
	if strings.TrimSpace(text[after:]) == "" {
		l.End = len(text)
	}
	return l
}

// endLine finds the line End at or after from: where it begins, and the offset behind it (without its line break). Without
// one both are the end of the text.
func endLine(text string, from int) (start, after int) {
	for at := from; ; {
		i := strings.Index(text[at:], End)
		if i < 0 {
			return len(text), len(text)
		}
		i += at
		at = i + len(End)
		line := strings.LastIndexByte(text[from:i], '\n') + 1 + from
		rest, _, _ := strings.Cut(text[at:], "\n")
		if strings.TrimSpace(text[line:i]) == "" && strings.TrimSpace(rest) == "" {
			return line, at
		}
	}
}

// JoinFront gives what is put in front of a message's own text: the summary and a separator, or the summary alone when own
// is empty.
func JoinFront(summary, own string) string {
	if own == "" {
		return summary
	}
	return summary + gap
}

// JoinBack gives what is appended to a message's own text: a separator, the line PriorEnd and the summary, or the summary
// alone when own is empty.
func JoinBack(own, summary string) string {
	if own == "" {
		return summary
	}
	return gap + PriorEnd + "\n" + summary
}
