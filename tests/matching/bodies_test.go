package matching_test

import (
	"testing"

	"github.com/promptecho/promptecho/tests/internal/must"
)

// The body of a form, a multipart message or another type is compared by its parts, if its type has parts.
func TestBodyThatIsNotJSONIsComparedByItsParts(t *testing.T) {
	t.Parallel()
	body := func(media, text string) must.Request {
		return must.Request{URL: "https://f.example/x", Body: text, Headers: []string{"Content-Type", media}}
	}
	form := func(text string) must.Request { return body("application/x-www-form-urlencoded", text) }
	upload := func(boundary, name, content string) must.Request {
		return body("multipart/form-data; boundary="+boundary, "--"+boundary+"\r\n"+
			`Content-Disposition: form-data; name="file"; filename="`+name+`"`+"\r\n\r\n"+
			content+"\r\n--"+boundary+"--\r\n")
	}
	related := func(boundary, content string) must.Request {
		return body("multipart/related; boundary="+boundary, "--"+boundary+"\r\n"+
			"Content-Type: application/json\r\n\r\n{\"name\": \"n\"}\r\n--"+boundary+"\r\n"+
			"Content-Type: text/plain\r\n\r\n"+content+"\r\n--"+boundary+"--\r\n")
	}
	binary := func(text string) must.Request { return body("application/octet-stream", text) }
	brotli := func(text string) must.Request {
		req := binary(text)
		req.Headers = append(req.Headers, "Content-Encoding", "br")
		return req
	}
	wantSame(t, []comparison{
		{"the fields of a form in another order", form("a=1&b=2"), form("b=2&a=1")},
		{"a field of a form that is escaped otherwise", form("a=x+y"), form("a=x%20y")},
		{"another boundary of a form with a file", upload("b1", "a.txt", "x"), upload("b2", "a.txt", "x")},
		{"another name of a file, with its extension", upload("b", "a.txt", "x"), upload("b", "b.txt", "x")},
		{"another boundary of multipart/related", related("b1", "x"), related("b2", "x")},
		{"the same bytes in brotli", brotli("\x0b\x00a"), brotli("\x0b\x00a")},
		{"JSON of another type, with other spaces", binary(`{"a": 1}`), binary(`{"a":1}`)},
	})
	wantDifferent(t, []comparison{
		{"another value of a field", form("a=1&b=2"), form("a=1&b=3")},
		{"a field that is there twice", form("a=1"), form("a=1&a=1")},
		{"another content of a file", upload("b", "a.txt", "x"), upload("b", "a.txt", "y")},
		{"another extension of a file", upload("b", "a.txt", "x"), upload("b", "a.csv", "x")},
		{"another content of a part of multipart/related", related("b", "x"), related("b", "y")},
		{"another byte of a body without parts", binary("\x00a=1&b=2"), binary("\x00b=2&a=1")},
		{"another byte of a body in brotli", brotli("\x0b\x00a"), brotli("\x0b\x00b")},
		{"a member of JSON that is there twice", binary(`{"a":1}`), binary(`{"a":1,"a":1}`)},
	})
}
