package foreign

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"testing"
)

// The VCR of R and betamax have the format of Ruby's with other keys for status and bodies. A body
// that is not in the file leaves the interaction out.
func TestRubyVCRFormatOfOtherLanguages(t *testing.T) {
	t.Parallel()
	var deflated bytes.Buffer
	zw := zlib.NewWriter(&deflated)
	zw.Write([]byte("ok"))
	zw.Close()
	for _, tt := range []struct{ name, status, body, want string }{
		{"Ruby", "status: {code: 203, message: OK}", "{encoding: UTF-8, string: ok}", "ok"},
		{"R before 2.0", "status: {status_code: 203, category: Success}", "{encoding: '', file: no, string: ok}", "ok"},
		{"R", "status: 203", "{string: ok}", "ok"},
		{"R, bytes", "status: 203", "{raw_gzip: " + base64.StdEncoding.EncodeToString(deflated.Bytes()) + "}", "ok"},
		{"R, bytes before 2.0", "status: {status_code: '203'}", "{encoding: '', base64_string: b2s=}", "ok"},
		{"betamax before 0.3", "status_code: 203", "{string: ok, encoding: null}", "ok"},
		{"R, a file", "status: 203", "{on_disk: files/a.txt}", `left out: the body of the answer is in a file of its own, "files/a.txt", which import does not read`},
		{"R before 2.0, a file", "status: {status_code: 203}", "{encoding: '', file: yes, string: files/a.txt}", `left out: the body of the answer is in a file of its own, "files/a.txt", which import does not read`},
		{"R, fields", "status: 203", "{fields: {a: b}}", "left out: the body of the answer is a list of fields, and not what was sent"},
	} {
		text := "http_interactions:\n- request:\n    method: get\n    uri: https://h.example/x\n    body: {string: ''}\n    headers: []\n  response:\n    " +
			tt.status + "\n    headers: {content-type: text/plain}\n    body: " + tt.body + "\nrecorded_with: x\n"
		c, err := Read("c", []byte(text), nil)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		got := ""
		for _, l := range c.LeftOut {
			got += "left out: " + l.Why
		}
		for _, it := range c.Interactions {
			if it.Response.Status != 203 {
				t.Errorf("%s: status %d, want 203", tt.name, it.Response.Status)
			}
			got += string(bodyOf(t, it))
		}
		if got != tt.want {
			t.Errorf("%s: read as %q, want %q", tt.name, got, tt.want)
		}
	}
}
