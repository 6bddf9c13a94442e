package coding

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"strings"
	"testing"
)

const said = "What a body says. What a body says, again and again."

// compressed returns said as a compressor writes it; flushed is how long the part is that
// was flushed after the first sentence.
func compressed(t *testing.T, w interface {
	io.WriteCloser
	Flush() error
}, out *bytes.Buffer) (body []byte, flushed int) {
	t.Helper()
	io.WriteString(w, said[:18])
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	flushed = out.Len()
	io.WriteString(w, said[18:])
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), flushed
}

// decode returns what a body says; ok is false if that is not in the coding.
func decode(coding string, body []byte) (plain []byte, ok bool) {
	r, ok := Reader(coding, bytes.NewReader(body))
	if !ok {
		return nil, false
	}
	plain, err := io.ReadAll(r)
	return plain, !bytes.Equal(plain, body) && (err == nil || len(plain) > 0)
}

func gzipped(t *testing.T) (body []byte, flushed int) {
	var out bytes.Buffer
	return compressed(t, gzip.NewWriter(&out), &out)
}

func zlibbed(t *testing.T) (body []byte, flushed int) {
	var out bytes.Buffer
	return compressed(t, zlib.NewWriter(&out), &out)
}

func deflated(t *testing.T) (body []byte, flushed int) {
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	return compressed(t, w, &out)
}

// TestDecode: both that servers send as deflate are read, and the names of codings in
// any case.
func TestDecode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		coding string
		write  func(*testing.T) ([]byte, int)
	}{
		{"gzip", gzipped}, {" X-GZip ", gzipped}, {"deflate", zlibbed}, {"Deflate", deflated},
	} {
		body, _ := tt.write(t)
		plain, ok := decode(tt.coding, body)
		if !ok || string(plain) != said {
			t.Errorf("%s: %q, %v", tt.coding, plain, ok)
		}
		for n := 1; n < len(body); n++ { // cut off
			plain, ok := decode(tt.coding, body[:n])
			if ok && !strings.HasPrefix(said, string(plain)) {
				t.Errorf("%s, %d bytes of it: %q", tt.coding, n, plain)
			}
		}
	}
	for _, tt := range []struct{ coding, body string }{
		{"", said}, {"identity", said}, {"br", said}, {"gzip, gzip", said}, {"gzip", said}, {"gzip", "hi"}, {"deflate", said},
	} {
		if plain, ok := decode(tt.coding, []byte(tt.body)); ok {
			t.Errorf("%q of plain text: %q", tt.coding, plain)
		}
	}
}

// TestDecodeCut: of a body that is cut off, what was flushed before the cut is read.
func TestDecodeCut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		coding string
		write  func(*testing.T) ([]byte, int)
	}{{"gzip", gzipped}, {"deflate", zlibbed}, {"deflate", deflated}} {
		body, flushed := tt.write(t)
		if plain, ok := decode(tt.coding, body[:flushed]); !ok || string(plain) != said[:18] {
			t.Errorf("%s: %q, %v", tt.coding, plain, ok)
		}
	}
}

// TestReader: what was flushed is read before more comes, and nothing is waited for before the
// first Read. What does not begin as its coding says is read as it is.
func TestReader(t *testing.T) {
	t.Parallel()
	body, flushed := gzipped(t)
	in, out := io.Pipe()
	defer in.Close()
	r, ok := Reader("gzip", in)
	if !ok {
		t.Fatal("there is no gzip")
	}
	go out.Write(body[:flushed])
	first := make([]byte, 18)
	if _, err := io.ReadFull(r, first); err != nil || string(first) != said[:18] {
		t.Errorf("%q, %v", first, err)
	}
	go func() {
		out.Write(body[flushed:])
		out.Close()
	}()
	if rest, err := io.ReadAll(r); err != nil || string(rest) != said[18:] {
		t.Errorf("%q, %v", rest, err)
	}
	for _, plain := range []string{"", "h", "{}", said} {
		r, _ := Reader("gzip", strings.NewReader(plain))
		if got, err := io.ReadAll(r); err != nil || string(got) != plain {
			t.Errorf("%q: %q, %v", plain, got, err)
		}
	}
}

func TestDecompress(t *testing.T) {
	t.Parallel()
	twice := func(b []byte) []byte {
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		w.Write(b)
		w.Close()
		return out.Bytes()
	}
	zipped, _ := gzipped(t)
	zlib, _ := zlibbed(t)
	for name, body := range map[string][]byte{"gzip": zipped, "zlib": zlib, "gzip twice": twice(zipped), "gzip of zlib": twice(zlib)} {
		if plain, ok := Decompress(body); !ok || string(plain) != said {
			t.Errorf("%s: %q, %v", name, plain, ok)
		}
	}
	for name, body := range map[string][]byte{
		"nothing": nil, "text": []byte(said), "cut": zipped[:len(zipped)-1], "too often": twice(twice(twice(zipped))),
	} {
		if plain, ok := Decompress(body); ok {
			t.Errorf("%s: %q", name, plain)
		}
	}
}

// TestUnescapeQuery: what is escaped wrongly, or reads as if it were, stays different from
// everything that is escaped rightly.
func TestUnescapeQuery(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"": "", "a": "a", "a+b%20c": "a b c", "%C3%A9%2B": "é+", "%25zz": "%zz", "%zz": "\x00%zz", "%": "\x00%", "a%2": "\x00a%2", "%00a": "\x00\x00a", "a%00": "a\x00",
	} {
		if got := UnescapeQuery(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}
