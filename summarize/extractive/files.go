package extractive

import (
	"strings"

	"github.com/ctxpack/ctxpack/summarize"
)

// fileUse is what was done to one file.
type fileUse struct {
	path    string
	changed bool
	gone    string // verb of what took it away, "" while it is there
	score   float64
	number  int // of the message that used it last
}

// scratch says whether a changed file is one that the agent made for itself: gone again, in a folder for temporary
// files, or beside the project's folders.
func (u *fileUse) scratch() bool {
	return u.gone != "" || strings.HasPrefix(u.path, "/tmp/") || !strings.Contains(u.path, "/") && strings.Contains(u.path, ".py")
}

// files are the files that matter, as verb and path: changed ones, read ones, scratch files; in each group by use and
// recency. Those of earlier summaries that nothing touched since follow in their group.
func (m *material) files(merged map[string][]line) []line {
	uses := m.fileUses()
	var changed, read, scratch []line
	known := map[string]bool{}
	for _, u := range uses {
		known[u.path] = true
		l := line{text: "read " + u.path, number: u.number, rank: u.score, exact: true}
		switch {
		case !u.changed:
			read = append(read, l)
			continue
		case u.gone != "":
			l.text = u.gone + u.path
		default:
			l.text = "changed " + u.path
		}
		if u.scratch() {
			scratch = append(scratch, l)
		} else {
			changed = append(changed, l)
		}
	}
	byRank(changed)
	byRank(read)
	byRank(scratch)
	for _, l := range merged[summarize.HeadingFiles] {
		if _, path, ok := strings.Cut(l.text, " "); ok && known[path] {
			continue
		}
		l.exact = true
		if strings.HasPrefix(l.text, "read ") {
			read = append(read, l)
		} else {
			changed = append(changed, l)
		}
	}
	return append(append(changed, read...), scratch...)
}

// fileUses gathers the files of the middle's actions in order of first use. A relative path and an absolute one that ends
// in it (and in no other) are one file, called by the longer name.
func (m *material) fileUses() []*fileUse {
	index := map[string]*fileUse{}
	var order []*fileUse
	n := float64(len(m.actions) + 1)
	note := func(path string, number int, weight float64) *fileUse {
		u, ok := index[path]
		if !ok {
			if u = alias(order, path); u == nil {
				u = &fileUse{}
				order = append(order, u)
			}
			index[path] = u
		}
		if len(path) > len(u.path) {
			u.path = path
		}
		u.score += weight
		u.number = max(u.number, number)
		return u
	}
	for i, a := range m.actions {
		weight := 0.3 + float64(i)/n
		if a.Failed {
			weight /= 4
		}
		for _, path := range a.Written {
			u := note(path, a.Number, weight+1)
			u.changed = true
			u.gone = gone(a, path)
		}
		for _, path := range a.Read {
			if !a.Failed || index[path] != nil {
				note(path, a.Number, weight)
			}
		}
	}
	return order
}

// maxAliases bounds the search for other spellings of a path.
const maxAliases = 500

// alias finds the one file that path is another spelling of.
func alias(uses []*fileUse, path string) *fileUse {
	var found *fileUse
	for _, u := range uses[max(0, len(uses)-maxAliases):] {
		short, long := path, u.path
		if len(short) > len(long) {
			short, long = long, short
		}
		if strings.HasPrefix(long, "/") && !strings.HasPrefix(short, "/") && strings.HasSuffix(long, "/"+short) {
			if found != nil {
				return nil
			}
			found = u
		}
	}
	return found
}
