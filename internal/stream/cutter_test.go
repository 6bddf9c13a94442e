package stream

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// cutPieces cuts a body that comes in pieces of n bytes.
func cutPieces(media string, body []byte, n int) (framing *Framing, frames [][]byte, rest []byte) {
	c := Cutter{ContentType: media, Frame: func(frame []byte) { frames = append(frames, bytes.Clone(frame)) }}
	for piece := range slices.Chunk(body, n) {
		c.Add(piece)
	}
	framing, rest = c.End()
	return framing, frames, rest
}

// A stream has the same events in whatever pieces it arrives.
func TestCutter(t *testing.T) {
	t.Parallel()
	for _, tt := range bodies {
		body := []byte(tt.body)
		want := Detect(tt.media, body)
		for _, n := range []int{1, 2, 3, 7, 64, 1 << 20} {
			framing, frames, rest := cutPieces(tt.media, body, n)
			if framing != want {
				t.Errorf("%s, pieces of %d: framing %v, want %v", tt.name, n, framing, want)
				continue
			}
			if want == nil {
				if !bytes.Equal(rest, body) || len(frames) > 0 {
					t.Errorf("%s, pieces of %d: body %q, frames %q", tt.name, n, rest, frames)
				}
				continue
			}
			if !slices.EqualFunc(frames, want.Frames(body), bytes.Equal) || rest != nil {
				t.Errorf("%s, pieces of %d: frames %q, want %q", tt.name, n, frames, want.Frames(body))
			}
		}
	}
}

// TestCutterKeepsLittle: what is cut is not kept.
func TestCutterKeepsLittle(t *testing.T) {
	t.Parallel()
	frames := 0
	c := Cutter{ContentType: "text/event-stream", Frame: func([]byte) { frames++ }}
	event := []byte("data: " + strings.Repeat("x", 100) + "\n\n")
	for range 100_000 {
		c.Add(event)
		if cap(c.buf) > 4*detectAfter {
			t.Fatalf("%d bytes are kept after %d frames", cap(c.buf), frames)
		}
	}
	if c.End(); frames != 100_000 {
		t.Errorf("%d frames", frames)
	}
}

// BenchmarkCutter cuts 4 MB in pieces of 4 KB: many small frames, and one. The
// bytes a second of the two must be of one order: cutting is linear.
func BenchmarkCutter(b *testing.B) {
	const size = 4 << 20
	array := func(element string) string {
		return `[{"candidates":[]}` + strings.Repeat(","+element, max(1, size/len(element))) + "]"
	}
	for _, tt := range []struct{ name, media, body string }{
		{"sse/small", "text/event-stream", strings.Repeat("data: {\"delta\":\"hello\"}\n\n", size/26)},
		{"sse/one", "text/event-stream", "data: " + strings.Repeat("x", size) + "\n\n"},
		{"ndjson/small", "application/x-ndjson", strings.Repeat("{\"delta\":\"hello\"}\n", size/18)},
		{"ndjson/one", "application/x-ndjson", strings.Repeat("x", size) + "\n"},
		{"aws/small", awsMedia, strings.Repeat(message("", `{"delta":"hello"}`), size/33)},
		{"aws/one", awsMedia, message("", strings.Repeat("x", size))},
		{"json-array/small", "application/json", array(`{"candidates":[]}`)},
		{"json-array/one", "application/json", array(fmt.Sprintf(`{"candidates":[%q]}`, strings.Repeat("x", size)))},
	} {
		b.Run(tt.name, func(b *testing.B) {
			b.SetBytes(int64(len(tt.body)))
			b.ReportAllocs()
			for b.Loop() {
				c := Cutter{ContentType: tt.media, Frame: func([]byte) {}}
				for piece := range slices.Chunk([]byte(tt.body), 4<<10) {
					c.Add(piece)
				}
				if f, _ := c.End(); f == nil {
					b.Fatal("not a stream")
				}
			}
		})
	}
}
