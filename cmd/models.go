package cmd

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/rivo/uniseg"
	"github.com/spf13/cobra"

	"github.com/ctxpack/ctxpack/compress/models"
	"github.com/ctxpack/ctxpack/formats"
)

type modelsOptions struct{ json bool }

func newModelsCommand(a *app) *cobra.Command {
	return newGroupCommand("models", "Context length, tokenizer, price, and where each number comes from",
		newModelsListCommand(a), newModelsShowCommand(a))
}

func newModelsListCommand(a *app) *cobra.Command {
	var opts modelsOptions
	c := &cobra.Command{
		Use:   "list [--json]",
		Short: "All models of the table, and those of the configuration",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			table, err := a.modelTable(c)
			if err != nil {
				return err
			}
			return a.runModelsList(table, opts)
		},
	}
	return a.addModelsFlags(c, &opts)
}

func newModelsShowCommand(a *app) *cobra.Command {
	var opts modelsOptions
	c := &cobra.Command{
		Use:   "show NAME [--json]",
		Short: "One model, as a name given to --model finds it",
		Args:  cobra.ExactArgs(1),
		ValidArgsFunction: func(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			return a.modelNames(c), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			table, err := a.modelTable(c)
			if err != nil {
				return err
			}
			return a.runModelsShow(table, args[0], opts)
		},
	}
	return a.addModelsFlags(c, &opts)
}

// addModelsFlags gives c the flags that both commands have.
func (a *app) addModelsFlags(c *cobra.Command, opts *modelsOptions) *cobra.Command {
	c.DisableFlagsInUseLine = true
	c.Flags().BoolVar(&opts.json, "json", false, "print JSON")
	c.Flags().String(configFlag, "", "configuration `FILE` to read in place of ctxpack.yaml and the user's own")
	return c
}

// modelTable is the table together with the models of the configuration.
func (a *app) modelTable(c *cobra.Command) (models.Table, error) {
	s, err := a.loadSettings(c.Flags())
	if err != nil {
		return models.Table{}, err
	}
	return models.Builtin().With(s.Models...), nil
}

// modelNames completes names of models; a broken configuration completes nothing.
func (a *app) modelNames(c *cobra.Command) []string {
	table, err := a.modelTable(c)
	if err != nil {
		return nil
	}
	var names []string
	for _, m := range table.All() {
		names = append(names, m.Name)
	}
	return names
}

// shownModel is a model in JSON. Prices are US dollars per million tokens; what is unknown is left out.
type shownModel struct {
	Name          string   `json:"name"`
	Provider      string   `json:"provider,omitempty"`
	Limit         int      `json:"limit"` // the context length that counts here
	ContextLength int      `json:"context_length,omitempty"`
	MaxInput      int      `json:"max_input,omitempty"`
	MaxOutput     int      `json:"max_output,omitempty"`
	Tokenizer     string   `json:"tokenizer,omitempty"`
	InputPrice    float64  `json:"input_price,omitempty"`
	OutputPrice   float64  `json:"output_price,omitempty"`
	CacheRead     float64  `json:"cache_read_price,omitempty"`
	CacheWrite    float64  `json:"cache_write_price,omitempty"`
	Aliases       []string `json:"aliases,omitempty"`
	Source        string   `json:"source,omitempty"`
	Date          string   `json:"date,omitempty"`
	Note          string   `json:"note,omitempty"`
	Match         string   `json:"match,omitempty"` // how the name was found; only in `models show`
}

func asShownModel(m models.Model, match models.Match) shownModel {
	return shownModel{
		Name: m.Name, Provider: m.Provider, Limit: m.Limit(), ContextLength: m.ContextLength, MaxInput: m.MaxInput,
		MaxOutput: m.MaxOutput, Tokenizer: m.Tokenizer, InputPrice: m.Price.Input, OutputPrice: m.Price.Output,
		CacheRead: m.Price.CacheRead, CacheWrite: m.Price.CacheWrite, Aliases: m.Aliases,
		Source: m.Source, Date: m.Date, Note: m.Note, Match: string(match),
	}
}

func (a *app) runModelsList(table models.Table, opts modelsOptions) error {
	all := table.All()
	if opts.json {
		shown := make([]shownModel, 0, len(all))
		for _, m := range all {
			shown = append(shown, asShownModel(m, ""))
		}
		return writeJSON(a.streams.Stdout, shown)
	}
	rows := [][]string{{"MODEL", "LIMIT", "OUTPUT", "TOKENIZER", "$/M IN", "$/M OUT", "SOURCE"}}
	for _, m := range all {
		rows = append(rows, []string{m.Name, orDash(m.Limit()), orDash(m.MaxOutput), m.Tokenizer,
			dollars(m.Price.Input), dollars(m.Price.Output), strings.TrimSpace(m.Source + " " + m.Date)})
	}
	return writeColumns(a.streams.Stdout, rows, "lrrlrrl")
}

func (a *app) runModelsShow(table models.Table, name string, opts modelsOptions) error {
	m, match, err := table.Lookup(name)
	if err != nil {
		return unknownModel(err)
	}
	if opts.json {
		return writeJSON(a.streams.Stdout, asShownModel(m, match))
	}
	rows := [][]string{{"name", m.Name}}
	add := func(label, value string) {
		if value != "" && value != "-" {
			rows = append(rows, []string{label, value})
		}
	}
	if match != models.ExactMatch {
		add("found by", fmt.Sprintf("%s (%s)", match, name))
	}
	add("provider", m.Provider)
	add("limit", orDash(m.Limit()))
	add("context length", orDash(m.ContextLength))
	add("maximum input", orDash(m.MaxInput))
	add("maximum output", orDash(m.MaxOutput))
	add("tokenizer", m.Tokenizer)
	add("$/M input", dollars(m.Price.Input))
	add("$/M output", dollars(m.Price.Output))
	add("$/M cache read", dollars(m.Price.CacheRead))
	add("$/M cache write", dollars(m.Price.CacheWrite))
	add("also called", strings.Join(m.Aliases, ", "))
	add("source", strings.TrimSpace(m.Source+" "+m.Date))
	add("note", m.Note)
	return writeColumns(a.streams.Stdout, rows, "ll")
}

// unknownModel makes the error of a lookup an error of usage. It keeps the hint that names the nearest models.
func unknownModel(err error) error {
	var unknown *models.UnknownModelError
	if errors.As(err, &unknown) {
		return usageError(err, formats.HintOf(err))
	}
	return err
}

// orDash spells a limit; 0 is not known.
func orDash(n int) string {
	if n == 0 {
		return "-"
	}
	return thousands(n)
}

// thousands spells a count with separators.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// dollars spells a price; "-" when it is unknown (0).
func dollars(price float64) string {
	if price == 0 {
		return "-"
	}
	return strconv.FormatFloat(price, 'f', -1, 64)
}

// writeColumns writes rows in columns, each aligned left ("l") or right ("r"). Cells are made printable.
func writeColumns(w io.Writer, rows [][]string, align string) error {
	widths := make([]int, len(align))
	for _, row := range rows {
		for i := range row {
			row[i] = printable(row[i])
			widths[i] = max(widths[i], uniseg.StringWidth(row[i]))
		}
	}
	var text strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			padding := strings.Repeat(" ", widths[i]-uniseg.StringWidth(cell))
			if align[i] == 'r' {
				cell, padding = padding+cell, ""
			}
			line.WriteString(cell + padding + "  ")
		}
		text.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	_, err := io.WriteString(w, text.String())
	return err
}
