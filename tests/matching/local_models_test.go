package matching_test

import (
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// Two local model servers that get the same request are told apart by their ports, or by order.
//
// The ports of the replay tell them apart if they are those of the recording.
func TestLocalModelServersAreToldApartByPortOrOrder(t *testing.T) {
	t.Parallel()
	chatOn := func(port string) must.Request { return chatAt("http://localhost:" + port + "/v1/chat/completions") }
	tests := []struct {
		name          string
		first, second string // ports of the replay; those of the recording are 8001 and 8002
		opts          []promptecho.Option
		answers       [2]string
	}{{
		name:    "the recorded ports, in the other order",
		first:   "8002",
		second:  "8001",
		answers: [2]string{`"two"`, `"one"`},
	}, {
		name:    "other ports",
		first:   "9002",
		second:  "9001",
		answers: [2]string{`"one"`, `"two"`},
	}, {
		name:   "other ports with Alias",
		first:  "9002",
		second: "9001",
		opts: []promptecho.Option{
			promptecho.Alias("http://localhost:9001", "small"),
			promptecho.Alias("http://localhost:9002", "large"),
		},
		answers: [2]string{`"two"`, `"one"`},
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var names []promptecho.Option
			if tt.opts != nil {
				names = append(names,
					promptecho.Alias("http://localhost:8001", "small"),
					promptecho.Alias("http://localhost:8002", "large"))
			}
			file := must.RecordAnswers(t,
				[]string{`"one"`, `"two"`},
				[]must.Request{chatOn("8001"), chatOn("8002")},
				names...)
			r := replay(t, file, tt.opts...)
			for i, port := range []string{tt.first, tt.second} {
				if got := chatOn(port).Ask(t, r); got != tt.answers[i] {
					t.Errorf("port %s got %s, want %s", port, got, tt.answers[i])
				}
			}
			must.Close(t, r)
		})
	}
}
