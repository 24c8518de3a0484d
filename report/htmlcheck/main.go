// Command htmlcheck opens HTML reports in headless Chromium: it takes screenshots of them, and checks that they say nothing
// on the console, ask nothing of the network, and show hostile texts as text.
//
//	go run ./report/htmlcheck -shots DIR REPORT.html     1280 and 400 pixels wide, light and dark
//	go run ./report/htmlcheck -png FILE REPORT.html      one picture for the README
//	go run ./report/htmlcheck REPORT.html...             check only
package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	program := flag.String("chromium", "/usr/bin/chromium", "the browser (`FILE`)")
	shots := flag.String("shots", "", "take screenshots into `DIR`")
	png := flag.String("png", "", "take one picture of the upper part (`FILE`)")
	flag.Parse()
	if err := run(*program, *shots, *png, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "htmlcheck:", err)
		os.Exit(1)
	}
}

func run(program, shots, png string, files []string) (err error) {
	if len(files) == 0 {
		return errors.New("no file is named")
	}
	b, err := startBrowser(program)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	for _, file := range files {
		if err := b.open(file); err != nil {
			return err
		}
		if err := b.check(); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		fmt.Printf("%s: no message, no request, nothing executed\n", file)
		stem := strings.TrimSuffix(filepath.Base(file), ".html")
		if shots != "" {
			if err := b.shots(filepath.Join(shots, stem)); err != nil {
				return err
			}
		}
		if png != "" {
			if err := b.viewport(1280, 900, "light"); err != nil {
				return err
			}
			height := 0
			if err := b.eval(`Math.ceil(document.querySelector(".pair").getBoundingClientRect().bottom + scrollY + 18)`, &height); err != nil {
				return err
			}
			if err := b.shot(png, 1280, height, "light"); err != nil {
				return err
			}
		}
	}
	return nil
}

// open loads a file anew.
func (b *browser) open(file string) error {
	path, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	b.events = nil
	var went struct {
		ErrorText string `json:"errorText"`
	}
	if err := b.call("Page.navigate", map[string]any{"url": (&url.URL{Scheme: "file", Path: path}).String()}, &went); err != nil {
		return err
	}
	if went.ErrorText != "" {
		return fmt.Errorf("%s: %s", file, went.ErrorText)
	}
	return b.wait("Page.loadEventFired")
}

// check looks into every side-by-side view, and then at everything that has happened.
func (b *browser) check() error {
	if err := b.eval(lookEverywhere, nil); err != nil {
		return err
	}
	var problems []string
	for _, width := range []int{1280, 400} {
		if err := b.viewport(width, 900, "light"); err != nil {
			return err
		}
		var found []string
		if err := b.eval(fmt.Sprintf("%s(%d)", inspectPage, width), &found); err != nil {
			return err
		}
		problems = append(problems, found...)
	}
	for _, e := range b.events {
		if p := problem(e); p != "" {
			problems = append(problems, p)
		}
	}
	if len(problems) > 0 {
		return errors.New(strings.Join(problems, "\n  "))
	}
	return nil
}

// lookEverywhere opens every view and every text in it.
const lookEverywhere = `(async () => {
  for (const button of document.querySelectorAll(".look")) {
    button.click();
    for (let i = 0; i < 4; i++) await new Promise(requestAnimationFrame);
    for (const d of document.querySelectorAll("#view details")) d.open = true;
    await new Promise(requestAnimationFrame);
    for (const e of document.querySelectorAll("#view-turns *"))
      if (!["DIV", "DETAILS", "SUMMARY", "SPAN", "PRE", "P"].includes(e.tagName)) throw new Error("element " + e.tagName + " in a view");
    document.getElementById("view-close").click();
  }
})()`

// inspectPage looks for elements that a text of a transcript could have made, and for charts that are not there.
const inspectPage = `((width) => {
  const problems = [];
  const scripts = document.querySelectorAll("script").length;
  if (scripts !== 2 && scripts !== 0) problems.push(scripts + " scripts");
  for (const tag of ["img", "iframe", "object", "embed", "form", "base", "video", "audio", "a:not(.skip)"])
    if (document.querySelector(tag)) problems.push("an element " + tag);
  for (const e of document.querySelectorAll("*"))
    for (const a of e.attributes) if (/^on/i.test(a.name) || /javascript:/i.test(a.value)) problems.push("an attribute " + a.name);
  for (const s of document.querySelectorAll("svg.chart")) {
    if (s.closest("details:not([open])")) continue;
    const box = s.getBoundingClientRect();
    if (box.width < 200 || box.height < 50) problems.push("a chart of " + box.width + " x " + box.height);
  }
  const widest = [...document.querySelectorAll("body *")].filter((e) => !e.closest(".scroll") && !e.closest("svg"))
    .sort((a, b) => b.getBoundingClientRect().right - a.getBoundingClientRect().right)[0];
  if (document.documentElement.scrollWidth > width) problems.push("the page is wider than " + width + " pixels: " + widest.tagName + " " + widest.className);
  return problems;
})`

// problem says what is wrong about an event; "" for nothing.
func problem(e event) string {
	switch e.Method {
	case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded", "Page.javascriptDialogOpening":
		return e.Method + ": " + clipped(string(e.Params))
	case "Network.requestWillBeSent":
		var p struct {
			Request struct {
				URL string `json:"url"`
			} `json:"request"`
			Type string `json:"type"`
		}
		if err := json.Unmarshal(e.Params, &p); err != nil {
			return err.Error()
		}
		if p.Type != "Document" && !strings.HasPrefix(p.Request.URL, "data:") {
			return "a request of " + clipped(p.Request.URL)
		}
	}
	return ""
}

func clipped(s string) string { return s[:min(len(s), 400)] }

// shots takes the four pictures of the whole page, and two of the first view.
func (b *browser) shots(stem string) error {
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int{1280, 400} {
			if err := b.shot(fmt.Sprintf("%s-%d-%s.png", stem, width, scheme), width, 0, scheme); err != nil {
				return err
			}
		}
	}
	var views int
	if err := b.eval(`document.querySelectorAll(".look").length`, &views); err != nil || views == 0 {
		return err
	}
	for _, one := range []struct {
		width  int
		scheme string
	}{{1280, "light"}, {400, "dark"}} {
		if err := b.viewport(one.width, 900, one.scheme); err != nil {
			return err
		}
		if err := b.eval(`(async () => { const all = document.querySelectorAll(".look"); all[Math.min(1, all.length - 1)].click(); for (let i = 0; i < 5; i++) await new Promise(requestAnimationFrame) })()`, nil); err != nil {
			return err
		}
		if err := b.capture(fmt.Sprintf("%s-view-%d-%s.png", stem, one.width, one.scheme)); err != nil {
			return err
		}
		if err := b.eval(`document.getElementById("view-close").click()`, nil); err != nil {
			return err
		}
	}
	return nil
}

// shot takes one picture. height 0 is the whole page.
func (b *browser) shot(file string, width, height int, scheme string) error {
	first := height
	if first == 0 {
		first = 900
	}
	if err := b.viewport(width, first, scheme); err != nil {
		return err
	}
	if height == 0 {
		if err := b.eval(`document.documentElement.scrollHeight`, &height); err != nil {
			return err
		}
		if err := b.viewport(width, height, scheme); err != nil {
			return err
		}
	}
	return b.capture(file)
}

func (b *browser) viewport(width, height int, scheme string) error {
	if err := b.call("Emulation.setDeviceMetricsOverride", map[string]any{
		"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600,
	}, nil); err != nil {
		return err
	}
	return b.call("Emulation.setEmulatedMedia", map[string]any{
		"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}},
	}, nil)
}

func (b *browser) capture(file string) error {
	var picture struct {
		Data string `json:"data"`
	}
	if err := b.call("Page.captureScreenshot", map[string]any{"format": "png"}, &picture); err != nil {
		return err
	}
	data, err := base64.StdEncoding.DecodeString(picture.Data)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o666)
}
