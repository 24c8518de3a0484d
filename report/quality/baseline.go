package quality

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// SchemaVersion is the version of the JSON forms of this package, MAJOR.MINOR. A new minor version only adds members.
const SchemaVersion = "1.0"

// The kinds of JSON documents of this package.
const (
	reportKind   = "quality_report"
	baselineKind = "quality_baseline"
)

// Origin says by what the figures were made. Figures of different origins can be compared, but the difference may come
// from anything that differs here.
type Origin struct {
	Tool           string `json:"tool"`
	Version        string `json:"version"`
	Mode           string `json:"mode"` // "pairs" or "replay"
	SettingsSHA256 string `json:"settings_sha256"`
	PromptSHA256   string `json:"prompt_sha256,omitempty"` // of the summary prompt, where a model wrote
	Model          string `json:"model,omitempty"`         // that wrote the summaries
	Summarizer     string `json:"summarizer,omitempty"`
	Tokenizer      string `json:"tokenizer"`
	DataSHA256     string `json:"data_sha256"` // of the rows' keys
}

// differences names the members in which two origins differ.
func (o Origin) differences(b Origin) []string {
	var list []string
	for _, d := range []struct{ name, a, b string }{
		{"version", o.Version, b.Version}, {"mode", o.Mode, b.Mode}, {"settings", o.SettingsSHA256, b.SettingsSHA256},
		{"prompt", o.PromptSHA256, b.PromptSHA256}, {"model", o.Model, b.Model}, {"summarizer", o.Summarizer, b.Summarizer},
		{"tokenizer", o.Tokenizer, b.Tokenizer}, {"data", o.DataSHA256, b.DataSHA256},
	} {
		if d.a != d.b {
			list = append(list, d.name)
		}
	}
	return list
}

// Baseline is the figures that later runs are compared with.
type Baseline struct {
	SchemaVersion string        `json:"schema_version"`
	Kind          string        `json:"kind"`
	Origin        Origin        `json:"origin"`
	Rows          []BaselineRow `json:"rows"`
}

// BaselineRow is what a comparison needs of a row.
type BaselineRow struct {
	Key     string             `json:"key"`
	Cluster string             `json:"cluster,omitempty"`
	Fired   bool               `json:"fired"`
	Metrics map[string]float64 `json:"metrics,omitempty"`
}

// cluster is the conversation the row comes from.
func (r BaselineRow) cluster() string {
	if r.Cluster != "" {
		return r.Cluster
	}
	return r.Key
}

// Baseline is what a comparison needs of the row.
func (r Row) Baseline() BaselineRow {
	return BaselineRow{Key: r.Key, Cluster: r.Cluster, Fired: r.Fired, Metrics: r.Metrics}
}

// errNotClean is why a report is no baseline.
var errNotClean = errors.New("a report with errors cannot be a baseline")

// NewBaseline makes a baseline of a report and its rows, as `eval --rows` wrote them. It refuses a report with errors,
// and rows that are not the report's.
func NewBaseline(rep Report, rows []Row) (Baseline, error) {
	b := Baseline{SchemaVersion: SchemaVersion, Kind: baselineKind, Origin: rep.Origin}
	if rep.Rows.Errors > 0 || rep.Rows.Breached > 0 {
		return b, fmt.Errorf("%w: %d rows could not be measured, %d break an invariant", errNotClean, rep.Rows.Errors, rep.Rows.Breached)
	}
	keys := sha256.New()
	for _, r := range rows {
		if r.Error != "" {
			return b, errNotClean
		}
		field(keys, r.Key)
		b.Rows = append(b.Rows, r.Baseline())
	}
	if sum := hex.EncodeToString(keys.Sum(nil)); len(rows) != rep.Rows.Measured || sum != rep.Origin.DataSHA256 || !sameMeans(rep, b.Rows) {
		return b, errors.New("the rows are not those of the report")
	}
	return b, nil
}

// sameMeans says whether rows give the means of the report.
func sameMeans(rep Report, rows []BaselineRow) bool {
	for _, m := range rep.Metrics {
		sum, n := 0.0, 0
		for _, r := range rows {
			if v, ok := r.Metrics[m.Metric]; ok {
				sum, n = sum+v, n+1
			}
		}
		if n != m.Rows || math.Abs(sum/float64(n)-m.Mean) > tolerance {
			return false
		}
	}
	return true
}

// WriteBaseline writes a baseline: one line for each row, in the order of the run.
func WriteBaseline(w io.Writer, b Baseline) error {
	var out strings.Builder
	head, err := json.Marshal(b.Origin)
	if err != nil {
		return err
	}
	fmt.Fprintf(&out, "{\"schema_version\": %q, \"kind\": %q,\n\"origin\": %s,\n\"rows\": [", b.SchemaVersion, b.Kind, head)
	for i, row := range b.Rows {
		line, err := json.Marshal(row)
		if err != nil {
			return err
		}
		out.WriteString(map[bool]string{false: ",\n", true: "\n"}[i == 0])
		out.Write(line)
	}
	out.WriteString("\n]}\n")
	_, err = io.WriteString(w, out.String())
	return err
}

// ReadBaseline reads what WriteBaseline wrote.
func ReadBaseline(data []byte) (Baseline, error) {
	var b Baseline
	if err := checkDocument(data, baselineKind); err != nil {
		return b, err
	}
	if err := json.Unmarshal(data, &b); err != nil {
		return b, fmt.Errorf("not a quality baseline: %w", err)
	}
	return b, nil
}

// checkDocument reads what kind of document data is.
func checkDocument(data []byte, want string) error {
	var head struct {
		Kind    string `json:"kind"`
		Version string `json:"schema_version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return fmt.Errorf("not a %s: %w", strings.ReplaceAll(want, "_", " "), err)
	}
	return checkKind(head.Kind, want, head.Version)
}

func checkKind(kind, want, version string) error {
	if kind != want {
		return fmt.Errorf("not a %s: its kind is %q", strings.ReplaceAll(want, "_", " "), kind)
	}
	if major, _, _ := strings.Cut(version, "."); major != "1" {
		return fmt.Errorf("its schema version is %q, this ctxpack reads 1", version)
	}
	return nil
}
