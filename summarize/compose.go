package summarize

import (
	"context"
	"fmt"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
)

// NotASummaryError says why what a summariser wrote is no summary. The conversation stays as it is.
type NotASummaryError struct {
	Code   string // stable: "empty", "template", "too_long"
	Reason string // in words
}

func (e *NotASummaryError) Error() string { return "not a summary: " + e.Reason }

// tooLong is how much longer than its budget prose may be, in tenths (1.3 times).
const tooLong = 13

// Compose asks s for the prose and makes the whole summary: frame, template prose, quoted system texts, user messages,
// ledger, end marker. The mechanical sections are written first and take at most a quarter of req.Budget each; the prose
// gets what they leave. Prose that is empty, lacks a heading or is more than 1.3 times its budget is a *NotASummaryError;
// nothing is cut or filled in. Other errors are the summariser's own.
//
// Secrets are masked before anything else happens, unless req.NoRedact: no section holds one, quoted human and system
// messages included. That is the one exception to their being verbatim.
func Compose(ctx context.Context, s Summarizer, req Request) (Summary, error) {
	if !req.NoRedact {
		req, req.Masked = req.withoutSecrets()
	}
	earlier := make([]Parsed, len(req.Previous))
	for i, e := range req.Previous {
		earlier[i] = Parse(e.Body)
	}
	req.Actions = Actions(req.Messages())
	quarter := max(0, req.Budget/4)
	users := userMessages(req, earlier, quarter)
	if req.Ledger > 0 {
		req.Ranked = rankEntries(req, earlier)
	}
	ledger := ledgerSection(req, min(req.Ledger, quarter))
	left := req.Budget
	if users != "" {
		left -= req.Count(users)
	}
	if ledger != "" {
		left -= req.Count(ledger)
	}
	asked := req
	asked.Budget = max(0, left)
	asked.Mechanical = users + "\n" + ledger
	prose, err := s.Summarize(ctx, asked)
	if err != nil {
		return Summary{}, err
	}
	prose.Text = escapeFrame(strings.Trim(prose.Text, "\r\n"))
	if err := checkProse(prose, asked); err != nil {
		return Summary{Prose: prose}, err
	}
	restated := -1
	if req.Restated != nil {
		restated = req.Restated.Number
	}
	cover := coverage(req.From, req.To, restated)
	return Summary{Text: frame(cover, prose.Text, systemMessages(req, earlier), users, ledger), Prose: prose}, nil
}

// ProseTokens is the size of prose without the empty template: what the budget of a Request is about.
func ProseTokens(prose string, count func(string) int) int {
	return count(prose) - count(JoinSections(nil))
}

func checkProse(p Prose, req Request) error {
	prose, template := p.Text, PromptTemplate{Headings: p.Headings}.withDefault()
	if strings.TrimSpace(prose) == "" {
		return &NotASummaryError{"empty", "the text is empty"}
	}
	have := map[string]bool{}
	for line := range strings.SplitSeq(prose, "\n") {
		have[strings.TrimRight(line, " \t\r")] = true
	}
	for _, heading := range template.Headings {
		if !have[heading] {
			return &NotASummaryError{"template", fmt.Sprintf("the heading %q is missing", heading)}
		}
	}
	empty := template.empty()
	if p.Headings == nil {
		empty = JoinSections(nil) // as ProseTokens measures, which built-in summarisers keep to
	}
	if n := req.Count(prose) - req.Count(empty); n*10 > req.Budget*tooLong {
		return &NotASummaryError{"too_long", fmt.Sprintf("%d tokens of prose, asked for %d", n, req.Budget)}
	}
	return nil
}

// systemMessages quotes the system texts of the middle and of earlier summaries, oldest first, each text once.
func systemMessages(req Request, earlier []Parsed) string {
	var all []Quoted
	seen := map[string]bool{}
	add := func(q Quoted) {
		if q.Text != "" && !seen[q.Text] {
			seen[q.Text] = true
			all = append(all, q)
		}
	}
	for _, p := range earlier {
		for _, q := range p.System {
			add(q)
		}
	}
	for _, t := range req.Turns {
		for _, m := range t.Messages {
			if m.Role == formats.RoleSystem {
				add(Quoted{m.Number, m.Text()})
			}
		}
	}
	return quoteAll(all)
}

// userMessages is the body of the section: human messages of the middle and those that earlier summaries carried, newest
// first, each verbatim (but for masked secrets) and whole, as many as fit the budget; then how many were left out. "" when there was none.
func userMessages(req Request, earlier []Parsed, budget int) string {
	all, left := humanMessages(req, earlier)
	if len(all) == 0 && left == 0 {
		return ""
	}
	used := leftOutTokens(req.Count, len(all)+left)
	var kept []string
	for _, q := range all {
		// A token of more than 16 bytes is rare: a text that cannot fit is not counted.
		text := quote(q)
		cost := 0
		if len(text)/16 <= budget {
			cost = req.Count(text + "\n\n")
		}
		if len(text)/16 > budget || used+cost > budget {
			left++
			continue
		}
		used += cost
		kept = append(kept, text)
	}
	for {
		body := joinUsers(kept, left)
		if len(kept) == 0 || req.Count(body) <= budget {
			if len(kept) == 0 && req.Count(body) > budget {
				return ""
			}
			return body
		}
		kept, left = kept[:len(kept)-1], left+1
	}
}

func joinUsers(kept []string, left int) string {
	body := strings.Join(kept, "\n\n")
	if left > 0 {
		if body != "" {
			body += "\n\n"
		}
		body += leftOut(left)
	}
	return body
}

func leftOut(n int) string {
	if n == 1 {
		return leftOutOne
	}
	return fmt.Sprint(n) + leftOutMany
}

func leftOutTokens(count func(string) int, n int) int {
	if n == 0 {
		return 0
	}
	return count(leftOut(n))
}

// humanMessages gives the human messages that the summary covers, newest first, without the re-stated one, and how many
// earlier summaries had left out.
func humanMessages(req Request, earlier []Parsed) (all []Quoted, leftOut int) {
	seen := map[int]bool{}
	if req.Restated != nil {
		seen[req.Restated.Number] = true
	}
	add := func(q Quoted) {
		if q.Text != "" && !seen[q.Number] {
			seen[q.Number] = true
			all = append(all, q)
		}
	}
	for i := len(req.Turns) - 1; i >= 0; i-- {
		messages := req.Turns[i].Messages
		for j := len(messages) - 1; j >= 0; j-- {
			if formats.Human(messages[j]) {
				add(Quoted{messages[j].Number, messages[j].Text()})
			}
		}
	}
	for i := len(earlier) - 1; i >= 0; i-- {
		for _, q := range earlier[i].User {
			add(q)
		}
		leftOut += earlier[i].LeftOut
	}
	return all, leftOut
}
