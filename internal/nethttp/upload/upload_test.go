package upload

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

const form = `multipart/form-data; boundary="a b"`

// content returns a file of n bytes that starts like this.
func content(start string, n int) string {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	b := append(make([]byte, 0, n), start...)
	for len(b) < n {
		b = append(b, byte(r.Uint32()))
	}
	return string(b[:n])
}

func stands(content, media string) string {
	return fmt.Sprintf("(upload of %d bytes, %s, sha256 %x)", len(content), media, sha256.Sum256([]byte(content)))
}

func encode(content string) string { return base64.StdEncoding.EncodeToString([]byte(content)) }

// TestReduce: what is kept of a body, however it comes in pieces.
func TestReduce(t *testing.T) {
	t.Parallel()
	part := func(head, content string) string { return "--a b\r\n" + head + "\r\n\r\n" + content + "\r\n" }
	const end = "--a b--\r\n"
	png, mp3, other := content("\x89PNG\r\n\x1a\n", Limit+21), content("ID3", 3*Limit), content("\x00", Limit+2)
	text := strings.Repeat("All work and no play.\n", Limit/20)
	for _, tt := range []struct{ name, contentType, body, want string }{
		{"parts", form, part("A: b", mp3) + part("Content-Type: image/gif", other) + part(`Content-Disposition: form-data; name="f"; filename="x.M4A"`+"\r\nContent-Type: application/octet-stream", other) + part("A: b", text) + part("A: b", "short") + end,
			part("A: b", stands(mp3, "audio/mpeg")) + part("Content-Type: image/gif", stands(other, "image/gif")) + part(`Content-Disposition: form-data; name="f"; filename="x.M4A"`+"\r\nContent-Type: application/octet-stream", stands(other, "audio/mp4")) + part("A: b", stands(text, unknown)) + part("A: b", "short") + end},
		{"a part of the limit", form, part("A: b", other[:Limit]) + end, part("A: b", other[:Limit]) + end},
		{"parts without an end", form, "--a b\r\n\r\n" + other, "--a b\r\n\r\n" + stands(other, unknown)},
		{"no boundary", "multipart/form-data", "--a b\r\n\r\n" + other, stands("--a b\r\n\r\n"+other, "multipart/form-data")},
		{"base64", "", `{"a":"` + encode(png) + `","b":["data:image/x;base64,` + encode(other) + `",1],"c":"` + text[:20] + `"}`,
			`{"a":"` + stands(png, "image/png") + `","b":["data:image/x;base64,` + stands(other, "image/x") + `",1],"c":"` + text[:20] + `"}`},
		{"base64 of the limit", "", `["` + encode(other[:Limit]) + `"]`, ""},
		{"base64 beyond the limit", "", `["` + encode(other[:Limit+1]) + `"]`, `["` + stands(other[:Limit+1], unknown) + `"]`},
		{"base64 without padding", "", `["` + strings.TrimRight(encode(png), "=") + `"]`, `["` + stands(png[:len(png)/3*3], "image/png") + strings.TrimRight(encode(png)[len(png)/3*4:], "=") + `"]`},
		{"base64 with other padding", "", `["` + encode(mp3[:Limit+8]) + `==="]`, `["` + stands(mp3[:Limit+8], "audio/mpeg") + `==="]`},
		{"a text of JSON", "application/json", `["` + strings.Repeat("All work and no play. ", Limit/10) + `"]`, ""},
		{"text", "text/plain", text, ""},
		{"text in other letters", "", strings.Repeat("Ää…", Limit/2), ""},
		{"lines of JSON", "", strings.Repeat(`{"a":"b"}`+"\n", Limit/8), ""},
		{"lines whose first one is long", "", strings.Repeat(`{"a":"`+encode(png)+"\"}\n", 2), strings.Repeat(`{"a":"`+stands(png, "image/png")+"\"}\n", 2)},
		{"a text that is an upload", unknown, text, stands(text, unknown)},
		{"a sound", "audio/aac", other, stands(other, "audio/aac")},
		{"zeros", "", string(make([]byte, Limit+1)), stands(string(make([]byte, Limit+1)), unknown)},
		{"a lie", "application/json", mp3, stands(mp3, "audio/mpeg")},
		{"another lie", "application/json", other, stands(other, unknown)},
		{"much text", "text/plain", strings.Repeat(text, MaxText/len(text)+1), stands(strings.Repeat(text, MaxText/len(text)+1), "text/plain")},
		{"little", unknown, other[:Limit], ""},
	} {
		want := []byte(tt.want)
		if tt.want == "" {
			want = []byte(tt.body)
		}
		got := Reduce(tt.contentType, []byte(tt.body))
		if !bytes.Equal(got, want) {
			t.Errorf("%s: it is\n%.500q\nwant\n%.500q", tt.name, got, want)
			continue
		}
		if again := Reduce(tt.contentType, got); !bytes.Equal(again, got) {
			t.Errorf("%s: reduced again it is\n%.500q", tt.name, again)
		}
		for _, size := range []int{1 << 16, 997, len(tt.body) - 3} {
			r := NewReader(tt.contentType)
			for rest := []byte(tt.body); len(rest) > 0; {
				n := min(size, len(rest))
				if _, err := r.Write(bytes.Clone(rest[:n])); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			if got := r.Kept(); !bytes.Equal(got, want) {
				t.Errorf("%s, in pieces of %d: it is\n%.500q", tt.name, size, got)
			}
		}
	}
}

// TestSum: what stands for content has its sum.
func TestSum(t *testing.T) {
	t.Parallel()
	c := content("", Limit+1)
	length, sum := Sum(c)
	if l, s := Sum(stands(c, "a/b")); l != length || s != sum || l != fmt.Sprint(len(c)) {
		t.Errorf("%s %s, want %s %s", l, s, length, sum)
	}
	for _, text := range []string{"", "(upload of", stands(c, "a/b") + " ", " " + stands(c, "a/b"), strings.ToUpper(stands(c, "a/b"))} {
		if Is(text) {
			t.Errorf("%q stands for an upload", text)
		}
	}
	if !EndsWithOne("data:a/b;base64,"+stands(c, "a/b")) || EndsWithOne("(a)") {
		t.Error("what ends with one is not known")
	}
}
