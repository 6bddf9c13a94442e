package codec

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// FuzzEvents: a stream whose events differ from each other anywhere, in texts, in names and
// in structure, is read as it was.
func FuzzEvents(f *testing.F) {
	for seed := range uint64(200) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 1))
		it := plain("")
		it.Response.Stream = "sse"
		value := any([]any{"a", map[string]any{"b": "c"}, 1})
		for range 2 + r.IntN(20) {
			if value = edited(r, value); r.IntN(2) == 0 {
				value = edited(r, value)
			}
			data, err := json.Marshal([]any{"id", value, "end"})
			if err != nil {
				t.Fatal(err)
			}
			text := string(data)
			if seed%2 == 0 { // as Python writes it
				text = strings.ReplaceAll(strings.ReplaceAll(text, ",", ", "), ":", ": ")
			}
			it.Response.Events = append(it.Response.Events, interaction.Event{{Name: "data", Value: text}})
		}
		checkRoundTrip(t, it)
	})
}

// edited returns a value in which one thing is another.
func edited(r *rand.Rand, value any) any {
	words := []any{"a", "b", "no", "two words", "-1", "é", `"`, 0, 12, -1.5, true, nil, []any{}, map[string]any{}}
	word := words[r.IntN(len(words))]
	switch v := value.(type) {
	case []any:
		list := append([]any{}, v...)
		switch i := r.IntN(len(list) + 1); {
		case i == len(list):
			return append(list, word)
		case r.IntN(4) == 0:
			return append(list[:i], list[i+1:]...)
		default:
			list[i] = edited(r, list[i])
			return list
		}
	case map[string]any:
		object := map[string]any{}
		for name, value := range v {
			object[name] = value
		}
		name := string(rune('a' + r.IntN(4)))
		switch old, ok := object[name]; {
		case !ok:
			object[name] = word
		case r.IntN(4) == 0:
			delete(object, name)
		default:
			object[name] = edited(r, old)
		}
		return object
	}
	if r.IntN(4) == 0 {
		return []any{value, word}
	}
	return word
}
