package child

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// However a stream is cut into pieces, its messages with headers are whole.
func TestMessagesWithHeadersDoNotDependOnPieces(t *testing.T) {
	t.Parallel()
	texts := []string{"{\"a\":\n1}", "", strings.Repeat("é", 1000), "{}"}
	stream := []byte("Content-Length: 2\r\nContent-Type: application/vscode-jsonrpc\r\n\r\n[]")
	for _, text := range texts {
		stream = append(stream, framed(text)...)
	}
	want := "[]|" + strings.Join(texts, "|")
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		var c lineCutter
		var got []string
		for rest := stream; len(rest) > 0; {
			n := 1 + random.IntN(min(len(rest), 50))
			complete, _ := c.add(rest[:n])
			for _, l := range complete {
				got = append(got, l.text)
			}
			rest = rest[n:]
		}
		if strings.Join(got, "|") != want || c.rest() != "" {
			t.Fatalf("got %q", got)
		}
	}
}

// However a stream is cut into pieces, it has the same lines.
func TestLinesDoNotDependOnPieces(t *testing.T) {
	t.Parallel()
	stream := []byte("one\r\n\ntwo" + strings.Repeat("x", 1000) + "\nthree")
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		var c lineCutter
		var lines []string
		var raw []byte
		for rest := stream; len(rest) > 0; {
			n := 1 + random.IntN(len(rest))
			complete, end := c.add(rest[:n])
			for _, l := range complete {
				lines = append(lines, l.text)
				raw = append(raw, l.last...)
			}
			raw = append(raw, end...)
			rest = rest[n:]
		}
		want := []string{"one\r", "", "two" + strings.Repeat("x", 1000)}
		if strings.Join(lines, "\n") != strings.Join(want, "\n") {
			t.Fatalf("got %q", lines)
		}
		if got := c.rest(); got != "three" {
			t.Fatalf("the rest is %q", got)
		}
		if !bytes.Equal(raw, stream) {
			t.Fatalf("the client gets %q", raw)
		}
	}
}
