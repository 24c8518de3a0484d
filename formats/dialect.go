package formats

// Dialect is how one record spells a conversation. Implementations are pure values, safe for concurrent use.
type Dialect interface {
	// Name is what --format and reports call it.
	Name() string
	// Detect says whether the record is of this dialect, and by which marker, in a few words.
	Detect(p *Probe) (marker string, ok bool)
	// Decode reads the record. It is called only after Detect said yes, or when the user named the dialect: then a
	// record without the dialect's shape is a *Fault of code "not_<name>".
	Decode(p *Probe) (*Conversation, error)
}

// Probe is a record prepared for detection: valid JSON, its top-level members found once.
type Probe struct {
	Rec  Record
	Root Object // empty when the record is no object
	At   Span   // the value itself, without white space around it

	blocks bool // there may be blocks of Anthropic's dialect in the record

	Lines []Object // of a record that is a whole session log: its lines; Root and At are empty then
}

// NewProbe checks that the record is one JSON value. The error is a *Fault.
func NewProbe(rec Record) (*Probe, error) {
	if rec.Fault != nil {
		return nil, rec.Fault
	}
	if rec.Session {
		return &Probe{Rec: rec, Lines: sessionLines(rec.Raw)}, nil
	}
	at, root, blocks, err := readRoot(rec.Raw)
	if err != nil {
		return nil, faultOf(rec.Pos, rec.Raw, err)
	}
	return &Probe{Rec: rec, At: at, Root: root, blocks: blocks}, nil
}

// data is the record's payload.
func (p *Probe) data() []byte { return p.Rec.Raw }

// Decode reads a record in the first of dialects (in their order) that recognises it. A record that none recognises is a
// conversation without messages, to be passed through. The error is a *Fault.
func Decode(rec Record, dialects []Dialect) (*Conversation, error) {
	p, err := NewProbe(rec)
	if err != nil {
		return nil, err
	}
	for _, d := range dialects {
		if marker, ok := d.Detect(p); ok {
			c, err := d.Decode(p)
			if err != nil {
				return nil, err
			}
			c.Dialect, c.Marker = d.Name(), marker
			return c, nil
		}
	}
	return &Conversation{root: rec.Raw}, nil
}

// DecodeAs reads a record in the dialect the user named. The error is a *Fault.
func DecodeAs(rec Record, d Dialect) (*Conversation, error) {
	p, err := NewProbe(rec)
	if err != nil {
		return nil, err
	}
	c, err := d.Decode(p)
	if err != nil {
		return nil, err
	}
	c.Dialect, c.Marker = d.Name(), "named by --format"
	return c, nil
}

// findList gives the first of the paths whose value is a list with an object among its elements for which is says yes,
// or an empty list.
func (p *Probe) findList(paths []listPath, is func(Object) bool) (Span, string, bool) {
	if p.At.Len() > 0 && kindAt(p.data(), p.At) == '[' && p.listOf(p.At, is) {
		return p.At, "a list", true
	}
	var empty Span
	var emptyPath string
	for _, path := range paths {
		obj := p.Root
		if path.outer != "" {
			obj = p.Root.Object(path.outer)
		}
		s, ok := obj.Find(path.key)
		if !ok || kindAt(p.data(), s) != '[' {
			continue
		}
		if p.listOf(s, is) {
			return s, path.String(), true
		}
		if emptyPath == "" && p.emptyList(s) {
			empty, emptyPath = s, path.String()
		}
	}
	return empty, emptyPath, emptyPath != ""
}

// emptyList says that a list has no elements.
func (p *Probe) emptyList(list Span) bool { return p.data()[skipSpace(p.data(), list.Start+1)] == ']' }

// listOf looks at the first few elements only: a list of other things is told at once.
func (p *Probe) listOf(list Span, is func(Object) bool) bool {
	n := 0
	for e := range elements(p.data(), list.Start) {
		if kindAt(p.data(), e) == '{' && is(ObjectAt(p.data(), e)) {
			return true
		}
		if n++; n == 8 {
			break
		}
	}
	return false
}

// listPath is where a message list may stand: a top-level member, or a member of one.
type listPath struct{ outer, key string }

func (l listPath) String() string {
	if l.outer != "" {
		return l.outer + "." + l.key
	}
	return l.key
}

// start makes the conversation of a record whose message list has been found, with what every dialect's top level
// may carry: tools, the model, an id.
func (p *Probe) start(spelled spelling) *Conversation {
	c := &Conversation{root: p.data(), spelled: spelled}
	for _, key := range []string{"tools", "functions"} {
		if s, ok := p.Root.Find(key); ok && kindAt(p.data(), s) != 'n' {
			c.Tools = textOf(p.data(), s)
			break
		}
	}
	c.Model = p.firstText([][]string{{"model"}, {"metadata", "model"}, {"info", "model"}, {"info", "config", "model", "model_name"}})
	c.ID = p.firstText([][]string{{"id"}, {"conversation_id"}, {"session_id"}, {"instance_id"}, {"task_id"}, {"uuid"}, {"custom_id"}})
	return c
}

// firstText gives the first of the paths that leads to a string or a number.
func (p *Probe) firstText(paths [][]string) string {
	for _, path := range paths {
		obj := p.Root
		for _, key := range path[:len(path)-1] {
			obj = obj.Object(key)
		}
		s, ok := obj.Find(path[len(path)-1])
		if !ok {
			continue
		}
		switch c := kindAt(p.data(), s); {
		case c == '"', c == '-', c >= '0' && c <= '9':
			if text := textOf(p.data(), s); text != "" {
				return text
			}
		}
	}
	return ""
}

// textOf is a value as text: a string decoded, null nothing, anything else its JSON.
func textOf(data []byte, s Span) string {
	switch data[s.Start] {
	case '"':
		return DecodeString(s.In(data))
	case 'n':
		return ""
	}
	return string(s.In(data))
}

// missing is the fault of a record that does not have the shape of the dialect the user named.
func (p *Probe) missing(name, want string) error {
	return &Fault{Pos: p.Rec.Pos, Stage: StageDecode, Code: "not_" + name, Caret: -1,
		Err: WithHint(&shapeError{name, want}, "leave --format out to have the dialect told from the record")}
}

type shapeError struct{ name, want string }

func (e *shapeError) Error() string { return "no " + e.name + " conversation here: expected " + e.want }
