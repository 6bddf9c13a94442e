package tape

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// missing is the number that stands for a request that no recording answers.
const missing = -1

// prompt returns a request to a model with a text, and with further members in
// its body, such as `"seed":1`.
func prompt(text string, members ...string) interaction.Request {
	body := fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":%q}]`, text)
	for _, member := range members {
		body += "," + member
	}
	return interaction.Request{
		Method: "POST",
		URL:    "https://api.openai.com/v1/chat/completions",
		Body:   []byte(body + "}"),
	}
}

// get returns a GET request to a URL.
func get(url string) interaction.Request {
	return interaction.Request{Method: "GET", URL: url}
}

// toolCall returns a JSON-RPC request that calls a tool of an MCP server.
func toolCall(id int, tool string) interaction.Request {
	const text = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`
	return interaction.Request{
		Method: "POST",
		URL:    "https://mcp.example.com/mcp",
		Body:   fmt.Appendf(nil, text, id, tool),
	}
}

// function returns the call of a function that the program records.
func function(name string) interaction.Request {
	return interaction.Request{Function: name, Body: []byte(`{}`)}
}

// within returns a request that a recorded function made.
func within(function string, req interaction.Request) interaction.Request {
	req.Within = function
	return req
}

// withHeader returns a request with a header.
func withHeader(req interaction.Request, name, value string) interaction.Request {
	req.Headers = append(slices.Clone(req.Headers), interaction.Header{Name: name, Values: []string{value}})
	return req
}

// says returns a response with a text.
func says(text string) interaction.Response {
	return interaction.Response{Status: 200, Body: fmt.Appendf(nil, `{"text":%q}`, text)}
}

// returns returns the result of a function, as JSON.
func returns(result string) interaction.Response {
	return interaction.Response{Body: []byte(result)}
}

// fails returns a response with a status.
func fails(status int) interaction.Response {
	return interaction.Response{Status: status, Body: []byte(`{"error":"no"}`)}
}

// picture returns a response that a cassette keeps in a file of its own.
func picture() interaction.Response {
	return interaction.Response{
		Status: 200,
		Body:   bytes.Repeat([]byte{0x89, 'P', 'N', 'G', 0xff, 0}, 20_000),
	}
}

// isCanceled returns what is recorded of a request that its caller canceled.
func isCanceled() interaction.Response {
	return interaction.Response{End: interaction.EndCanceled, Error: context.Canceled.Error()}
}

// timesOut returns what is recorded of a request whose deadline passed.
func timesOut() interaction.Response {
	return interaction.Response{
		End:   interaction.EndCanceled,
		Error: context.DeadlineExceeded.Error(),
	}
}

// exchanges are requests with their responses, in the order recorded.
type exchanges []*interaction.Interaction

// exchange returns a request with its response.
func exchange(req interaction.Request, resp interaction.Response) *interaction.Interaction {
	it := &interaction.Interaction{Request: req, Response: resp}
	it.Kind, it.Boundary = formOf(it).Kind()
	return it
}

// overlapping returns an exchange that was under way from one moment to another,
// and overlapped others.
func overlapping(it *interaction.Interaction, asked, ended int) *interaction.Interaction {
	it.Concurrent = &interaction.Moments{Asked: asked, Answered: ended, Ended: ended}
	return it
}

// cassetteOf saves a cassette in a folder of the test, and returns its path.
func cassetteOf(t testing.TB, exchanges ...*interaction.Interaction) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.yaml")
	saveCassette(t, path, exchanges...)
	return path
}

// saveCassette saves a cassette.
func saveCassette(t testing.TB, path string, exchanges ...*interaction.Interaction) {
	t.Helper()
	var contents cassette.Contents
	for _, it := range exchanges {
		copied := *it // Encode changes it, and parallel tests may share it
		item, err := Encode(new(redact.Policy), path, &copied)
		if err != nil {
			t.Fatal(err)
		}
		contents.Items = append(contents.Items, item)
	}
	if err := contents.Save(path); err != nil {
		t.Fatal(err)
	}
}

// configOf returns the configuration of a run without options.
func configOf(path string) Config {
	return Config{
		Path:    path,
		Name:    filepath.Base(path),
		Options: &canon.Options{},
		Plain:   true,
		InOrder: true,
	}
}

// open opens a cassette for a run; see [Tape.Load].
func open(t testing.TB, config Config, policy *redact.Policy, play Playing, save bool) *Tape {
	t.Helper()
	run := New(config, policy)
	if err := run.Open(false); err != nil {
		t.Fatal(err)
	}
	if err := run.Load(play, save); err != nil {
		t.Fatal(err)
	}
	if save {
		if _, _, err := run.Resume(config.Name+JournalSuffix, false); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(run.Free)
	return run
}

// replay opens a cassette for a run that only plays.
func replay(t testing.TB, exchanges ...*interaction.Interaction) *Tape {
	t.Helper()
	config := configOf(cassetteOf(t, exchanges...))
	return open(t, config, new(redact.Policy), PlayAll, false)
}

// update opens a cassette for a run that plays its recordings, and records what
// it lacks.
func update(t testing.TB, exchanges ...*interaction.Interaction) *Tape {
	t.Helper()
	config := configOf(cassetteOf(t, exchanges...))
	return open(t, config, new(redact.Policy), PlayAll, true)
}

// recordAgain opens a cassette for a run that records all of it again.
func recordAgain(t testing.TB, exchanges ...*interaction.Interaction) *Tape {
	t.Helper()
	config := configOf(cassetteOf(t, exchanges...))
	return open(t, config, new(redact.Policy), PlayNone, true)
}

// take takes a recording for a call.
func take(t testing.TB, run *Tape, call Call) Match {
	t.Helper()
	m, err := run.Take(call)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// send takes a recording for a request that cannot be canceled.
func send(t testing.TB, run *Tape, req interaction.Request) Match {
	t.Helper()
	return take(t, run, Call{Request: req})
}

// recordCall sends a request of a run that records: it is not answered by a
// recording, but by resp.
func recordCall(t testing.TB, run *Tape, req interaction.Request, resp interaction.Response) *Recording {
	t.Helper()
	m := send(t, run, req)
	if m.Recording != nil {
		t.Fatalf("%s is played", req.String())
	}
	return finish(t, run, m, resp)
}

// finish records the response to a call.
func finish(t testing.TB, run *Tape, m Match, resp interaction.Response) *Recording {
	t.Helper()
	if m.Form == nil { // its recording was found by its bytes
		m.Form = run.Config.Options.Form(&m.Request)
	}
	rec, err := run.Reserve(m)
	if err != nil {
		t.Fatal(err)
	}
	complete(run, rec, resp)
	return rec
}

// complete ends the response to a request that is under way.
func complete(run *Tape, rec *Recording, resp interaction.Response) {
	it := *rec.Interaction()
	it.Response = resp
	run.Finish(rec, &it, nil, resp.Status >= 400)
}

// numberOf returns the number of the recording that was played.
func numberOf(m Match) int {
	if m.Recording == nil {
		return missing
	}
	return m.Recording.Number()
}

// wantPlayed sends requests one after the other, which have to get the
// recordings with these numbers.
func wantPlayed(t testing.TB, run *Tape, want []int, requests ...interaction.Request) {
	t.Helper()
	var got []int
	for _, req := range requests {
		got = append(got, numberOf(send(t, run, req)))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the requests got the recordings %v, want %v", got, want)
	}
}

// end ends the events of a recording that was played.
func end(run *Tape, rec *Recording) { run.Turn(rec, false).Leave() }

// texts returns the contents of the user messages, or the URLs, of recordings.
func texts(recs []*Recording) []string {
	var all []string
	for _, rec := range recs {
		all = append(all, textOf(rec))
	}
	return all
}

func textOf(rec *Recording) string {
	it := rec.Interaction()
	var text string
	_, err := fmt.Sscanf(string(it.Request.Body), `{"model":"m","messages":[{"role":"user","content":%q}]`, &text)
	if err != nil {
		return it.Request.String()
	}
	return text
}

// saveRun ends a run and saves all of its recordings to the cassette.
func saveRun(run *Tape) error {
	run.Stop()
	run.Close()
	return run.Save(run.Config.Path, run.Config.Name, run.Journal.RecordedValues(), run.Recordings(), false)
}

// resume starts a run after one that was killed: it goes on with the journal.
func resume(t testing.TB, killed *Tape) *Tape {
	t.Helper()
	killed.Journal.close()
	return open(t, configOf(killed.Config.Path), new(redact.Policy), PlayAll, true)
}

// writeFile writes a file.
func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// inOrderAsked returns exchanges in the order asked, as a cassette has them.
func inOrderAsked(exchanges []*interaction.Interaction) []*interaction.Interaction {
	sorted := slices.Clone(exchanges)
	slices.SortStableFunc(sorted, func(a, b *interaction.Interaction) int {
		if a.Concurrent == nil || b.Concurrent == nil {
			return 0
		}
		return a.Concurrent.Asked - b.Concurrent.Asked
	})
	return sorted
}

// indexOf returns the index of the exchange that a recording has.
func indexOf(exchanges []*interaction.Interaction, rec *Recording) int {
	return slices.IndexFunc(exchanges, func(it *interaction.Interaction) bool {
		return formOf(it).Key() == rec.Form().Key()
	})
}

// openWith opens a cassette for a run that saves, and plays a part of it.
func openWith(t testing.TB, config Config, play Playing) *Tape {
	t.Helper()
	return open(t, config, new(redact.Policy), play, true)
}

// readFile returns the text of a file.
func readFile(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
