package formats

// What answers a call that nothing answers. The words are ctxpack's, as in a compacted conversation.
const (
	stubAnswer   = "[No result was recorded for this call]"
	sharedAnswer = "[Answered together with another call of this turn]"
)

// pairUp puts the results of each turn's calls right behind it, in the order in which they came, as chat APIs and trainers
// demand. A result that answers nothing has no place (counted as a loss). A call that nothing answers gets a stub, but not
// calls in flight at the very end, which are the last thing that anybody said. One text that answers all calls of a turn
// (ShareGPT) stands behind the first of them; where it is a list of as many strings, each call gets its own.
func (f *flattener) pairUp(turns []spokenTurn) []spokenTurn {
	caller := map[*ToolCall]int{}     // the turn that makes the call
	said := make([]int, len(turns)+1) // how many turns before each one say something
	last := -1                        // the last turn that is none of results
	for i, t := range turns {
		if said[i+1] = said[i]; t.role != RoleTool && !t.empty() {
			said[i+1]++
		}
		for _, call := range t.made {
			caller[call] = i
		}
		if t.role != RoleTool && t.role != RoleSystem && !t.empty() {
			last = i
		}
	}
	behind := make([]spokenTurn, len(turns)) // the results of each turn's calls
	for i, t := range turns {
		for k, result := range t.results {
			call := t.answered[k]
			at, ok := caller[call]
			if !ok {
				f.loss["tool results without a call"]++
				continue
			}
			if said[i] > said[at+1] {
				f.mended["results moved behind their call"]++
			}
			behind[at].results = append(behind[at].results, result)
			behind[at].answered = append(behind[at].answered, call)
		}
	}
	var list []spokenTurn
	for i, t := range turns {
		if t.role == RoleTool {
			continue
		}
		list = append(list, t)
		if answers := f.complete(t, behind[i], i == last); len(answers) > 0 {
			list = append(list, spokenTurn{role: RoleTool, results: answers})
		}
	}
	return list
}

// complete gives the results of a turn's calls, with stubs for those that have none.
func (f *flattener) complete(t, behind spokenTurn, inFlight bool) []ToolResult {
	given := map[*ToolCall]bool{}
	for _, call := range behind.answered {
		given[call] = true
	}
	results := behind.results
	if shared := f.sharedBy(t, given); len(shared) > 0 && len(results) > 0 {
		return f.share(t, results, shared)
	}
	for k, call := range t.made {
		if given[call] || inFlight {
			continue
		}
		f.mended["stubs for calls without a result"]++
		results = append(results, ToolResult{CallID: t.calls[k].ID, Name: call.Name, Text: stubAnswer})
	}
	return results
}

// sharedBy gives the indices of the calls that another call's answer answers as well.
func (f *flattener) sharedBy(t spokenTurn, given map[*ToolCall]bool) []int {
	var list []int
	for k, call := range t.made {
		if !given[call] && len(f.pairs.Results[call]) > 0 {
			list = append(list, k)
		}
	}
	return list
}

// share gives every call of a turn its part of the answer that they share, which is the last of results.
func (f *flattener) share(t spokenTurn, results []ToolResult, shared []int) []ToolResult {
	one := &results[len(results)-1]
	texts := stringsOf(one.Text)
	if len(texts) != len(shared)+1 {
		texts = nil
	}
	if texts != nil {
		one.Text = texts[0]
	}
	for i, k := range shared {
		r := ToolResult{CallID: t.calls[k].ID, Name: t.calls[k].Name, Text: sharedAnswer}
		if texts != nil {
			r.Text = texts[i+1]
		} else {
			f.mended["stubs for calls that share a result"]++
		}
		results = append(results, r)
	}
	return results
}

// stringsOf reads a text that is a JSON list of strings, nil for any other.
func stringsOf(text string) []string {
	data := []byte(text)
	if text == "" || text[0] != '[' || Validate(data) != nil {
		return nil
	}
	var list []string
	for e := range Elements(data) {
		if kindAt(data, e) != '"' {
			return nil
		}
		list = append(list, DecodeString(e.In(data)))
	}
	return list
}
