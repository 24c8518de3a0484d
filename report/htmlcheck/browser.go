package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// browser is a headless Chromium that is spoken to over a pipe in the DevTools protocol: one JSON message after the other,
// each ended by a zero byte. One goroutine uses it.
type browser struct {
	process *exec.Cmd
	to      io.WriteCloser
	from    io.Closer
	lines   chan []byte
	session string
	next    int
	events  []event // those that came while an answer was waited for
	profile string
}

// event is something that happened in the page.
type event struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

type message struct {
	ID     int             `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
	event
}

// patience is how long the browser may take for one answer.
const patience = 30 * time.Second

// startBrowser starts the program and opens an empty page.
func startBrowser(program string) (*browser, error) {
	profile, err := os.MkdirTemp("", "ctxpack-chromium-")
	if err != nil {
		return nil, err
	}
	toRead, toWrite, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	fromRead, fromWrite, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	b := &browser{to: toWrite, from: fromRead, lines: make(chan []byte), profile: profile}
	b.process = exec.Command(program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
		"--hide-scrollbars", "--user-data-dir="+profile, "--remote-debugging-pipe", "about:blank")
	b.process.ExtraFiles = []*os.File{toRead, fromWrite} // file descriptors 3 and 4
	if err := b.process.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	_ = toRead.Close()
	_ = fromWrite.Close()
	go b.read(fromRead)
	return b, b.attach()
}

func (b *browser) read(from io.Reader) {
	defer close(b.lines)
	in := bufio.NewReaderSize(from, 1<<20)
	for {
		line, err := in.ReadBytes(0)
		if err != nil {
			return
		}
		b.lines <- line[:len(line)-1]
	}
}

// attach takes hold of the page and asks to be told of everything that happens in it.
func (b *browser) attach() error {
	var targets struct {
		TargetInfos []struct {
			TargetID string `json:"targetId"`
			Type     string `json:"type"`
		} `json:"targetInfos"`
	}
	for start := time.Now(); ; {
		if err := b.call("Target.getTargets", nil, &targets); err != nil {
			return err
		}
		for _, t := range targets.TargetInfos {
			if t.Type != "page" {
				continue
			}
			var attached struct {
				SessionID string `json:"sessionId"`
			}
			if err := b.call("Target.attachToTarget", map[string]any{"targetId": t.TargetID, "flatten": true}, &attached); err != nil {
				return err
			}
			b.session = attached.SessionID
			for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
				if err := b.call(domain+".enable", nil, nil); err != nil {
					return err
				}
			}
			return nil
		}
		if time.Since(start) > patience {
			return errors.New("the browser opens no page")
		}
	}
}

// call sends a command and waits for its answer.
func (b *browser) call(method string, params, result any) error {
	b.next++
	command := map[string]any{"id": b.next, "method": method}
	if params != nil {
		command["params"] = params
	}
	if b.session != "" {
		command["sessionId"] = b.session
	}
	data, err := json.Marshal(command)
	if err != nil {
		return err
	}
	if _, err := b.to.Write(append(data, 0)); err != nil {
		return fmt.Errorf("the browser is gone: %w", err)
	}
	for {
		m, err := b.message()
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", method, err)
		case m.Method != "":
			b.events = append(b.events, m.event)
		case m.ID != b.next:
		case m.Error != nil:
			return fmt.Errorf("%s: %s", method, m.Error.Message)
		case result == nil:
			return nil
		default:
			return json.Unmarshal(m.Result, result)
		}
	}
}

func (b *browser) message() (message, error) {
	var m message
	select {
	case line, ok := <-b.lines:
		if !ok {
			return m, errors.New("the browser has ended")
		}
		return m, json.Unmarshal(line, &m)
	case <-time.After(patience):
		return m, errors.New("no answer from the browser")
	}
}

// wait reads events until one of a method has come.
func (b *browser) wait(method string) error {
	for {
		for _, e := range b.events {
			if e.Method == method {
				return nil
			}
		}
		m, err := b.message()
		if err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		b.events = append(b.events, m.event)
	}
}

// eval runs a script in the page and reads its value.
func (b *browser) eval(script string, result any) error {
	var answer struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		ExceptionDetails *struct {
			Text string `json:"text"`
		} `json:"exceptionDetails"`
	}
	err := b.call("Runtime.evaluate", map[string]any{"expression": script, "returnByValue": true, "awaitPromise": true}, &answer)
	switch {
	case err != nil:
		return err
	case answer.ExceptionDetails != nil:
		return fmt.Errorf("%s: %s", script, answer.ExceptionDetails.Text)
	case result == nil:
		return nil
	}
	return json.Unmarshal(answer.Result.Value, result)
}

// close ends the browser and removes what it has written.
func (b *browser) close() error {
	_ = b.call("Browser.close", nil, nil) // it may be gone before it answers
	_ = b.to.Close()
	for range b.lines { // until it has ended
	}
	err := b.process.Wait()
	_ = b.from.Close()
	return errors.Join(err, os.RemoveAll(b.profile))
}
