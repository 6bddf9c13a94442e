package matching_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// Two local servers with one answer do not differ if a client reads one of the answers only in part.
func TestPartlyReadAnswerIsNoOtherAnswer(t *testing.T) {
	t.Parallel()
	answer := `{"text": "` + strings.Repeat("all work and no play ", 5000) + `"}` + "\n"
	tests := []struct {
		name       string
		read       func(io.Reader) error // of the first answer
		seesAnswer bool                  // enough to know another one
	}{{
		name: "nothing is read",
		read: func(io.Reader) error { return nil },
	}, {
		name: "half is read",
		read: func(r io.Reader) error {
			_, err := io.ReadFull(r, make([]byte, len(answer)/2))
			return err
		},
		seesAnswer: true,
	}, {
		name: "a JSON value is read",
		read: func(r io.Reader) error {
			var v any
			return json.NewDecoder(r).Decode(&v)
		},
		seesAnswer: true,
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			readAll := func(r io.Reader) error {
				_, err := io.Copy(io.Discard, r)
				return err
			}
			if differ(t, answer, answer, tt.read, readAll) {
				t.Error("two equal answers differ")
			}
			if got := differ(t, answer, `{"other": true}`, tt.read, readAll); got != tt.seesAnswer {
				t.Errorf("two other answers differ: %t", got)
			}
		})
	}
}

// differ reports whether a run finds that two local servers answer differently. It has the answer
// of each, and how a client reads it.
func differ(t *testing.T, first, second string, readFirst, readSecond func(io.Reader) error) bool {
	t.Helper()
	r := recordAll(t, filepath.Join(t.TempDir(), "c.yaml"))
	ask := func(answer string, read func(io.Reader) error) {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, answer)
		}))
		t.Cleanup(server.Close)
		resp, err := r.Client().Get(server.URL + "/health")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if err := read(resp.Body); err != nil {
			t.Fatal(err)
		}
	}
	ask(first, readFirst)
	ask(second, readSecond)
	err := r.Close()
	return err != nil && strings.Contains(err.Error(), "differently")
}

// Answers of local servers are compared as far as both were read, streams by whole events.
func TestPartlyReadAnswersAreCompared(t *testing.T) {
	t.Parallel()
	const all = 1 << 30
	long := "x" + strings.Repeat("all work and no play ", 10_000)
	stream := "data: {\"n\":1}\n\ndata: {\"n\":2}\n\ndata: [DONE]\n\n"
	type answer struct {
		text string
		read int64 // bytes that the client reads
	}
	tests := []struct {
		name          string
		first, second []answer // of each server
		differ        bool
	}{{
		name:   "an equal first answer is not read, the second ones differ",
		first:  []answer{{"starting", 0}, {"a", all}},
		second: []answer{{"starting", 0}, {"b", all}},
		differ: true,
	}, {
		name:   "one has more than the whole of the other",
		first:  []answer{{long, 5000}},
		second: []answer{{"x", all}},
		differ: true,
	}, {
		name:   "one stream is left in the middle of an event",
		first:  []answer{{stream, 20}},
		second: []answer{{stream, all}},
	}, {
		name:   "one stream is left after another event",
		first:  []answer{{stream, 33}},
		second: []answer{{strings.ReplaceAll(stream, "1", "7"), all}},
		differ: true,
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := recordAll(t, filepath.Join(t.TempDir(), "c.yaml"))
			for _, answers := range [][]answer{tt.first, tt.second} {
				asked := 0
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					text := answers[asked].text
					if strings.HasPrefix(text, "data:") {
						w.Header().Set("Content-Type", "text/event-stream")
					}
					io.WriteString(w, text)
				}))
				t.Cleanup(server.Close)
				for ; asked < len(answers); asked++ {
					resp, err := r.Client().Get(server.URL + "/state")
					if err != nil {
						t.Fatal(err)
					}
					io.CopyN(io.Discard, resp.Body, answers[asked].read)
					resp.Body.Close()
				}
			}
			err := r.Close()
			if got := err != nil && strings.Contains(err.Error(), "differently"); got != tt.differ {
				t.Errorf("differ: %t, want %t: %v", got, tt.differ, err)
			}
		})
	}
}
