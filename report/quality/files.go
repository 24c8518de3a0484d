package quality

import (
	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
)

type fileScores struct{ modified, read Score }

// ModifiedFileRecall is files written in R that stand in S ÷ files written in R. A file counts as written when a call to
// write it did not fail; it stands in S when its path does, whole, as the end of a longer one, or by a base name that no
// other file of M has. Factory (December 2025) found the artifact trail to be what compaction loses most.
func ModifiedFileRecall(p *Pair) Score { return fileRecall(p).modified }

// ReadFileRecall is the same for files that were read and not written.
func ReadFileRecall(p *Pair) Score { return fileRecall(p).read }

func fileRecall(p *Pair) fileScores {
	written, read := map[string]bool{}, map[string]bool{}
	for _, a := range p.Actions() {
		if !p.Replaced(a.Number) {
			continue
		}
		failed := a.Failed && (a.Verb == summarize.Write || a.Verb == summarize.Delete)
		for _, path := range a.Written {
			if !failed {
				written[path] = true
			}
		}
		for _, path := range a.Read {
			if !a.Failed {
				read[path] = true
			}
		}
	}
	for path := range written {
		delete(read, path)
	}
	if len(written)+len(read) == 0 {
		return fileScores{}
	}
	l := newFileLookup(p)
	return fileScores{l.recall(written), l.recall(read)}
}

// fileLookup finds files in S.
type fileLookup struct {
	ids    *wanted
	text   string
	folded string // without Markdown
}

func newFileLookup(p *Pair) *fileLookup {
	l := &fileLookup{ids: newWanted(), text: p.S()}
	l.folded = plain(l.text)
	for _, a := range p.Actions() {
		for _, path := range a.Written {
			l.ids.want(path, summarize.Path)
		}
		for _, path := range a.Read {
			l.ids.want(path, summarize.Path)
		}
	}
	for _, f := range l.ids.ids {
		l.ids.bases[base(f.id)].see(f.id)
	}
	for _, m := range p.Before {
		l.ids.lookAt(m, InM)
	}
	l.ids.look(l.text, InS)
	return l
}

func (l *fileLookup) recall(paths map[string]bool) Score {
	have := 0
	for path := range paths {
		if l.stands(path) {
			have++
		}
	}
	return share(have, len(paths))
}

func (l *fileLookup) stands(path string) bool {
	if l.ids.has(l.ids.ids[path], InS) || mentions(l.text, path) || mentions(l.folded, path) {
		return true
	}
	name := base(path)
	b := l.ids.bases[name]
	return b != nil && !b.shared && len(name) >= 3 && mentions(l.folded, name)
}

// FutureCalls is how many tool calls of the future count.
const FutureCalls = 30

type futureScores struct{ all, paths Score }

// FutureRecall is the share of F found in C, where F is the identifiers in the inputs of the next 30 tool calls of the
// future that also stand in R: what the agent went on to use, and could know only from what was replaced. Measured on 72
// real compactions of a coding agent, a model's summary alone keeps 0.402 of them.
func FutureRecall(p *Pair, future []*formats.Message) Score { return futureRecall(p, future).all }

// FuturePathRecall is the same for paths only.
func FuturePathRecall(p *Pair, future []*formats.Message) Score {
	return futureRecall(p, future).paths
}

func futureRecall(p *Pair, future []*formats.Message) futureScores {
	w := futureWanted(p, future)
	if w == nil {
		return futureScores{}
	}
	want, have, wantPaths, havePaths := 0, 0, 0, 0
	for _, f := range w.ids {
		if f.in&InR == 0 {
			continue
		}
		want++
		found := w.has(f, InC)
		if found {
			have++
		}
		if f.kind == summarize.Path {
			wantPaths++
			if found {
				havePaths++
			}
		}
	}
	return futureScores{share(have, want), share(havePaths, wantPaths)}
}

// FutureMissed lists the members of F that are not in C, sorted.
func FutureMissed(p *Pair, future []*formats.Message) []string {
	w := futureWanted(p, future)
	if w == nil {
		return nil
	}
	var list []string
	for _, f := range w.sorted(func(f *finding) bool { return f.in&InR != 0 && !w.has(f, InC) }) {
		list = append(list, f.id)
	}
	return list
}

// futureWanted looks for the identifiers of the future's calls in R and C; nil when there are none.
func futureWanted(p *Pair, future []*formats.Message) *wanted {
	w := newWanted()
	calls := 0
	for _, m := range future {
		for _, call := range m.Calls() {
			if calls++; calls <= FutureCalls {
				w.add(summarize.ReadCall(m, call).Input, InF)
			}
		}
	}
	if len(w.ids) == 0 {
		return nil
	}
	for i, m := range p.Before {
		if p.Replaced(i) {
			w.lookAt(m, InR)
		} else {
			w.lookAt(m, InM)
		}
	}
	for _, m := range p.After {
		w.lookAt(m, InC)
	}
	return w
}
