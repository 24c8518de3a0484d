package split

import "slices"

// The patterns that are written by hand.
const (
	PatternGPT2     = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
	PatternCL100k   = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	PatternQwen     = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	PatternO200k    = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	PatternTekken   = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	PatternNumbers3 = `\p{N}{1,3}`
	PatternKanaHan  = `[一-龥぀-ゟ゠-ヿ]+`
	PatternDeepSeek = "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
)

// ForPatterns returns the splitter that is written by hand for a list of patterns, each of which
// cuts up what the ones before have left. With longS, case folding in them follows Unicode.
func ForPatterns(patterns []string, longS bool) (Splitter, bool) {
	table := []struct {
		patterns []string
		splitter Splitter
	}{
		{[]string{PatternGPT2}, GPT2{}},
		{[]string{PatternCL100k}, NewCL100k(CL100kOptions{Digits: 3, LongS: longS})},
		{[]string{PatternQwen}, NewCL100k(CL100kOptions{Digits: 1, LongS: longS})},
		{[]string{PatternO200k}, NewO200k(O200kOptions{Digits: 3, LongS: longS})},
		{[]string{PatternTekken}, NewO200k(O200kOptions{Digits: 1, NoContractions: true})},
		{[]string{PatternNumbers3, PatternKanaHan, PatternDeepSeek}, DeepSeek{}},
	}
	for _, row := range table {
		if slices.Equal(row.patterns, patterns) {
			return row.splitter, true
		}
	}
	return nil, false
}
