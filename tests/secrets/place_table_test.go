package secrets_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/testing/encode"
)

// A secretPlace is a place of a call that can hold a text.
type secretPlace struct {
	name string

	// request puts the text into a request; nil stands for one without it.
	request func(req *http.Request, text string)

	// answer writes an answer that has the text; nil stands for one without it.
	answer func(w http.ResponseWriter, text string)

	// wrap calls a function of [promptecho.Wrap] instead of sending a request.
	wrap func(ctx context.Context, r *promptecho.Recorder, text string) error

	// holds reports whether the text can be at the place; nil stands for any.
	holds func(text string) bool

	// ofDigits says that only the secret of digits can be at the place.
	ofDigits bool
}

// secretPlaces are all places of a call.
var secretPlaces = []secretPlace{
	{name: "user of the URL", request: func(req *http.Request, text string) {
		req.URL.User = url.User(text)
	}},
	{name: "host of the URL", holds: isHost, request: func(req *http.Request, text string) {
		req.URL.Host = text + ".example"
	}},
	{name: "path", request: func(req *http.Request, text string) {
		req.URL.Path = "/files/" + text + "/lines"
	}},
	{name: "query", request: func(req *http.Request, text string) {
		req.URL.RawQuery = url.Values{"note": {text}}.Encode()
	}},
	{name: "header", holds: isOneLine, request: func(req *http.Request, text string) {
		req.Header.Set("X-Note", text)
	}},
	{name: "cookie", holds: isOneLine, request: func(req *http.Request, text string) {
		req.Header.Set("Cookie", "note="+text)
	}},
	{name: "JSON string", request: func(req *http.Request, text string) {
		setBody(req, "application/json", `{"model":"m","messages":[{"role":"user","content":"`+encode.JSON(text)+`"}]}`)
	}},
	{name: "JSON name", request: func(req *http.Request, text string) {
		setBody(req, "application/json", `{"notes":{"`+encode.JSON(text)+`":"x"}}`)
	}},
	{name: "JSON number", holds: isDigits, ofDigits: true, request: func(req *http.Request, text string) {
		setBody(req, "application/json", `{"notes":[1,`+text+`]}`)
	}},
	{name: "form", request: func(req *http.Request, text string) {
		setBody(req, "application/x-www-form-urlencoded", "a=1&"+url.Values{"note": {text}}.Encode())
	}},
	{name: "field of a multipart form", request: func(req *http.Request, text string) {
		mediaType, body := multipartBody(text, false)
		setBody(req, mediaType, body)
	}},
	{name: "file of a multipart form", request: func(req *http.Request, text string) {
		mediaType, body := multipartBody(strings.Repeat("a line of the file\n", 20)+text, true)
		setBody(req, mediaType, body)
	}},
	{name: "header of an answer", holds: isOneLine, answer: func(w http.ResponseWriter, text string) {
		w.Header().Set("X-Note", text)
	}},
	{name: "Set-Cookie", holds: isOneLine, answer: func(w http.ResponseWriter, text string) {
		w.Header().Set("Set-Cookie", "note="+text+"; Path=/")
	}},
	{name: "trailer", holds: isOneLine, answer: func(w http.ResponseWriter, text string) {
		w.Header().Set("Trailer", "X-Note")
		io.WriteString(w, "fine")
		w.Header().Set("X-Note", text)
	}},
	{name: "JSON of an answer", answer: answered("application/json", func(text string) string {
		return `{"choices":[{"index":0,"message":{"role":"assistant","content":"` + encode.JSON(text) + `"}}]}`
	})},
	{name: "event", answer: answered("text/event-stream", func(text string) string {
		return "event: note\ndata: {\"note\":\"" + encode.JSON(text) + "\"}\n\ndata: [DONE]\n\n"
	})},
	{name: "pieces of events", answer: answered("text/event-stream", inPieces)},
	{name: "JSON lines", answer: answered("application/x-ndjson", func(text string) string {
		return "{\"n\":1}\n{\"note\":\"" + encode.JSON(text) + "\"}\n"
	})},
	{name: "XML", answer: answered("text/xml", func(text string) string {
		return `<notes><note at="` + encode.XML(text) + `">` + encode.XML(text) + `</note></notes>`
	})},
	{name: "redirect", answer: func(w http.ResponseWriter, text string) {
		w.Header().Set("Location", "https://h.example/next?state="+url.QueryEscape(text))
		w.WriteHeader(http.StatusFound)
	}},
	{name: "compressed answer", answer: func(w http.ResponseWriter, text string) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, encode.Gzip("a note: "+text))
	}},
	{name: "argument of a function", wrap: func(ctx context.Context, r *promptecho.Recorder, text string) error {
		_, err := promptecho.Wrap(r, "tool/note", func(context.Context, map[string]string) (string, error) {
			return "fine", nil
		})(ctx, map[string]string{"note": text})
		return err
	}},
	{name: "result of a function", wrap: func(ctx context.Context, r *promptecho.Recorder, text string) error {
		_, err := promptecho.Wrap(r, "tool/note", func(context.Context, string) (map[string]string, error) {
			return map[string]string{"note": text}, nil
		})(ctx, "x")
		return err
	}},
	{name: "error of a function", wrap: func(ctx context.Context, r *promptecho.Recorder, text string) error {
		_, err := promptecho.Wrap(r, "tool/note", func(context.Context, string) (string, error) {
			return "", errors.New("the note is " + text)
		})(ctx, "x")
		var miss *promptecho.MissError
		if errors.As(err, &miss) {
			return err
		}
		return nil
	}},
}

// isOneLine reports whether a header can have a text.
func isOneLine(text string) bool { return !strings.ContainsAny(text, "\r\n") }

// isHost reports whether the name of a host can be a text.
func isHost(text string) bool {
	return strings.IndexFunc(text, func(c rune) bool {
		isLetter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		isOther := c >= '0' && c <= '9' || c == '-' || c == '.' || c == '_'
		return !isLetter && !isOther
	}) < 0
}

// isDigits reports whether a JSON number can be a text.
func isDigits(text string) bool { return strings.Trim(text, "0123456789") == "" }

// setBody gives a request a body.
func setBody(req *http.Request, mediaType, body string) {
	req.Header.Set("Content-Type", mediaType)
	req.Body = io.NopCloser(strings.NewReader(body))
	req.ContentLength = int64(len(body))
}

// multipartBody returns a form of one part.
func multipartBody(text string, isFile bool) (mediaType, body string) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	var part io.Writer
	var err error
	if isFile {
		part, err = w.CreateFormFile("file", "notes.txt")
	} else {
		part, err = w.CreateFormField("note")
	}
	if err == nil {
		_, err = io.WriteString(part, text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err)
	}
	return w.FormDataContentType(), b.String()
}

// answered returns an answer with a body.
func answered(mediaType string, body func(text string) string) func(http.ResponseWriter, string) {
	return func(w http.ResponseWriter, text string) {
		w.Header().Set("Content-Type", mediaType)
		io.WriteString(w, body(text))
	}
}

// inPieces returns events that give a text in pieces of a few bytes, as models do.
func inPieces(text string) string {
	var b strings.Builder
	for piece := range strings.SplitAfterSeq(text, "") {
		fmt.Fprintf(&b, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%s\"}}]}\n\n", encode.JSON(piece))
	}
	return b.String() + "data: [DONE]\n\n"
}
