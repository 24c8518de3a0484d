package formats

import "testing"

func TestHuman(t *testing.T) {
	text := func(s string) []Part { return []Part{&Text{Text: s}} }
	for _, test := range []struct {
		name  string
		m     Message
		human bool
	}{
		{"plain", Message{Role: RoleUser, Parts: text("please fix the build")}, true},
		{"assistant", Message{Role: RoleAssistant, Parts: text("please fix the build")}, false},
		{"empty", Message{Role: RoleUser, Parts: text(" \n")}, false},
		{"no parts", Message{Role: RoleUser}, false},
		{"image only", Message{Role: RoleUser, Parts: []Part{&Media{Type: "image"}}}, true},
		{"result", Message{Role: RoleUser, Parts: []Part{&ToolResult{Text: "x"}}}, false},
		{"result and text", Message{Role: RoleUser, Parts: []Part{&ToolResult{Text: "x"}, &Text{Text: "go on"}}}, false},
		{"marked", Message{Role: RoleUser, Marked: true, Parts: text("anything")}, false},
		{"summary", Message{Role: RoleUser, Parts: text("[CONTEXT SUMMARY]: we did things")}, false},
		{"reminder", Message{Role: RoleUser, Parts: text("<system-reminder>\nbe nice\n</system-reminder>")}, false},
		{"reminder then words", Message{Role: RoleUser, Parts: text("<system-reminder>x</system-reminder>\nNow add a test")}, true},
		{"reminder unclosed", Message{Role: RoleUser, Parts: text("<system-reminder>x")}, false},
		{"two parts", Message{Role: RoleUser, Parts: []Part{&Text{Text: "<system-reminder>x</system-reminder>"}, &Text{Text: "hi"}}}, true},
		{"command", Message{Role: RoleUser, Parts: text("<command-name>/clear</command-name>\n<command-message>clear</command-message>")}, false},
		{"interrupted", Message{Role: RoleUser, Parts: text("[Request interrupted by user]")}, false},
		{"other tag", Message{Role: RoleUser, Parts: text("<pr_description>\nIt crashes\n</pr_description>")}, true},
		{"tag with a longer name", Message{Role: RoleUser, Parts: text("<command-names>x</command-names>")}, true},
		{"observation", Message{Role: RoleUser, Parts: text("total 4\n(Open file: n/a)\n(Current directory: /r)\nbash-$")}, false},
		{"task with a prompt", Message{Role: RoleUser, Parts: text("ISSUE:\nit fails\nINSTRUCTIONS:\nfix it\n(Open file: n/a)\n(Current directory: /r)\nbash-$")}, true},
		{"returncode", Message{Role: RoleUser, Parts: text("<returncode>0</returncode>\n<output>\n</output>")}, false},
		{"quotes a marker", Message{Role: RoleUser, Parts: text("what does [CONTEXT SUMMARY]: mean?")}, true},
	} {
		if got := Human(&test.m); got != test.human {
			t.Errorf("%s: Human = %v, want %v", test.name, got, test.human)
		}
	}
}
