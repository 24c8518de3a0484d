package cmd

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ctxpack/ctxpack/compress/models"
)

// modelsSection is the section of the configuration that describes models:
//
//	models:
//	  my-model: {context_length: 200k, max_input: 180k, max_output: 32k, input_price: 1.25, output_price: 10, tokenizer: qwen}
//
// Prices are US dollars per million tokens, the tokenizer is a family (models.Families). What is left out is taken from
// the model that the name finds in the table.
const modelsSection = "models"

// modelFields are the keys of one model.
func modelFields() []string {
	return []string{"context_length", "max_input", "max_output", "input_price", "output_price", "tokenizer"}
}

// describedModel is one model of the section; files are read the weakest first, so later values replace earlier ones.
type describedModel struct {
	model  models.Model
	origin Origin
}

// modelOverrides are the models of the section, by name.
type modelOverrides map[string]*describedModel

// add enters one value: parts are "models", the name, the field.
func (m modelOverrides) add(parts []string, value any, origin Origin) error {
	if len(parts) != 3 {
		return usageError(fmt.Errorf("%v: %s: a model is described by keys", origin, strings.Join(parts, ".")),
			"models: {NAME: {context_length: 128k}}")
	}
	name, field := parts[1], parts[2]
	if !slices.Contains(modelFields(), field) {
		err := fmt.Errorf("%v: unknown key %s", origin, strings.Join(parts, "."))
		if near := nearest(field, modelFields()); near != "" {
			return usageError(err, fmt.Sprintf("did you mean %s?", near))
		}
		return usageError(err, "a model has "+strings.Join(modelFields(), ", "))
	}
	given, err := textsOf(value)
	if err == nil && len(given) != 1 {
		err = errors.New("one value is expected, not a list")
	}
	if m[name] == nil {
		m[name] = &describedModel{model: models.Model{Name: name}, origin: origin}
	}
	if err == nil {
		err = setModelField(&m[name].model, field, given[0])
	}
	if err != nil {
		return usageError(fmt.Errorf("%v: %s: %w", origin, strings.Join(parts, "."), err), "")
	}
	return nil
}

func setModelField(m *models.Model, field, text string) error {
	switch field {
	case "context_length", "max_input", "max_output":
		tokens, err := parseTokens(text)
		if err != nil {
			return err
		}
		if tokens < 1 {
			return fmt.Errorf("%d is less than 1", tokens)
		}
		switch field {
		case "context_length":
			m.ContextLength = int(tokens)
		case "max_input":
			m.MaxInput = int(tokens)
		default:
			m.MaxOutput = int(tokens)
		}
	case "input_price", "output_price":
		price, err := parseNumber(text)
		if err != nil {
			return err
		}
		if price < 0 {
			return fmt.Errorf("%s is negative", text)
		}
		if field == "input_price" {
			m.Price.Input = price
		} else {
			m.Price.Output = price
		}
	case "tokenizer":
		if !slices.Contains(models.Families(), text) {
			return notOneOf(text, models.Families())
		}
		m.Tokenizer = text
	}
	return nil
}

// finish gives the models sorted by name, each checked together with what it takes over from the table.
func (m modelOverrides) finish() ([]models.Model, problems) {
	var list []models.Model
	var wrong problems
	for _, name := range slices.Sorted(maps.Keys(m)) {
		described := m[name]
		whole, _, _ := models.Builtin().With(described.model).Find(name)
		if err := whole.Validate(); err != nil {
			for _, fault := range separate(err) {
				wrong = append(wrong, usageError(fmt.Errorf("%v: %w", described.origin, fault), ""))
			}
			continue
		}
		list = append(list, described.model)
	}
	return list, wrong
}
