package session

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"testing"
)

// Three parts of a stream, which the replay cuts at each pair of places.
func TestBytesMatchHoweverTheyAreCut(t *testing.T) {
	t.Parallel()
	recording := record("~s:abcd ~s:ef <1 ~s:g <2 ~s:hijk")
	stream := []byte("abcdefghijk")
	for first := range len(stream) + 1 {
		for second := first; second <= len(stream); second++ {
			p := open(t, NewGroup([]Recording{recording}))
			var got string
			pieces := [][]byte{stream[:first], stream[first:second], stream[second:]}
			sent := 0
			for _, piece := range pieces {
				if err := p.SendBytes("s", piece); err != nil {
					t.Fatalf("cut at %d and %d: %v", first, second, err)
				}
				sent += len(piece)
				got += drain(p)
				if want := releasedAfter(sent); got != want {
					t.Errorf("cut at %d and %d: received %s after %d bytes, want %s",
						first, second, got, sent, want)
				}
			}
		}
	}
}

// releasedAfter returns what is received after a number of bytes of the test above.
func releasedAfter(sent int) string {
	switch {
	case sent < 6:
		return ""
	case sent < 7:
		return "1"
	}
	return "12"
}

// drain receives all messages that are released.
func drain(p *Player) string {
	var got string
	for {
		form := next(p)
		if form == "?" || form == "!" {
			return got
		}
		got += form
	}
}

// A wrong byte is found by the piece that fills its part.
func TestOtherBytesAreAMiss(t *testing.T) {
	t.Parallel()
	stream := []byte("abcdefghijk")
	ends := []int{6, 7, 11}
	for wrong := range stream {
		p := open(t, groupOf("~s:abcdef <1 ~s:g <2 ~s:hijk"))
		other := bytes.Clone(stream)
		other[wrong] = 'X'
		missed := -1
		for i := range other {
			err := p.SendBytes("s", other[i:i+1])
			if err == nil {
				continue
			}
			if miss := missOf(t, err); !miss.Part {
				t.Errorf("miss %+v", miss)
			}
			missed = i
			break
		}
		part, _ := slices.BinarySearch(ends, wrong+1)
		if missed != ends[part]-1 {
			t.Errorf("byte %d is wrong: byte %d is a miss, want %d", wrong, missed, ends[part]-1)
		}
	}
}

func TestMoreBytesThanRecordedAreAMiss(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"abc", "abcd", "c"} {
		p := open(t, groupOf("~s:ab <1 b"))
		if piece == "c" {
			play(t, p, "~s:ab")
		}
		miss := missOf(t, p.SendBytes("s", []byte(piece)))
		if !miss.Part || len(miss.Candidates) != 1 {
			t.Errorf("miss %+v", miss)
		}
	}
	p := open(t, groupOf("a"))
	missOf(t, p.SendBytes("a", []byte("x")))
}

// Conversations move by what their bytes are, also if the recordings cut the same
// stream at other bytes.
func TestBytesDecideTheRecording(t *testing.T) {
	t.Parallel()
	scripts := []string{
		"~s:abcd <1 ~s:efgh <2",
		"~s:abc <1 ~s:dexxx <3",
		"~s:ab <1 ~s:cdef <4 ~s:yy <5",
	}
	for want, bytes := range []string{"abcdefgh", "abcdexxx", "abcdefyy"} {
		for size := 1; size <= len(bytes); size++ {
			p := open(t, groupOf(scripts...))
			for piece := range slices.Chunk([]byte(bytes), size) {
				if err := p.SendBytes("s", piece); err != nil {
					t.Fatalf("%s in pieces of %d: %v", bytes, size, err)
				}
			}
			if got := p.Recording(); got != want {
				t.Errorf("%s in pieces of %d: recording %d, want %d", bytes, size, got, want)
			}
		}
	}
}

func TestBuilderMakesAPartOfBytesBetweenReceivedMessages(t *testing.T) {
	t.Parallel()
	var b Builder
	got := []int{
		b.SendBytes("s", []byte("ab")),
		b.Send("a"),
		b.SendBytes("t", []byte("x")),
		b.SendBytes("s", []byte("cd")),
		b.Receive("1"),
		b.SendBytes("s", []byte("ef")),
	}
	if want := []int{0, 1, 2, 0, 3, 4}; !slices.Equal(got, want) {
		t.Errorf("messages %v, want %v", got, want)
	}
	part := func(form string, pieces ...string) Message {
		m := Message{Sent: true, Form: form, Part: true}
		digest := NewDigest()
		for _, piece := range pieces {
			digest.Add([]byte(piece))
			m.Size += int64(len(piece))
		}
		m.Sum = digest.Sum()
		return m
	}
	want := []Message{
		part("s", "ab", "cd"), {Sent: true, Form: "a"}, part("t", "x"), {Form: "1"}, part("s", "ef"),
	}
	if messages := b.Recording().Messages; !reflect.DeepEqual(messages, want) {
		t.Errorf("messages %+v, want %+v", messages, want)
	}
}

// One stream that 64 recordings share, on 64 conversations.
func BenchmarkSharedBytes(b *testing.B) {
	const recordings, pieces = 64, 100
	piece := bytes.Repeat([]byte("audio"), 1000)
	list := make([]Recording, recordings)
	for i := range list {
		var builder Builder
		for range pieces {
			builder.SendBytes("s", piece)
		}
		builder.Send(fmt.Sprint(i))
		list[i] = builder.Recording()
	}
	b.SetBytes(int64(recordings * pieces * len(piece)))
	for b.Loop() {
		g := NewGroup(list)
		for i := range recordings {
			p := open(b, g)
			for range pieces {
				if err := p.SendBytes("s", piece); err != nil {
					b.Fatal(err)
				}
			}
			play(b, p, fmt.Sprint(i))
		}
	}
}

// Goroutines that send pieces at the same time may send them in any order. The same bytes in
// another order are a miss.
func TestPiecesMatchInAnyOrder(t *testing.T) {
	t.Parallel()
	recording := record("~s:ab ~s:cd ~s:ef <1")
	for _, tt := range []struct {
		pieces []string
		want   string
	}{
		{[]string{"ab", "cd", "ef"}, "1"},
		{[]string{"ef", "ab", "cd"}, "1"},
		{[]string{"abcdef"}, "1"},
		{[]string{"a", "bcd", "ef"}, "1"},
	} {
		p := open(t, NewGroup([]Recording{recording}))
		for _, piece := range tt.pieces {
			if err := p.SendBytes("s", []byte(piece)); err != nil {
				t.Errorf("%q: %v", tt.pieces, err)
			}
		}
		if got := drain(p); got != tt.want {
			t.Errorf("%q: received %q, want %q", tt.pieces, got, tt.want)
		}
	}
	for _, pieces := range [][]string{{"ba", "cd", "ef"}, {"ab", "ab", "ef"}, {"abdcef"}, {"efabcd"}} {
		p := open(t, NewGroup([]Recording{recording}))
		var err error
		for _, piece := range pieces {
			err = p.SendBytes("s", []byte(piece))
		}
		if err == nil {
			t.Errorf("%q is not a miss", pieces)
		}
	}
}
