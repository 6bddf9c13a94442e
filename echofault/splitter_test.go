package echofault

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/stream"
)

func detect(t *testing.T, s sample) *stream.Framing {
	t.Helper()
	f := stream.Detect(s.media, []byte(s.body()))
	if f == nil || f.Name != s.name {
		t.Fatalf("%s is detected as %v", s.name, f)
	}
	return f
}

// split splits a body that comes in pieces of n bytes.
func split(t *testing.T, media string, body []byte, n int) (events []string, framing *stream.Framing) {
	t.Helper()
	last := true
	s := splitter{contentType: media, pass: func(b []byte, event int, ends bool) {
		if last {
			events = append(events, "")
		}
		if event != len(events) {
			t.Fatalf("a part of event %d, want %d", event, len(events))
		}
		events[event-1] += string(b)
		last = ends
	}}
	for len(body) > 0 {
		n := min(n, len(body))
		s.add(body[:n], false)
		body = body[n:]
	}
	s.add(nil, true)
	return events, s.framing
}

// TestSplitter: the events of a body are the same in pieces of any size.
func TestSplitter(t *testing.T) {
	t.Parallel()
	for _, tt := range samples {
		detect(t, tt)
		for _, n := range []int{1, 2, 3, 7, 64, 1 << 20} {
			if got, framing := split(t, tt.media, []byte(tt.body()), n); !slices.Equal(got, tt.events) || framing == nil || framing.Name != tt.name {
				t.Errorf("%s, pieces of %d: %q, %v, want %q", tt.name, n, got, framing, tt.events)
			}
		}
	}
	first := "data: " + strings.Repeat("x", 3*knownAfter) + "\n\n"
	if got, _ := split(t, "text/event-stream", []byte(first+"data: 2\n\n"), 1000); !slices.Equal(got, []string{first, "data: 2\n\n"}) {
		t.Errorf("a long first event: %d events", len(got))
	}
}

// FuzzSplitter: the events are those that a cassette lists, in pieces of any size.
func FuzzSplitter(f *testing.F) {
	for _, s := range samples {
		f.Add(s.media, []byte(s.body()), 3)
	}
	f.Add("text/event-stream", []byte("\n\n: \n\ndata: 1\r\n\r\ndata: 2"), 1)
	f.Add("", []byte(`[{"candidates":[]} , {"x":"}"}]`), 2)
	f.Fuzz(func(t *testing.T, media string, body []byte, n int) {
		if n <= 0 || len(body) >= knownAfter {
			return
		}
		var want []string
		c := stream.Cutter{ContentType: media, Frame: func(frame []byte) { want = append(want, string(frame)) }}
		c.Add(body)
		framing, rest := c.End()
		if framing == nil {
			want = []string{string(rest)}
		}
		got, found := split(t, media, bytes.Clone(body), n)
		if !slices.Equal(got, want) || found != framing {
			t.Errorf("%q in pieces of %d: %q, %v, want %q, %v", body, n, got, found, want, framing)
		}
	})
}
