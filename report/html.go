package report

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
)

//go:embed html
var htmlFiles embed.FS

// WriteHTML writes the report as one self-contained HTML file: it loads nothing and may run no script but its own (a
// content security policy says so to the browser), its tables and charts need no script at all, and texts from files
// stand in it as text only, whatever they hold.
func WriteHTML(w io.Writer, r *Report) error { return writeHTML(w, r, nil) }

// WriteHTML writes the newer of the two reports, with the comparison in it.
func (c *Comparison) WriteHTML(w io.Writer) error { return writeHTML(w, c.New, c) }

func writeHTML(w io.Writer, r *Report, c *Comparison) error {
	page, err := newPage(r, c)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	files, err := template.ParseFS(htmlFiles, "html/page.gotmpl")
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	var out bytes.Buffer
	if err := files.Execute(&out, page); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err = w.Write(out.Bytes())
	return err
}

// page is what the template draws. Texts in it are visible; the template escapes them.
type page struct {
	Title, Tool, Subtitle string

	Policy string
	Style  template.CSS
	Script template.JS
	Data   template.JS

	Hero      heroData
	Tiles     []tile
	Compared  *comparedData
	Sizes     *sizesData
	Fits      *barTable
	Savings   *barTable
	Roles     *barTable
	Tools     *barTable
	Scatter   *scatterData
	Statuses  *barTable
	Summaries *summariesData
	Quality   *qualityData
	Trouble   troubleData
	Worst     []worstTable
	Excerpts  bool
	Facts     []tile
	Tables    []plainTable
}

func newPage(r *Report, c *Comparison) (*page, error) {
	style, err := htmlFiles.ReadFile("html/style.css")
	if err != nil {
		return nil, err
	}
	script, err := htmlFiles.ReadFile("html/view.js")
	if err != nil {
		return nil, err
	}
	// Marshal spells <, >, & and the line separators of JavaScript as escapes: nothing in the data can end the element.
	data, err := json.Marshal(shownExcerpts(r.Excerpts))
	if err != nil {
		return nil, err
	}
	h := r.Header
	p := &page{
		Tool:     clip(h.Tool+" "+h.Version, 60),
		Subtitle: clip(h.Command, 40) + " · " + visible(day(r.Processing.StartTime)),
		Policy:   policy(script), Style: template.CSS(style), Script: template.JS(script), Data: template.JS(escapeInvisible(data)),
		Hero: hero(r), Tiles: tiles(r), Compared: compared(c), Sizes: sizes(r),
		Fits: fitsTable(r), Savings: savingsTable(r), Roles: rolesTable(r), Tools: toolsTable(r), Scatter: scatterOf(r),
		Statuses: statusesTable(r), Summaries: summaries(r), Quality: qualityOf(r), Trouble: trouble(r),
		Worst: worstTables(r), Excerpts: len(r.Excerpts) > 0, Facts: facts(r), Tables: runTables(r),
	}
	p.Title = fmt.Sprintf("%s: %s tokens", clip(h.Tool, 20), p.Hero.Change)
	return p, nil
}

// shownExcerpts makes everything in excerpts visible, also in those of a report that was read: it may come from anywhere.
func shownExcerpts(list []Excerpt) []Excerpt {
	out := append([]Excerpt{}, list...)
	for i := range out {
		x := &out[i]
		x.File, x.ID, x.Turns = clipMiddle(x.File, 120), clip(x.ID, 80), slices.Clone(x.Turns)
		for k := range x.Turns {
			t := &x.Turns[k]
			t.Fate, t.Role = clip(t.Fate, 20), clip(t.Role, 40)
			for _, said := range []**Said{&t.Old, &t.New} {
				if *said != nil {
					*said = &Said{visibleLines((*said).Text), (*said).More}
				}
			}
		}
	}
	return out
}

// policy lets the browser load nothing and run only this script.
func policy(script []byte) string {
	sum := sha256.Sum256(script)
	return "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; script-src 'sha256-" +
		base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// day is the day and the minute of a time as RFC 3339 writes it.
func day(stamp string) string {
	if len(stamp) >= 16 && stamp[10] == 'T' {
		return stamp[:10] + " " + stamp[11:16]
	}
	return clip(stamp, 40)
}
