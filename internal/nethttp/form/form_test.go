package form

import (
	"bytes"
	"mime/multipart"
	"net/url"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

func headers(contentType string) interaction.Headers {
	return interaction.Headers{{Name: "content-type", Values: []string{contentType}}}
}

// TestWrittenByGo: what Go's own writers make is taken apart into what was put in, and put
// together again byte for byte.
func TestWrittenByGo(t *testing.T) {
	t.Parallel()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	if err := w.WriteField("model", "whisper-1"); err != nil {
		t.Fatal(err)
	}
	file, err := w.CreateFormFile("file", "a b.mp3")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Write([]byte("ID3\x00\r\n--x")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	kind, ok := KindOf(headers(w.FormDataContentType()))
	parts, why := kind.Split(body.Bytes())
	if !ok || why != "" || len(parts) != 2 || parts[0].Name != "model" || string(parts[0].Content) != "whisper-1" ||
		parts[1].Name != "file" || parts[1].File != "a b.mp3" || parts[1].Media != "application/octet-stream" || string(parts[1].Content) != "ID3\x00\r\n--x" {
		t.Fatalf("%v %q %+v", ok, why, parts)
	}
	if again := kind.Join(parts); !bytes.Equal(again, body.Bytes()) {
		t.Errorf("%q\nagain %q", body.Bytes(), again)
	}
	pairs := url.Values{"grant_type": {"client_credentials"}, "scope": {"a b&c"}}.Encode()
	kind, ok = KindOf(headers("application/x-www-form-urlencoded"))
	if parts, why := kind.Split([]byte(pairs)); !ok || why != "" || len(parts) != 2 || parts[1].Name != "scope" || string(parts[1].Content) != "a b&c" || string(kind.Join(parts)) != pairs {
		t.Errorf("%v %q %+v", ok, why, parts)
	}
}

// TestLeftAlone: what would not be the same again, or is no form, is not taken apart.
func TestLeftAlone(t *testing.T) {
	t.Parallel()
	if _, ok := KindOf(headers("application/json")); ok {
		t.Error("JSON is a form")
	}
	if _, ok := KindOf(headers("multipart/form-data")); ok {
		t.Error("a form without a boundary is one")
	}
	multi, _ := KindOf(headers("multipart/form-data; boundary=x"))
	encoded, _ := KindOf(headers("application/x-www-form-urlencoded"))
	const part = "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n"
	for _, tt := range []struct {
		kind Kind
		body string
	}{
		{multi, ""}, {multi, part}, {multi, "preamble\r\n" + part + "--x--\r\n"}, {multi, part + "--x--\r\nepilogue"},
		{multi, strings.ReplaceAll(part, "\r\n", "\n") + "--x--\n"}, {encoded, "a=b%20c"}, {encoded, "a"},
	} {
		if parts, why := tt.kind.Split([]byte(tt.body)); why == "" {
			t.Errorf("%q: %+v", tt.body, parts)
		}
	}
}
