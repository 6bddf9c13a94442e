package exchange

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
)

// A body that a person made longer or shorter is played whole.
func TestChunksOfAnEditedBody(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]string{
		"abcdef":   {"abc", "def"},
		"abcdefgh": {"abc", "defgh"},
		"abcd":     {"abc", "d"},
		"ab":       {"ab"},
		"abc":      {"abc"},
	} {
		_, ends, err := Join(&interaction.Response{Body: []byte(body), Chunks: []int{3, 3}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		start := 0
		for _, c := range chunksOf(len(body), ends, []interaction.Delay{{MS: 1}}) {
			got = append(got, body[start:start+c.size])
			start += c.size
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q in chunks of 3 is %q, want %q", body, got, want)
		}
	}
}

// What the server flushed is what a replay gives: each delay is made from reads of a live
// body, and gives them back.
func TestDelaysAreArrivals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		reads  string // in "|"; one that filled its buffer ends in "#", which is not of the body
		frames string // the same bytes, in "|"
		delays []interaction.Delay
		want   string // the chunks that are played, in "|"
	}{
		{"an event a read", "a\n\n|b\n\n", "a\n\n|b\n\n", []interaction.Delay{{MS: 1}, {MS: 1}}, "a\n\n|b\n\n"},
		{"two events in one", "a\n\nb\n\n", "a\n\n|b\n\n", []interaction.Delay{{MS: 1}, {Together: true}}, "a\n\nb\n\n"},
		{"split by the network", "a|aa\n\n", "aaa\n\n", []interaction.Delay{{MS: 2}}, "aaa\n\n"},
		{"flushed behind a line", "a\n|\n", "a\n\n", []interaction.Delay{{MS: 1, Rest: "~1+1"}}, "a\n|\n"},
		{"split behind a line by the buffer", "a\n#|\n", "a\n\n", []interaction.Delay{{MS: 2}}, "a\n\n"},
		{"the blank line with the next event", "a\n|\nb\n|\n", "a\n\n|b\n\n",
			[]interaction.Delay{{MS: 1, Rest: "~1+1"}, {Together: true, Rest: "~1+1"}}, "a\n|\nb\n|\n"},
		{"three lines, each by itself", "a\n|b\n|\n", "a\nb\n\n", []interaction.Delay{{MS: 1, Rest: "~3+1~1+1"}}, "a\n|b\n|\n"},
		{"a line and a half", "a\nb|b\n\n", "a\nbb\n\n", []interaction.Delay{{MS: 2}}, "a\nbb\n\n"},
	} {
		var a arrivals
		end := 0
		for i, read := range strings.Split(tt.reads, "|") {
			text, filled := strings.CutSuffix(read, "#")
			end += len(text)
			a.chunks = append(a.chunks, arrival{end: end, at: time.Duration(i+1) * time.Millisecond, filled: filled})
		}
		var delays []interaction.Delay
		var ends []int
		at := 0
		for frame := range strings.SplitSeq(tt.frames, "|") {
			delays = append(delays, a.delayOf([]byte(frame)))
			at += len(frame)
			ends = append(ends, at)
		}
		if !slices.Equal(delays, tt.delays) {
			t.Errorf("%s: delays %+v, want %+v", tt.name, delays, tt.delays)
		}
		body := strings.ReplaceAll(tt.frames, "|", "")
		var got []string
		start := 0
		for _, c := range chunksOf(len(body), ends, delays) {
			got = append(got, body[start:start+c.size])
			start += c.size
		}
		if text := strings.Join(got, "|"); text != tt.want {
			t.Errorf("%s: played %q, want %q", tt.name, text, tt.want)
		}
	}
}

// However a stream is cut by the network, its chunks are all of it, and take as long as it
// took.
func TestChunksTakeAsLong(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var frames []string
		for range 1 + r.IntN(5) {
			frames = append(frames, "ab\n\ncd\n\n"[:1+r.IntN(8)]+"\n")
		}
		size := len(strings.Join(frames, ""))
		var a arrivals
		var came time.Duration
		for at := 0; at < size; {
			at = min(size, at+1+r.IntN(9))
			came += time.Duration(r.IntN(3)) * time.Millisecond
			a.chunks = append(a.chunks, arrival{end: at, at: came, filled: r.IntN(5) == 0})
		}
		var delays []interaction.Delay
		var ends []int
		for i, frame := range frames {
			delays = append(delays, a.delayOf([]byte(frame)))
			ends = append(ends, len(strings.Join(frames[:i+1], "")))
		}
		var total int
		var took int64
		for _, c := range chunksOf(size, ends, delays) {
			if c.size <= 0 {
				t.Fatalf("%q: a chunk of %d bytes", frames, c.size)
			}
			total, took = total+c.size, took+c.delayMS
		}
		if total != size || took != came.Milliseconds() {
			t.Fatalf("%q, %v: %d of %d bytes in %d of %d ms", frames, delays, total, size, took, came.Milliseconds())
		}
	}
}

// An event that a person made shorter than a piece of it was loses that piece, and
// nothing else.
func TestPiecesOfAShorterEvent(t *testing.T) {
	t.Parallel()
	got := chunksOf(5, []int{2, 5}, []interaction.Delay{{MS: 1}, {MS: 2, Rest: "~3+4~1+8"}})
	if want := []chunk{{2, 1, 0}, {2, 2, 1}, {1, 8, 1}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	got = chunksOf(2, []int{2}, []interaction.Delay{{Together: true, Rest: "~1+8"}})
	if want := []chunk{{1, 0, 0}, {1, 8, 0}}; !slices.Equal(got, want) {
		t.Errorf("together with nothing: %v, want %v", got, want)
	}
}

func TestJoinErrors(t *testing.T) {
	t.Parallel()
	for want, resp := range map[string]*interaction.Response{
		`unknown stream framing "morse"`: {Stream: "morse"},
		"events[1]: ":                    {Stream: "ndjson", Events: []interaction.Event{{{Name: "data", Value: "{}"}}, {{Name: "event", Value: "x"}}}},
	} {
		if _, _, err := Join(resp); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
