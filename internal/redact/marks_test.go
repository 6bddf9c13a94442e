package redact

import (
	"fmt"
	"strings"
	"testing"
)

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
