package quality

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash"
	"io"
	"strings"

	"github.com/ctxpack/ctxpack/formats"
)

// digest is the canonical hash of a message: what a model reads of it, not how it is spelled.
type digest [sha256.Size]byte

// digestOf hashes role, texts, calls and results. Arguments count without the white space between their members.
func digestOf(m *formats.Message) digest {
	h := sha256.New()
	field(h, m.Role.String())
	if m.Role == formats.RoleOther {
		field(h, m.RoleName)
	}
	for _, part := range m.Parts {
		switch v := part.(type) {
		case *formats.Text:
			field(h, "text", v.Text)
		case *formats.Reasoning:
			field(h, "reasoning", v.Text)
		case *formats.ToolCall:
			if !v.Implicit {
				field(h, "call", v.ID, v.Name, compactJSON(v.Arguments))
			}
		case *formats.ToolResult:
			field(h, "result", v.CallID, v.Text)
		case *formats.Media:
			field(h, "media", v.Type)
		case *formats.Opaque:
			field(h, "opaque", compactJSON(v.JSON))
		}
	}
	var d digest
	h.Sum(d[:0])
	return d
}

// field writes texts so that no two lists of them read the same.
func field(h hash.Hash, texts ...string) {
	var size [8]byte
	for _, s := range texts {
		binary.LittleEndian.PutUint64(size[:], uint64(len(s)))
		h.Write(size[:]) // a hash never fails
		_, _ = io.WriteString(h, s)
	}
}

func compactJSON(text string) string {
	if !strings.ContainsAny(text, " \n\t\r") {
		return text
	}
	var b bytes.Buffer
	if json.Compact(&b, []byte(text)) != nil {
		return text
	}
	return b.String()
}

// Key is the identity of a conversation: the SHA-256 of its canonical messages, as hexadecimal digits. It is the same
// wherever the conversation stands and however its JSON is spelled.
func Key(messages []*formats.Message) string {
	h := sha256.New()
	for _, m := range messages {
		d := digestOf(m)
		h.Write(d[:]) // a hash never fails
	}
	return hex.EncodeToString(h.Sum(nil))
}

func digests(messages []*formats.Message) []digest {
	list := make([]digest, len(messages))
	for i, m := range messages {
		list[i] = digestOf(m)
	}
	return list
}
