package codec

import (
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

const urlEncoded = "application/x-www-form-urlencoded"

// formRequest returns an interaction with a body of this content type.
func formRequest(contentType string, body []byte) *interaction.Interaction {
	return &interaction.Interaction{
		Request: interaction.Request{
			Method: "POST", URL: "https://example.com/",
			Headers: interaction.Headers{{Name: "content-type", Values: []string{contentType}}}, Body: body,
		},
		Response: interaction.Response{Status: 200},
	}
}

// forms are bodies of forms, and the lines that they have in a cassette.
var forms = []struct{ name, contentType, body, want string }{
	{"of Go", `multipart/form-data; boundary=B`,
		"--B\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nwhisper-1\r\n" +
			"--B\r\nContent-Disposition: form-data; name=\"prompt\"\r\n\r\nRome,\nParis\n\r\n" +
			"--B\r\nContent-Disposition: form-data; name=\"picture\"; filename=\"p\"\r\nContent-Type: image/png\r\n\r\n" + strings.Repeat("\x00\xff", 600) + "\r\n" +
			"--B\r\nContent-Disposition: form-data; name=\"schema\"\r\n\r\n{\"a\":[1,\"2\"]}\r\n" +
			"--B\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\n5\r\n" +
			"--B\r\nContent-Disposition: form-data; name=\"empty\"\r\n\r\n\r\n" +
			"--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"talk.ogg\"\r\nContent-Type: application/octet-stream\r\n\r\n\xff\x00\r\n" +
			"--B--\r\n", `    form:
    - model: whisper-1
    - prompt: |
        Rome,
        Paris
    - name: picture
      filename: p
      type: image/png
      value_file: fe52ee994c17955c.png
    - schema:
        a:
        - 1
        - "2"
    - "n": "5"
    - empty: ""
    - name: file
      filename: talk.ogg
      type: application/octet-stream
      value_base64: "/wA="
`},
	{"of Google", `multipart/related; boundary="B"`,
		"--B\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n{\"file\":{\"displayName\":\"a\"}}\n\r\n" +
			"--B\r\nContent-Type: text/plain\r\nX-Goog-Upload: 1\r\n\r\nhello\r\n--B--\r\n", `    form:
    - headers: {Content-Type: "application/json; charset=UTF-8"}
      layout: {after: "\n"}
      value:
        file:
          displayName: a
    - headers: {Content-Type: text/plain, X-Goog-Upload: "1"}
      value: hello
`},
	{"of Node", `multipart/form-data; boundary=B`, "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--B--", "    no_last_line_end: true\n    form:\n    - a: \"1\"\n"},
	{"URL-encoded", urlEncoded, `grant_type=client_credentials&scope=a+b%2Fc&client_secret=[REDACTED]&x=[REDACTED-0123abcd]&payload=%7B%22a%22%3A1%7D`, `    form:
    - grant_type: client_credentials
    - scope: a b/c
    - client_secret: "[REDACTED]"
    - x: "[REDACTED-0123abcd]"
    - payload: {a: 1}
`},
	{"without parts", `multipart/form-data; boundary=B`, "--B--\r\n", "    body: \"--B--"},
	{"spelled in another way", urlEncoded, `q=a%20b`, "    body: q=a%20b\n"},
	{"cut off", `multipart/form-data; boundary=B`, "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--B", "    body: \"--B"},
	{"with another line end", `multipart/form-data; boundary=B`, "--B\nContent-Disposition: form-data; name=\"a\"\n\n1\n--B--\n", "    body: |\n"},
	{"JSON in the name of a form", urlEncoded, `{"a":1}`, "    body: {a: 1}\n"},
	{"a name in quotes", `multipart/form-data; boundary=B`, "--B\r\nContent-Disposition: form-data; name=\"a b: \xc3\xa4\"\r\n\r\n1\r\n--B--\r\n", "    form:\n    - \"a b: \xc3\xa4\": \"1\"\n"},
	{"a header in another way", `multipart/form-data; boundary=B`, "--B\r\ncontent-disposition: form-data; name=a\r\n\r\n1\r\n--B--\r\n", "    form:\n    - headers: {content-disposition: \"form-data; name=a\"}\n      value: \"1\"\n"},
}

// TestForms: a form stands in a cassette as people think of it, if it comes back byte for byte.
func TestForms(t *testing.T) {
	t.Parallel()
	for _, tt := range forms {
		text := string(checkRoundTrip(t, formRequest(tt.contentType, []byte(tt.body))))
		_, got, _ := strings.Cut(text, "\n    headers: ")
		_, got, _ = strings.Cut(got, "\n")
		if !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: it is\n%swant\n%s", tt.name, got, tt.want)
		}
	}
}

// TestFormsByHand is what Parse says about forms that cannot be put together.
func TestFormsByHand(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ headers, lines, want string }{
		{"", "form:\n    - a: b", "needs a content-type"},
		{urlEncoded, "form: []", "has no parts"},
		{urlEncoded, "form:\n    - a: b\n    body: c", "both a body and a form"},
		{urlEncoded, "form: a", "a list of parts"},
		{urlEncoded, "form:\n    - a", "a mapping"},
		{urlEncoded, "form:\n    - name: a\n      valeu: b", `unknown key "valeu"`},
		{urlEncoded, "form:\n    - name: a\n      value: b\n      value_base64: eA==", "more than one of value, value_base64 and value_file"},
	} {
		text := "- request:\n    method: POST\n    url: https://h/\n    headers: {content-type: \"" + tt.headers + "\"}\n    " + tt.lines + "\n  response: {status: 200}\n"
		if it, err := ParseItem("a.yaml", text, nil, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, %v; want %s", tt.lines, it, err, tt.want)
		}
	}
}

// FuzzForm: any bytes survive as a form, whatever it says of itself.
func FuzzForm(f *testing.F) {
	for _, tt := range forms {
		f.Add(tt.contentType, []byte(tt.body))
	}
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		checkRoundTrip(t, formRequest(contentType, body))
	})
}
