package report

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// escaped makes a text safe wherever Markdown may stand: one visible line, and what Markdown or HTML could take for
// markup, a link or a mention as character references.
func escaped(text string) string {
	var b strings.Builder
	for _, c := range visible(text) {
		if strings.ContainsRune("\\`*_{}[]<>#|~!&$@", c) {
			fmt.Fprintf(&b, "&#%d;", c)
			continue
		}
		b.WriteRune(c)
	}
	return strings.NewReplacer("://", "&#58;//", "www.", "ww&#119;.").Replace(b.String())
}

// code sets a name: as code when it consists of harmless characters, else escaped. "" stays "".
func code(text string) string {
	if text == "" {
		return ""
	}
	shown := visible(text)
	for _, c := range shown {
		if c < utf8.RuneSelf && strings.ContainsRune("`|\\<>&", c) {
			return escaped(text)
		}
	}
	if strings.TrimSpace(shown) == "" {
		return escaped(text)
	}
	return "`" + shown + "`"
}
