package cmd

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// maxTokens is the greatest number of tokens or records a setting can have; greater ones are slips of the pen and would
// overflow later.
const maxTokens = 1 << 40

// parseTokens reads a number of tokens: 64000, 64,000, 64k (64,000), 64Ki (65,536), 1.5M, 1Mi.
func parseTokens(text string) (int64, error) {
	number, scale := text, 1.0
	for _, unit := range []struct {
		suffix string
		scale  float64
	}{{"ki", 1 << 10}, {"mi", 1 << 20}, {"k", 1e3}, {"m", 1e6}} {
		if rest, ok := cutSuffixFold(text, unit.suffix); ok {
			number, scale = rest, unit.scale
			break
		}
	}
	value, err := parseNumber(number)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number of tokens such as 64000, 64k or 64Ki", text)
	}
	value *= scale
	switch {
	case value < 0:
		return 0, fmt.Errorf("%s is negative", text)
	case value > maxTokens:
		return 0, fmt.Errorf("%s is too large", text)
	case value != math.Trunc(value):
		return 0, fmt.Errorf("%s is not a whole number of tokens", text)
	}
	return int64(value), nil
}

// cutSuffixFold is strings.CutSuffix without regard to case; suffix is lower case. White space before it is cut too.
func cutSuffixFold(text, suffix string) (string, bool) {
	rest, ok := strings.CutSuffix(strings.ToLower(text), suffix)
	return strings.TrimRight(rest, " "), ok
}

// parseNumber reads a finite decimal number. "_" and "," may separate thousands of the whole part.
func parseNumber(text string) (float64, error) {
	whole, fraction, hasFraction := strings.Cut(text, ".")
	if groups := strings.FieldsFunc(whole, func(r rune) bool { return r == ',' || r == '_' }); len(groups) > 1 {
		for i, group := range groups {
			if i > 0 && len(group) != 3 {
				return 0, fmt.Errorf("%q is not a number", text)
			}
		}
		whole = strings.Join(groups, "")
	}
	plain := whole
	if hasFraction {
		plain += "." + fraction
	}
	if strings.ContainsAny(plain, "xXpP_iInN") { // hexadecimal, infinity, NaN
		return 0, fmt.Errorf("%q is not a number", text)
	}
	value, err := strconv.ParseFloat(plain, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number", text)
	}
	return value, nil
}

// parseShare reads a share: 0.15 or 15%. It is above 0 and at most 1.
func parseShare(text string) (float64, error) {
	number, isPercent := strings.CutSuffix(text, "%")
	value, err := parseNumber(strings.TrimSpace(number))
	if err != nil {
		return 0, fmt.Errorf("%q is not a share such as 0.15 or 15%%", text)
	}
	if isPercent {
		value /= 100
	}
	if !(value > 0 && value <= 1) {
		return 0, fmt.Errorf("%s is not above 0 and at most 1 (100%%)", text)
	}
	return value, nil
}

// parseToggle reads yes or no, in the spellings YAML and shells know.
func parseToggle(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "true", "yes", "on", "1":
		return true, nil
	case "false", "no", "off", "0":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither true nor false", text)
}

// notOneOf is the error for a value outside an enumeration; it names the values and the nearest.
func notOneOf(value string, values []string) error {
	text := fmt.Sprintf("%q is not one of %s", value, strings.Join(values, ", "))
	if near := nearest(value, values); near != "" {
		text += fmt.Sprintf(" (did you mean %s?)", near)
	}
	return errors.New(text)
}

// The functions below make the set functions of the table. Of a setting that is not a list, the last value counts.

func text(field func(*Settings) *string) func(*Settings, []string) (any, error) {
	return func(s *Settings, given []string) (any, error) {
		value := given[len(given)-1]
		if strings.TrimSpace(value) == "" {
			return nil, errors.New("the value is empty")
		}
		*field(s) = value
		return value, nil
	}
}

func texts(field func(*Settings) *[]string) func(*Settings, []string) (any, error) {
	return func(s *Settings, given []string) (any, error) {
		for _, value := range given {
			if strings.TrimSpace(value) == "" {
				return nil, errors.New("a value is empty")
			}
		}
		*field(s) = given
		return given, nil
	}
}

func toggle(field func(*Settings) *bool) func(*Settings, []string) (any, error) {
	return func(s *Settings, given []string) (any, error) {
		value, err := parseToggle(given[len(given)-1])
		if err != nil {
			return nil, err
		}
		*field(s) = value
		return value, nil
	}
}

func tokenCount(least int64, field func(*Settings) *int64) func(*Settings, []string) (any, error) {
	return func(s *Settings, given []string) (any, error) {
		value, err := parseTokens(given[len(given)-1])
		if err != nil {
			return nil, err
		}
		if value < least {
			return nil, fmt.Errorf("%d is less than %d", value, least)
		}
		*field(s) = value
		return value, nil
	}
}

func number(least int, field func(*Settings) *int) func(*Settings, []string) (any, error) {
	return func(s *Settings, given []string) (any, error) {
		text := given[len(given)-1]
		value, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("%q is not a whole number", text)
		}
		if value < int64(least) {
			return nil, fmt.Errorf("%d is less than %d", value, least)
		}
		*field(s) = int(value)
		return value, nil
	}
}

func setThreshold(s *Settings, given []string) (any, error) {
	text := given[len(given)-1]
	if value, err := parseNumber(strings.TrimSuffix(text, "%")); err == nil && (value <= 1 || strings.HasSuffix(text, "%")) {
		ratio, err := parseShare(text)
		if err != nil {
			return nil, err
		}
		s.Threshold = Threshold{Ratio: ratio}
		return ratio, nil
	}
	tokens, err := parseTokens(text)
	if err != nil {
		return nil, fmt.Errorf("neither a ratio above 0 and at most 1 nor a number of tokens: %w", err)
	}
	if tokens <= 1 {
		return nil, fmt.Errorf("%s is no size to compact from", text)
	}
	s.Threshold = Threshold{Tokens: tokens}
	return tokens, nil
}

// setTargetRatio clamps to Hermes' bounds, with a warning.
func setTargetRatio(s *Settings, given []string) (any, error) {
	const least, most = 0.10, 0.80
	text := given[len(given)-1]
	value, err := parseNumber(text)
	if err != nil {
		return nil, err
	}
	s.TargetRatio = min(max(value, least), most)
	if s.TargetRatio != value {
		s.Warnings = append(s.Warnings,
			fmt.Sprintf("a target ratio of %s is outside 0.10 to 0.80; %.2f is used", text, s.TargetRatio))
	}
	return s.TargetRatio, nil
}

func setSample(s *Settings, given []string) (any, error) {
	value, err := parseShare(given[len(given)-1])
	if err != nil {
		return nil, err
	}
	s.Sample = value
	return value, nil
}

func setSeed(s *Settings, given []string) (any, error) {
	text := given[len(given)-1]
	value, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%q is not a whole number", text)
	}
	s.Seed = value
	return value, nil
}
