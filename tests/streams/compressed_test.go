package streams_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// An answer in gzip or deflate is replayed decoded; other codings and parts of files are left alone.
func TestCompressedAnswerIsReplayedDecoded(t *testing.T) {
	t.Parallel()
	wantSameAnswers(t, []answer{
		{
			name: "gzip that the transport asks for and decodes",
			handler: func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
					io.WriteString(w, `{"a":1}`)
					return
				}
				w.Header().Set("Content-Encoding", "gzip")
				z := gzip.NewWriter(w)
				io.WriteString(z, `{"a":1}`)
				z.Close()
			},
		},
		{
			name: "deflate that the transport does not decode",
			handler: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				w.Header().Set("Content-Encoding", "deflate")
				z := zlib.NewWriter(w)
				io.WriteString(z, twoEvents)
				z.Close()
				w.(http.Flusher).Flush()
			},
			change: func(live *seen) {
				live.Body = twoEvents
				live.Uncompressed = true
				live.Header.Del("Content-Encoding")
			},
		},
		{
			name: "brotli, which the recorder does not decode",
			handler: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Content-Encoding", "br")
				io.WriteString(w, "\x0b\x03\x80{}\x03")
			},
		},
		{
			name: "deflate of a part of a file",
			handler: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/plain")
				w.Header().Set("Content-Encoding", "deflate")
				w.WriteHeader(http.StatusPartialContent)
				z := zlib.NewWriter(w)
				io.WriteString(z, "a part of a file")
				z.Close()
			},
		},
		{
			name: "plain text that says it is deflate",
			handler: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/plain")
				w.Header().Set("Content-Encoding", "deflate")
				io.WriteString(w, "plain after all")
			},
			change: func(live *seen) {
				live.ContentLength = -1
				live.Uncompressed = true
				live.Header.Del("Content-Encoding")
				live.Header.Del("Content-Length")
			},
		},
	})
}

// A compressed stream is recorded as the events that the server flushed, each with its delay.
func TestCompressedStreamKeepsItsEvents(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, coding string
		open         func(io.Writer) compressor
	}{
		{name: "gzip", coding: "gzip", open: func(w io.Writer) compressor { return gzip.NewWriter(w) }},
		{name: "deflate", coding: "deflate", open: func(w io.Writer) compressor { return zlib.NewWriter(w) }},
		{name: "deflate without a header", coding: "deflate", open: bareDeflate},
	} {
		synctest.Test(t, func(t *testing.T) {
			header := http.Header{"Content-Type": {"text/event-stream"}, "Content-Encoding": {tt.coding}}
			pieces := compressed(tt.open, "data: {\"n\":1}\n\n", "data: {\"n\":2}\n\n", "data: [DONE]\n\n")
			file := filepath.Join(t.TempDir(), "c.yaml")
			rec := must.Open(t, file, promptecho.Upstream(inPieces(header, 50*time.Millisecond, pieces...)))
			resp := post(t, rec, "http://h/v1/x", `{}`)
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			must.Close(t, rec)

			got := recorded(t, file)
			delays := []interaction.Delay{{MS: 50}, {MS: 50}, {MS: 50}}
			if len(got.Events) != 3 || !slices.Equal(got.Delays, delays) {
				t.Errorf("%s: %q, delays %v", tt.name, got.Events, got.Delays)
			}
			if coding := got.Headers.Get("content-encoding"); coding != "" {
				t.Errorf("%s: the coding %q is recorded", tt.name, coding)
			}
		})
	}
}

// A compressor can send what it has so far.
type compressor interface {
	io.WriteCloser
	Flush() error
}

// bareDeflate compresses as some servers understand "deflate": without the header and checksum of zlib.
func bareDeflate(w io.Writer) compressor {
	f, err := flate.NewWriter(w, flate.DefaultCompression)
	if err != nil {
		panic(err)
	}
	return f
}

// compressed returns what a server sends that flushes after each text, and closes after the last.
func compressed(open func(io.Writer) compressor, texts ...string) (pieces []string) {
	var out bytes.Buffer
	z := open(&out)
	for i, text := range texts {
		io.WriteString(z, text)
		z.Flush()
		if i == len(texts)-1 {
			z.Close()
		}
		pieces = append(pieces, out.String())
		out.Reset()
	}
	return pieces
}

// A compressed answer that breaks off is recorded as far as it can be read.
func TestCompressedAnswerThatBreaksOffIsKeptSoFar(t *testing.T) {
	t.Parallel()
	var sent bytes.Buffer
	z := gzip.NewWriter(&sent)
	io.WriteString(z, "data: {\"n\":1}\n\n")
	z.Flush()
	upstream := provider.Func(func(*http.Request) (*http.Response, error) {
		body := io.MultiReader(bytes.NewReader(sent.Bytes()), provider.Broken{Err: io.ErrUnexpectedEOF})
		return &http.Response{
			StatusCode:    200,
			Header:        http.Header{"Content-Type": {"text/event-stream"}, "Content-Encoding": {"gzip"}},
			Body:          io.NopCloser(body),
			ContentLength: -1,
		}, nil
	})
	file := filepath.Join(t.TempDir(), "c.yaml")
	rec := must.Open(t, file, promptecho.Upstream(upstream), promptecho.OnRecordError(promptecho.Keep))
	resp := post(t, rec, "http://h/v1/x", `{}`)
	io.Copy(io.Discard, resp.Body)
	must.Close(t, rec)
	text := must.Read(t, file)
	if !strings.Contains(text, `- {data: {"n": 1}}`) || !strings.Contains(text, "end: error") {
		t.Errorf("%s", text)
	}
}
