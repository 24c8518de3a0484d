package extractive_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ctxpack/ctxpack/formats"
	"github.com/ctxpack/ctxpack/summarize"
	"github.com/ctxpack/ctxpack/summarize/extractive"
)

// planted are secrets and the texts they stand in. Away from those, most of them are words like any other.
func planted() map[string]string {
	body := "RkFLRSBLRVkgRVhBTVBMRSBGQUtFIEtFWSBFWEFNUExFIEZBS0UgS0VZIEVYQU1Q"
	key := "sk-" + "proj-" + "abcdEFGH1234abcdEFGH1234abcd"
	return map[string]string{
		body:                               "-----BEGIN " + "PRIVATE KEY-----\n" + body + "\n-----END " + "PRIVATE KEY-----",
		"deadbeefcafe0123deadbeefcafe0123": "DEPLOY_TOKEN=" + "deadbeefcafe0123deadbeefcafe0123",
		"hunter2-Xyz_99":                   "password=" + "hunter2-Xyz_99",
		"S3cr3tPw99":                       "https://admin:" + "S3cr3tPw99" + "@db.example.com/prod",
		key:                                key,
	}
}

// secretTalk has every secret said by the person and the assistant, sent to a tool and printed by it.
func secretTalk() *talk {
	c := parserTalk()
	all := planted()
	for _, secret := range slices.Sorted(maps.Keys(all)) {
		text := all[secret]
		c.user("Always use this one, never lose it:\n" + text + "\nPlease add it to src/dates.py.")
		c.runs("I found that it must be "+text+" because of the server.", "bash", `{"command":"export X; `+strings.ReplaceAll(text, "\n", `\n`)+` make deploy"}`,
			"error: login failed\n"+text+"\nexit status 1")
		c.runs("", "write_file", `{"path":"deploy/prod.env","content":"`+strings.ReplaceAll(text, "\n", `\n`)+`"}`, "written")
	}
	c.says("Next I will go on.")
	return c
}

func TestNoSecretIsCopied(t *testing.T) {
	for _, budget := range []int{200, 1000, 8000} {
		req := secretTalk().request(budget)
		req.Previous = []summarize.Earlier{{Body: "## Goal\n- use " + planted()["S3cr3tPw99"] + " (1)\n"}}
		text, parsed := compose(t, req)
		for secret := range planted() {
			if strings.Contains(text, secret) {
				t.Errorf("budget %d: %s stands in\n%s", budget, secret, text)
			}
		}
		if budget == 8000 && (!strings.Contains(text, summarize.Masked) || len(parsed.User) < len(planted()) || !strings.Contains(parsed.User[0].Text, "\nPlease add it to src/dates.py.")) {
			t.Errorf("what stands around a secret is lost:\n%s", text)
		}
	}
}

func TestConversationKeepsItsSecrets(t *testing.T) {
	c := secretTalk()
	parts := map[*formats.Message][]formats.Part{}
	texts := map[*formats.Message]string{}
	for _, m := range c.messages {
		parts[m], texts[m] = slices.Clone(m.Parts), allText(m)
	}
	req := c.request(8000)
	open := req
	open.NoRedact = true
	compose(t, req)
	for i, m := range req.Turns[0].Messages {
		if m != c.messages[i] || !slices.Equal(m.Parts, parts[m]) || allText(m) != texts[m] {
			t.Errorf("message %d was changed", i)
		}
	}
	text, _ := compose(t, open)
	for secret := range planted() {
		if !strings.Contains(text, secret) {
			t.Errorf("NoRedact: %s is masked", secret)
		}
	}
}

func TestMaskedAreCounted(t *testing.T) {
	c := &talk{}
	c.user("The password=" + "hunter2-Xyz_99 is " + "AKIA" + "IOSFODNN7EXAMPLE.")
	s := counting{new(summarize.Request)}
	if _, err := summarize.Compose(context.Background(), s, c.request(800)); err != nil {
		t.Fatal(err)
	}
	if s.got.Masked != 2 {
		t.Errorf("%d masked", s.got.Masked)
	}
}

// counting notes what it was asked.
type counting struct{ got *summarize.Request }

func (counting) Name() string { return "counting" }

func (c counting) Summarize(ctx context.Context, req summarize.Request) (summarize.Prose, error) {
	*c.got = req
	return extractive.Summarizer{}.Summarize(ctx, req)
}

// A key without its first line: what `tail` shows of it.
func TestBlobsAreNoCandidates(t *testing.T) {
	blob := "RkFLRSBLRVkgRVhBTVBMRSBGQUtFIEtFWSBFWEFNUExFIEZBS0UgS0VZIEVYQU1Q"
	c := parserTalk()
	c.says(blob + "\nRkFLRQ==")
	c.runs("This is it:\n"+blob, "bash", `{"command":"tail -2 key.pem"}`, "error: "+"no END\n"+blob+"\nexit status 1")
	c.says("Done with internal/Parser2/dates/WithAVeryLongFolderName/and/another.")
	if text, _ := compose(t, c.request(8000)); strings.Contains(text, blob) {
		t.Errorf("%s stands in\n%s", blob, text)
	}
}
