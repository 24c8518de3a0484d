package formats

// OpenAIBatch is the dialect of OpenAI's batch files: requests `{"custom_id", "method", "url", "body"}` whose body is one
// of chat completions.
type OpenAIBatch struct{}

var openAIBatchPaths = []listPath{{"body", "messages"}}

// Name is "openai-batch".
func (OpenAIBatch) Name() string { return "openai-batch" }

// Detect looks for the envelope and the messages in it.
func (OpenAIBatch) Detect(p *Probe) (string, bool) {
	for _, key := range []string{"custom_id", "method", "url", "body"} {
		if !p.Root.Has(key) {
			return "", false
		}
	}
	_, ok := p.bodyMessages()
	return "custom_id, method, url and body.messages[]", ok
}

// bodyMessages is findList without lists that are the whole record.
func (p *Probe) bodyMessages() (Span, bool) {
	if p.Root.Empty() {
		return Span{}, false
	}
	list, _, ok := p.findList(openAIBatchPaths, hasRole)
	return list, ok
}

// Decode reads the conversation.
func (d OpenAIBatch) Decode(p *Probe) (*Conversation, error) {
	list, ok := p.bodyMessages()
	if !ok {
		return nil, p.missing(d.Name(), `"custom_id", "method", "url", "body": {"messages": [{"role": …, "content": …}]}`)
	}
	s := &requestStyle{openAIStyle{root: p.data(), list: list}}
	c := p.start(s)
	body := p.Root.Object("body")
	c.Model = body.Text("model")
	if tools, ok := body.Find("tools"); ok {
		c.Tools = textOf(p.data(), tools)
	}
	c.readList(list, s.between())
	return c, nil
}

// requestStyle is OpenAI's without what only fine-tuning files have: the API refuses it.
type requestStyle struct{ openAIStyle }

func (s *requestStyle) message(role Role, text string) []byte {
	return s.learn().object("role", quoted(role.String()), "content", quoted(text))
}
