package summarize

import "strings"

// normalize brings an answer into the form that the checks and the summary want, where nothing is lost by it: thinking,
// a fence around everything and words before the first heading go; headings lose a colon or stars; a heading with
// nothing under it gets "None."; sections that ctxpack writes itself are taken out.
func normalize(text string, t PromptTemplate) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	for _, tag := range [...]string{"think", "thinking", "reasoning"} {
		if i := strings.LastIndex(text, "</"+tag+">"); i >= 0 && strings.Contains(text[:i], "<"+tag+">") {
			text = text[i+len(tag)+3:]
		}
	}
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "```") && strings.HasSuffix(text, "```") && strings.Count(text, "```")%2 == 0 {
		if _, inner, ok := strings.Cut(text, "\n"); ok && len(inner) >= 3 {
			text = strings.TrimSpace(inner[:len(inner)-3])
		}
	}
	headings := map[string]bool{}
	for _, h := range t.Headings {
		headings[h] = true
	}
	var out []string
	begun, skipping, fenced := false, false, false
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, " \t")
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if !fenced {
			if h := plainHeading(line, headings); h != "" {
				line, begun, skipping = h, true, false
			} else if line == HeadingSystem || line == HeadingUser || line == HeadingLedger {
				skipping = true
			} else if line == Marker || line == End || strings.HasPrefix(line, coverageStart) {
				continue
			}
		}
		if begun && !skipping {
			out = append(out, line)
		}
	}
	return fillNone(out, headings)
}

// plainHeading gives the heading of the template that a line is, but for stars, a colon or too few signs; "" for none.
func plainHeading(line string, headings map[string]bool) string {
	if headings[line] {
		return line
	}
	if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "**") {
		return ""
	}
	title := strings.Trim(strings.TrimLeft(line, "# "), "*: ")
	for _, signs := range [...]string{"## ", "### "} {
		if headings[signs+title] {
			return signs + title
		}
	}
	return ""
}

// fillNone writes "None." under headings with nothing under them, unless the template has a heading of a lower level next.
func fillNone(lines []string, headings map[string]bool) string {
	var out []string
	for i, line := range lines {
		out = append(out, line)
		if !headings[line] {
			continue
		}
		next := i + 1
		for next < len(lines) && lines[next] == "" {
			next++
		}
		lower := strings.HasPrefix(line, "## ") && next < len(lines) && strings.HasPrefix(lines[next], "### ")
		if next == len(lines) || headings[lines[next]] && !lower {
			out = append(out, None)
		}
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

// cutSections shortens prose that is too long whatever was asked: from the last section backwards whole bodies give way
// to a remark, never that of the first section, until it fits.
func cutSections(prose string, t PromptTemplate, fits func(string) bool) string {
	lines := strings.Split(prose, "\n")
	headings := map[string]bool{}
	for _, h := range t.Headings {
		headings[h] = true
	}
	var starts []int
	for i, line := range lines {
		if headings[line] {
			starts = append(starts, i)
		}
	}
	for k := len(starts) - 1; k > 0 && !fits(strings.Join(lines, "\n")); k-- {
		end := len(lines)
		if k+1 < len(starts) {
			end = starts[k+1]
		}
		if body := strings.Join(lines[starts[k]+1:end], "\n"); len(strings.TrimSpace(body)) <= len(leftOutTooLong) {
			continue // the remark would be longer
		}
		rest := append([]string{leftOutTooLong}, lines[end:]...)
		grown := 1 - (end - starts[k] - 1)
		lines = append(lines[:starts[k]+1:starts[k]+1], rest...)
		for j := k + 1; j < len(starts); j++ {
			starts[j] += grown
		}
	}
	return strings.Join(lines, "\n")
}

// leftOutTooLong stands for the body of a section that did not fit.
const leftOutTooLong = "(left out: the summary was too long)"
