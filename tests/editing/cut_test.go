package editing_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A cassette that was cut at any byte is refused, with the line, and no run writes it by accident.
//
// Only mode all opens it, to record it again. A cassette that has lost only a part of its last
// line end plays.
func TestCutCassetteIsRefused(t *testing.T) {
	t.Parallel()
	file, chats := saveMixed(t)
	whole := must.Read(t, file)
	mark := strings.LastIndex(whole, "\n...") + 1
	markEnd := mark + len("...")
	step := mark / full.Cases(25, mark)
	modes := []promptecho.Mode{
		promptecho.ModeNone, promptecho.ModeOnce, promptecho.ModeNewEpisodes, promptecho.ModeAll,
	}
	for length := range len(whole) + 1 {
		isTried := length >= mark || length%step == 0
		if !isTried {
			continue
		}
		text := whole[:length]
		must.Write(t, file, text)
		for _, mode := range modes {
			name := fmt.Sprintf("mode %s, cut at byte %d", mode, length)
			live := promptecho.Upstream(provider.Says(`{"live":true}`))
			rec, err := promptecho.Open(file, promptecho.InMode(mode), promptecho.AllowUnused(), live)
			switch {
			case length >= markEnd:
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if mode != promptecho.ModeAll {
					wantAnswers(t, rec, chats)
				}
			case length == 0:
				if err == nil {
					t.Fatalf("%s: opened", name)
				}
			case mode == promptecho.ModeAll:
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				notes := fmt.Sprint(must.Finish(rec, report.Outcome{}).Notes)
				if place := placeOfEnd(file, text) + ":"; !strings.Contains(notes, place) {
					t.Fatalf("%s: notes %q, want %q", name, notes, place)
				}
			default:
				wantCut(t, name, err, file, text)
			}
			if rec != nil {
				rec.Close()
			}
			if must.Read(t, file) != text {
				t.Fatalf("%s: the file was written", name)
			}
		}
	}
}

// wantCut checks the error of a cassette that was cut and has this text.
func wantCut(t *testing.T, name string, err error, file, text string) {
	t.Helper()
	if err == nil {
		t.Fatalf("%s: opened", name)
	}
	beginning := "promptecho: " + placeOfEnd(file, text) + ":"
	if !strings.HasPrefix(err.Error(), beginning) {
		t.Fatalf("%s: %v, want %q at the beginning", name, err, beginning)
	}
	wantError(t, name, err, "the file was cut here")
	wantError(t, name, err, "git checkout -- "+file+", or record it again: PROMPTECHO_MODE=all go test")
}

// placeOfEnd returns a file and its last line.
func placeOfEnd(file, text string) string {
	return fmt.Sprintf("%s:%d", file, 1+strings.Count(strings.TrimRight(text, "\n"), "\n"))
}

// A chat is a prompt and its answer.
type chat struct{ prompt, answer string }

// saveMixed saves a cassette with answers of each kind: JSON, a stream, a text of several lines,
// and one in a file of its own.
func saveMixed(t *testing.T) (file string, chats []chat) {
	t.Helper()
	chats = []chat{
		{prompt: "json", answer: `{"choices":[{"message":{"content":"a\nb"}}]}`},
		{prompt: "stream"},
		{prompt: "text", answer: "first line\n  second line\n\nlast line\n"},
		{prompt: "asset", answer: strings.Repeat("\xff\x00", 1000)},
	}
	var pairs []string
	for _, chat := range chats {
		pairs = append(pairs, chat.prompt, chat.answer)
	}
	f := must.Chats(pairs...)
	for _, it := range f.Interactions {
		it.Response.Headers = interaction.Headers{{Name: "content-type", Values: []string{"text/plain"}}}
	}

	streamed, stream := &chats[1], &f.Interactions[1].Response
	stream.Body, stream.Stream = nil, "sse"
	for i := range 4 {
		value := fmt.Sprintf(`{"choices":[{"index":0,"delta":{"content":"piece %d"}}]}`, i)
		stream.Events = append(stream.Events, interaction.Event{{Name: "data", Value: value}})
		streamed.answer += "data: " + value + "\n\n"
	}
	return must.Save(t, f), chats
}

// wantAnswers asks the prompts, which must have their answers.
func wantAnswers(t *testing.T, rec *promptecho.Recorder, chats []chat) {
	t.Helper()
	for _, chat := range chats {
		wantAnswer(t, rec, chat.prompt, chat.answer)
	}
}

// A cassette that was cut, or lacks an asset, is recorded again in mode all, by a test that passes.
//
// What any other run records is saved next to it.
func TestDamagedCassetteIsRecordedAgain(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		damage  damages
		mode    promptecho.Mode
		outcome report.Outcome

		openError string
		isNextTo  bool // the recordings are in the file next to the cassette
	}{
		{
			name:   "cut",
			damage: damages{cut}, mode: promptecho.ModeAll,
		},
		{
			name:   "cut, and the test fails",
			damage: damages{cut}, mode: promptecho.ModeAll, outcome: report.Outcome{Failed: true},
			isNextTo: true,
		},
		{
			name:   "cut, and the run is filtered",
			damage: damages{cut}, mode: promptecho.ModeAll, outcome: report.Outcome{Filtered: true},
			isNextTo: true,
		},
		{
			name:   "cut, and the test is skipped",
			damage: damages{cut}, mode: promptecho.ModeAll, outcome: report.Outcome{Skipped: true},
			isNextTo: true,
		},
		{
			name:   "cut and pinned",
			damage: damages{pin, cut}, mode: promptecho.ModeAll,
			openError: `remove "pinned: true"`,
		},
		{
			name:   "an asset is missing",
			damage: damages{removeAssets}, mode: promptecho.ModeAll,
		},
		{
			name:   "an asset is missing, mode new_episodes",
			damage: damages{removeAssets}, mode: promptecho.ModeNewEpisodes,
			openError: "response.body_file: asset",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file, chats := saveMixed(t)
			for _, damage := range tt.damage {
				damage(t, file)
			}
			before := must.Read(t, file)
			live := promptecho.Upstream(provider.Says(`{"live":true}`))

			rec, err := promptecho.Open(file, promptecho.InMode(tt.mode), live)
			if tt.openError != "" {
				wantError(t, "Open", err, tt.openError)
				if must.Read(t, file) != before {
					t.Error("the cassette was written")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var prompts []string
			for _, chat := range chats {
				prompts = append(prompts, chat.prompt)
				wantAnswer(t, rec, chat.prompt, `{"live":true}`)
			}
			rep := must.Finish(rec, tt.outcome)

			const note = "the file was cut here: this run records the whole cassette again"
			if len(rep.Errors) > 0 || !strings.Contains(strings.Join(rep.Notes, "\n"), note) {
				t.Errorf("%+v", rep)
			}
			recorded := file
			if tt.isNextTo {
				recorded = file + must.FailedSuffix
				if must.Read(t, file) != before {
					t.Error("what is left of the cassette was overwritten")
				}
			}
			if got := must.Prompts(t, recorded); got != strings.Join(prompts, " ") {
				t.Errorf("%s has %q", recorded, got)
			}
		})
	}
}

type damages = []func(t *testing.T, file string)

// cut removes the last third of a cassette.
func cut(t *testing.T, file string) {
	t.Helper()
	text := must.Read(t, file)
	must.Write(t, file, text[:len(text)*2/3])
}

func pin(t *testing.T, file string) {
	t.Helper()
	must.SetTop(t, file, "pinned: true\n")
}

func removeAssets(t *testing.T, file string) {
	t.Helper()
	if err := os.RemoveAll(strings.TrimSuffix(file, ".yaml") + ".assets"); err != nil {
		t.Fatal(err)
	}
}
