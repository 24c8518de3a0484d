package report

import "io"

// Renderer draws a report into a file.
type Renderer struct {
	Ending string // of the file's name, with its dot
	About  string // for help texts
	Render func(io.Writer, *Report) error
}

// Renderers are the forms that `--report FILE` chooses from by the file's ending.
func Renderers() []Renderer {
	return []Renderer{
		{".json", "data", WriteJSON},
		{".md", "Markdown", WriteMarkdown},
		{".txt", "plain text", WriteText},
		{".html", "a page to look at", WriteHTML},
	}
}

// RowsEnding is the ending of a file that takes no report but a line for every record (AppendRow), while the run goes on.
const RowsEnding = ".jsonl"
