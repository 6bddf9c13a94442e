package mutant

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// A changed response has any bytes, and events without fields.
func TestResponseIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	want := &interaction.Response{
		Status:  429,
		Headers: interaction.Headers{{Name: "retry-after", Values: []string{"0"}}},
		Body:    []byte("\xff\x00"),
		Stream:  "sse",
		Events: []interaction.Event{
			{{Name: "event", Value: "a"}, {Name: "data", Value: "{\"a\":1}"}},
			{},
			{{Name: "bytes", Value: "\xff\xfe"}},
		},
		End: interaction.EndError, Error: "unexpected EOF",
	}
	data, err := EncodeResponse(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := decodeResponse(data)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v, %v\nwant %+v", got, err, want)
	}
}

// writePlan sets the variable to a file with a plan.
func writePlan(t *testing.T, plan Plan) (file string) {
	t.Helper()
	data, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "plan.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(Env, file)
	return file
}

// Only the k-th recorder on a cassette gets the k-th change, when a process runs the tests several times.
func TestEachRoundHasItsOwnChange(t *testing.T) {
	dir := t.TempDir()
	cassette := filepath.Join(dir, "c.yaml") // of this run: rounds are counted for the whole process
	var changes []Change
	for _, status := range []int{500, 429} {
		data, err := EncodeResponse(&interaction.Response{Status: status})
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, string(rune('a'+status%7)))
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		changes = append(changes, Change{Cassette: cassette, Number: 1, Response: file})
	}
	writePlan(t, Plan{Notes: filepath.Join(dir, "notes"), Changes: changes})
	never := func(int) bool { return false }
	for i, want := range []int{500, 429, 0} {
		other, err := Open("/other.yaml")
		if err != nil || other.Response(1, never) != nil {
			t.Errorf("another cassette is changed: %v", err)
		}
		r, err := Open(cassette)
		if err != nil {
			t.Fatal(err)
		}
		status := 0
		if resp := r.Response(1, never); resp != nil {
			status = resp.Status
		}
		if status != want || r.Response(0, never) != nil {
			t.Errorf("round %d: status %d, want %d", i+1, status, want)
		}
	}
}

// A plan that another user can write is not read: the variable would let him choose the answers.
func TestPlanOfOthersIsRefused(t *testing.T) {
	file := writePlan(t, Plan{})
	if err := os.Chmod(file, 0o666); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if isPrivate(info) {
		t.Skip("this system has no modes of files")
	}
	if _, err := Open("/c.yaml"); err == nil || !strings.Contains(err.Error(), "others can write this file") {
		t.Errorf("got %v", err)
	}
}

// A run that the command has not started changes and notes nothing.
func TestNothingIsChangedWithoutTheVariable(t *testing.T) {
	t.Setenv(Env, "")
	r, err := Open("/c.yaml")
	if r != nil || err != nil {
		t.Fatalf("%v, %v", r, err)
	}
	r.Miss()
	r.End("TestX", false, 0)
	if r.Response(0, nil) != nil || r.ResponseOf(0) != nil || r.Lists() || r.Repeats() || r.GoesOn() {
		t.Error("something is changed")
	}
}

// A request that is sent again at once is no wait of the program; one that comes seconds later is.
func TestWaitBeforeARetryIsNoted(t *testing.T) {
	dir := t.TempDir()
	data, err := EncodeResponse(&interaction.Response{Status: 500})
	if err != nil {
		t.Fatal(err)
	}
	response := filepath.Join(dir, "response")
	notes := filepath.Join(dir, "notes")
	for _, file := range []string{response, notes} {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	change := Change{Cassette: "/waits.yaml", Response: response, Repeated: true}
	writePlan(t, Plan{Notes: notes, Changes: []Change{change}})
	r, err := Open("/waits.yaml")
	if err != nil {
		t.Fatal(err)
	}
	hasWaited := func() bool {
		text, err := os.ReadFile(notes)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(text), `"waited"`)
	}
	r.PlayChange(0)
	r.PlayChange(1)
	if hasWaited() {
		t.Error("a retry at once is noted as a wait")
	}
	r.lastPlayed.Add(-int64(2 * shortestWait)) // two seconds earlier
	r.PlayChange(2)
	if !hasWaited() {
		t.Error("a retry after two seconds is not noted as a wait")
	}
}
