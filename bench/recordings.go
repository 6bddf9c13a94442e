package bench

import (
	"fmt"
	"math/rand/v2"
)

// A Recording is what a session records: the first Calls calls of a workload.
type Recording struct {
	Workload   *Workload
	Calls      int
	LongStream bool // one answer of many thousand events
}

// Bytes returns the size of the bodies of all requests and answers.
func (r Recording) Bytes() int { return r.Calls * r.Workload.rawSize() }

// Tests returns the workloads of a typical test: requests of three sizes, and
// an answer of 200 events.
func Tests() []*Workload { return workloads }

// Recordings returns one recording for each kind of answer. With size 1, each
// has about a megabyte; the number of calls, events and items is in proportion
// to the size, which is at least 0.01.
func Recordings(size float64) []Recording {
	scaled := func(n float64) int { return max(1, int(n*size)) }
	return []Recording{
		{Workload: longStream(scaled(4000)), Calls: 1, LongStream: true},
		{Workload: shortEvents(scaled(30_000)), Calls: 1, LongStream: true},
		{Workload: list(scaled(1_000_000)), Calls: 1},
		{Workload: vectors(scaled(56)), Calls: 1},
		{Workload: kb1, Calls: scaled(500)},
		{Workload: kb100, Calls: scaled(10)},
	}
}

// chat returns a workload that has a request of a kilobyte, and no answer.
func chat(name string, stream bool) (*Workload, *prose) {
	words := &prose{rand.New(rand.NewPCG(3, 4))}
	w := &Workload{Name: name, stream: stream, asked: cut(chatRequest(words, 1<<10, stream))}
	return w, words
}

// longStream is an answer of n events as OpenAI sends them.
func longStream(n int) *Workload {
	w, words := chat("events", true)
	w.setEvents(n, func(i int, text string) []byte { return chunk(i, n, text) }, words)
	w.prepare()
	return w
}

// shortEvents is an answer of n events that have little more than their text.
func shortEvents(n int) *Workload {
	w, words := chat("short events", true)
	w.setEvents(n, func(_ int, text string) []byte {
		data := encode(struct {
			Text string `json:"text"`
		}{text}, "")
		return fmt.Appendf(nil, "data: %s\n\n", data)
	}, words)
	w.prepare()
	return w
}

// list is an answer of about n bytes: a JSON list of items, each with a number,
// a time and a few texts, as search and database tools give them.
func list(n int) *Workload {
	w, words := chat("JSON", false)
	items := []any{object{"title": reply}}
	for size := 0; size < n; {
		item := object{
			"id":      len(items),
			"score":   words.rand.Float64(),
			"updated": fmt.Sprintf("2026-03-%02dT10:%02d:00Z", 1+len(items)%28, len(items)%60),
			"title":   words.text(6),
			"text":    words.text(40),
			"tags":    []string{words.text(1), words.text(1)},
		}
		items = append(items, item)
		size += len(encode(item, "  "))
	}
	w.answered = cut(encode(object{"object": "list", "data": items}, "  "))
	w.prepare()
	return w
}

// vectors is an answer of n embeddings of 1,536 numbers.
func vectors(n int) *Workload {
	w, words := chat("vectors", false)
	var data []any
	for i := range n {
		vector := make([]float32, 1536)
		for j := range vector {
			vector[j] = words.rand.Float32() - 0.5
		}
		data = append(data, object{"object": "embedding", "index": i, "embedding": vector})
	}
	w.answered = cut(encode(object{"object": "list", "data": data, "model": reply}, ""))
	w.prepare()
	return w
}
