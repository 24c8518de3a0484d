package quality

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

type junitSuites struct {
	XMLName  xml.Name `xml:"testsuites"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Suites   []junitSuite
}

type junitSuite struct {
	XMLName  xml.Name `xml:"testsuite"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Skipped  int      `xml:"skipped,attr"`
	Cases    []junitCase
}

type junitCase struct {
	XMLName xml.Name    `xml:"testcase"`
	Class   string      `xml:"classname,attr"`
	Name    string      `xml:"name,attr"`
	Failure *junitText  `xml:"failure,omitempty"`
	Skipped *junitEmpty `xml:"skipped,omitempty"`
}

type junitText struct {
	Message string `xml:"message,attr"`
}

type junitEmpty struct {
	Message string `xml:"message,attr,omitempty"`
}

func (s *junitSuite) add(name, failure string, judged bool) {
	c := junitCase{Class: "ctxpack." + s.Name, Name: name}
	s.Tests++
	switch {
	case failure != "":
		s.Failures++
		c.Failure = &junitText{failure}
	case !judged:
		s.Skipped++
		c.Skipped = &junitEmpty{"not judged"}
	}
	s.Cases = append(s.Cases, c)
}

// WriteJUnit writes junit.xml: a suite for rows (a case for each conversation: invariants and per-row gates), one for the
// gates of means, one for the regression check. The builder must have been told to keep names. show makes texts printable,
// so that no character in them is forbidden in XML.
func (b *Builder) WriteJUnit(w io.Writer, r Report, show func(string) string) error {
	rows := junitSuite{Name: "rows"}
	for i, label := range b.labels {
		rows.add(show(label), show(strings.Join(b.fails[i], "; ")), b.rows[i].Fired || len(b.fails[i]) > 0)
	}
	gates := junitSuite{Name: "gates"}
	for _, g := range r.Gates {
		failure := ""
		if !g.Pass {
			failure = g.String()
		}
		gates.add(g.Metric+" "+g.Bound, failure, g.Value != nil)
	}
	all := junitSuites{Name: "ctxpack eval", Suites: []junitSuite{rows, gates}}
	if reg := r.Regression; reg != nil {
		all.Suites = append(all.Suites, b.regressionSuite(*reg, show))
	}
	for _, s := range all.Suites {
		all.Tests += s.Tests
		all.Failures += s.Failures
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// regressionSuite has a case for each metric, and one for each conversation that lost much of a metric that failed.
func (b *Builder) regressionSuite(r Regression, show func(string) string) junitSuite {
	s := junitSuite{Name: "regression"}
	failed := map[string]bool{}
	for _, c := range r.Metrics {
		failure := ""
		if c.Fail {
			failed[c.Metric] = true
			failure = fmt.Sprintf("%.4f, was %.4f (difference %+.4f, 95 %% %+.4f to %+.4f, %d rows lose more than four times %.2g)",
				c.New, c.Base, c.Delta, c.Low, c.High, c.RowDrops, c.MinDrop)
		}
		s.add(c.Metric, failure, c.Judged && r.Verdict != VerdictInsufficient)
	}
	for i, label := range b.labels {
		var lost []string
		for _, metric := range r.rowDrops[i] {
			if failed[metric] {
				lost = append(lost, metric)
			}
		}
		if len(lost) > 0 {
			s.add(show(label), "much less than in the baseline: "+strings.Join(lost, ", "), true)
		}
	}
	return s
}
