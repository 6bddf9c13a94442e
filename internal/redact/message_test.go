package redact

import (
	"strings"
	"testing"
)

// A message shows no credential and no control sequence of a terminal, and is otherwise unchanged.
func TestMessage(t *testing.T) {
	t.Parallel()
	const key = "pQ7zR2mK9xW4tY6uB1nC8vD3fG5hJ0aL" // made up
	tests := []struct{ in, want string }{
		{`Post "https://h/v1/models/m:generateContent?key=` + key + `": EOF`, `Post "https://h/v1/models/m:generateContent?key=[REDACTED]": EOF`},
		{"see https://user:" + key + "@h/a?alt=sse&token=" + key + ".", "see https://h/a?alt=sse&token=[REDACTED]."},
		{"with " + secret + " in it", "with [REDACTED] in it"},
		{"GET https://h/a?key=[REDACTED]", ""},
		{"ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5 is one", "[REDACTED] is one"},
		{"a.yaml:4: model: x\n::error file=a.go::pwned\x1b[2J", "a.yaml:4: model: x\n\\::error file=a.go::pwned\\x1b[2J"},
		{"  \t::warning::x", "  \t\\::warning::x"},
		{"x ##vso[task.setvariable] ##[error] ##teamcity[x]", `x \#\#vso[task.setvariable] \#\#[error] \#\#teamcity[x]`},
		{"a\rb\r\nc\x00\x7f\u009b31m\u202egpj.exe\u2066\ufeff\xff", `a\x0db` + "\n" + `c\x00\x7f\u009b31m\u202egpj.exe\u2066\ufeff\xff`},
		{"plain, with line breaks\n\tand \u00e9 \u65e5\u672c [::1]:8080 a::b ## title", ""},
	}
	for _, tt := range tests {
		if tt.want == "" {
			tt.want = tt.in
		}
		var p Policy
		p.AddSecret(secret)
		got := p.Message(tt.in)
		if got != tt.want {
			t.Errorf("%q is %q, want %q", tt.in, got, tt.want)
		}
		if again := p.Message(got); again != got {
			t.Errorf("%q is %q the second time", got, again)
		}
		if strings.Contains(got, key) {
			t.Errorf("%q", got)
		}
	}
}

// TestOneLine: what stays in a text of several lines is escaped in a name.
func TestOneLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a b/é.yaml":            "a b/é.yaml",
		"new\nline\ttab\x1b[0m": `new\nline\ttab\x1b[0m`,
		"a\r\nb\n":              `a\nb\n`,
		"a\n::error::b":         `a\n\::error::b`,
	} {
		if got := OneLine(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
