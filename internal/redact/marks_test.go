package redact

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestMarks: what is looked for quickly is found wherever it stands, and nothing else.
func TestMarks(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	marks := []string{"ccessKey", "x"}
	for _, m := range marked {
		marks = append(marks, m.mark)
	}
	for _, h := range holders {
		if h.mark != "" {
			marks = append(marks, h.mark)
		}
	}
	for _, mark := range marks {
		for range 2000 {
			var b bytes.Buffer
			for range r.IntN(6) { // parts of the mark, and what it consists of
				from := r.IntN(len(mark))
				b.WriteString(mark[from : from+r.IntN(len(mark)-from+1)])
				b.WriteByte(mark[r.IntN(len(mark))])
				if r.IntN(3) == 0 {
					b.WriteString(mark)
				}
			}
			if text := b.Bytes(); has(text, mark) != bytes.Contains(text, []byte(mark)) {
				t.Fatalf("%s in %s: %v", mark, text, has(text, mark))
			}
		}
	}
}

// TestEndsOfFields: every name of a field that holds a secret anywhere is seen at a glance, in JSON, in
// forms and in XML, and "max_tokens" is not.
func TestEndsOfFields(t *testing.T) {
	t.Parallel()
	for name := range strings.SplitSeq(secretFields+"|password|AccessKeyId", "|") {
		for _, format := range []string{`{"%s":"x"}`, "a=b&%s=x", "<%s>x</%[1]s>", "%s="} {
			if text := fmt.Sprintf(format, name); !mayHaveField([]byte(text)) {
				t.Errorf("not in %s", text)
			}
		}
	}
	for _, text := range []string{"", `"`, "=>", `{"max_tokens":10,"on":1,"a token":2}`, "access_token", "password: x"} {
		if mayHaveField([]byte(text)) {
			t.Errorf("in %s", text)
		}
	}
}
