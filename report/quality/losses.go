package quality

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

// Loss is something of R that is nowhere in C.
type Loss struct {
	Kind    string `json:"kind"`    // identifiers: path, symbol, hash, ticket, issue, url; else quotation, line
	Text    string `json:"text"`    // as it stood there
	Message int    `json:"message"` // index of the (last) message it stood in
	Uses    int    `json:"uses"`    // in how many messages of R it stood
}

// Losses is everything of one conversation that a compaction dropped.
type Losses struct {
	Identifiers []Loss `json:"identifiers"` // by last message, newest first, then by text
	Quotations  []Loss `json:"quotations"`  // in the order of the conversation
	Lines       []Loss `json:"lines"`       // of human messages, in their order

	IdentifiersIn int `json:"identifiers_in"` // distinct ones in R
	QuotationsIn  int `json:"quotations_in"`
	LinesIn       int `json:"lines_in"`
}

// Losses compares the replaced region with the output.
func (p *Pair) Losses() Losses {
	output := flat(plain(unquoted(allText(p.After...))))
	l := p.lostIdentifiers(output)
	quoted, lines := map[string]bool{}, map[string]bool{}
	for i, m := range p.Before {
		if !p.Replaced(i) || m.Role == formats.RoleTool {
			continue
		}
		text := stripped(m)
		for _, q := range quotations(text) {
			if key := flat(plain(q)); !quoted[key] {
				quoted[key] = true
				l.QuotationsIn++
				if !strings.Contains(output, key) {
					l.Quotations = append(l.Quotations, Loss{"quotation", q, i, 1})
				}
			}
		}
		if !formats.Human(m) {
			continue
		}
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			key := flat(plain(line))
			if key == "" || lines[key] {
				continue
			}
			lines[key] = true
			l.LinesIn++
			if !strings.Contains(output, key) {
				l.Lines = append(l.Lines, Loss{"line", line, i, 1})
			}
		}
	}
	return l
}

func (p *Pair) lostIdentifiers(output string) Losses {
	w := newWanted()
	for i, m := range p.Before {
		if !p.Replaced(i) {
			continue
		}
		eachText(m, func(text string) {
			summarize.Identifiers(text, func(id string, kind summarize.IdentifierKind) {
				if kind == summarize.Version {
					return
				}
				f := w.want(id, kind)
				if f.last != i {
					f.uses++
				}
				f.last = i
			})
		})
	}
	for _, m := range p.Before {
		w.lookAt(m, InM)
	}
	w.look(output, InC)
	l := Losses{IdentifiersIn: len(w.ids)}
	for _, f := range w.sorted(func(f *finding) bool { return !w.has(f, InC) }) {
		l.Identifiers = append(l.Identifiers, Loss{kindName(f.kind), f.id, f.last, f.uses})
	}
	slices.SortStableFunc(l.Identifiers, func(a, b Loss) int { return cmp.Compare(b.Message, a.Message) })
	return l
}

func kindName(k summarize.IdentifierKind) string {
	switch k {
	case summarize.Path:
		return "path"
	case summarize.Symbol:
		return "symbol"
	case summarize.Hash:
		return "hash"
	case summarize.Ticket:
		return "ticket"
	case summarize.Issue:
		return "issue"
	case summarize.URL:
		return "url"
	}
	return "version"
}
