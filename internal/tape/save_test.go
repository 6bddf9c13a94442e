package tape

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// What a run recorded is played by the next one.
func TestSavedRunIsReplayed(t *testing.T) {
	t.Parallel()
	run := update(t, alone("a"))
	do(t, run, "ask a, end a, ask b, end b")
	if list := run.Recordings(); run.Succeeded(list[0].Form().Key()) || !run.Succeeded(list[1].Form().Key()) {
		t.Error("a played recording counts as a success of this run, or a recorded one does not")
	}
	if err := saveRun(run); err != nil {
		t.Fatal(err)
	}
	next := open(t, configOf(run.Config.Path), new(redact.Policy), PlayAll, false)
	wantPlayed(t, next, []int{0, 1, missing}, prompt("a"), prompt("b"), prompt("c"))
	if next.State.Partial {
		t.Error("the cassette is marked as not complete")
	}
	for i, rec := range next.Recordings() {
		if !rec.Sealed() || rec.Line() == 0 || rec.Number() != i {
			t.Errorf("recording %d: sealed %v, line %d", i, rec.Sealed(), rec.Line())
		}
	}
}

// A secret that became known after a response was recorded is not saved, in
// its text and in its assets.
func TestSavedRunHasNoSecretLearnedLater(t *testing.T) {
	t.Parallel()
	const secret = "Zk93hQ7xPw2LmN8v"
	run := update(t)
	recordCall(t, run, prompt("hi"), says("it is "+secret))
	recordCall(t, run, prompt("clean"), says("x"))
	run.policy.AddSecret(secret)
	if err := saveRun(run); err != nil {
		t.Fatal(err)
	}
	text := readFile(t, run.Config.Path)
	if strings.Contains(text, secret) || !strings.Contains(text, redact.Placeholder) {
		t.Errorf("the cassette is %s", text)
	}
}

// A recorded value that is a credential is not saved, and the error names it.
func TestCredentialAmongRecordedValues(t *testing.T) {
	t.Parallel()
	run := update(t)
	run.Close()
	values := interaction.RecordedValues{Env: map[string]string{"API_KEY": "Zk93hQ7xPw2LmN8v"}}
	err := run.Save(run.Config.Path, run.Config.Name, values, nil, false)
	if err == nil || !strings.Contains(err.Error(), "API_KEY") {
		t.Errorf("the error is %v", err)
	}
}

// A recording that cannot be written is named by its place.
func TestUnwritableRecordingIsNamed(t *testing.T) {
	t.Parallel()
	run := update(t)
	recordCall(t, run, prompt("hi"), says("one"))
	recordCall(t, run, prompt("hi"), interaction.Response{})
	err := saveRun(run)
	if err == nil || !strings.Contains(err.Error(), "(interaction 2)") {
		t.Errorf("the error is %v", err)
	}
}

// A cassette that another process has written meanwhile is not overwritten.
func TestCassetteOfAnotherProcess(t *testing.T) {
	t.Parallel()
	run := update(t, alone("a"))
	run.Close()
	if run.Overtaken() {
		t.Error("it counts as overtaken at once")
	}
	saveCassette(t, run.Config.Path, alone("a"), alone("b"))
	if !run.Overtaken() {
		t.Error("another process has written the cassette")
	}

	path := filepath.Join(t.TempDir(), "new.yaml")
	run = open(t, configOf(path), new(redact.Policy), PlayAll, true)
	recordCall(t, run, prompt("hi"), says("one"))
	saveCassette(t, path, alone("other"))
	if err := saveRun(run); !errors.Is(err, os.ErrExist) {
		t.Errorf("the error is %v", err)
	}
}

// A folder that cannot be written is found before a request is paid for.
func TestNothingIsSentIfNothingCanBeSaved(t *testing.T) {
	t.Parallel()
	run := update(t)
	run.canSave = func() error { return os.ErrPermission }
	_, err := run.Reserve(send(t, run, prompt("hi")))
	if !errors.Is(err, os.ErrPermission) || len(run.Recordings()) != 0 {
		t.Errorf("error %v, %d recordings", err, len(run.Recordings()))
	}
}

// A new call that follows a played one may depend on what that did not do.
func TestFollowsPlayed(t *testing.T) {
	t.Parallel()
	run := update(t, alone("a"), alone("unused"))
	do(t, run, "ask x, end x, ask a, end a, ask y, end y")
	list := run.Recordings()
	first, second := list[2], list[3]
	if run.FollowsPlayed(first) || !run.FollowsPlayed(second) {
		t.Errorf("got %v and %v", run.FollowsPlayed(first), run.FollowsPlayed(second))
	}
}

// A new call to a local server may lack what an earlier call wrote there, if
// that was played and not sent.
func TestWrittenBefore(t *testing.T) {
	t.Parallel()
	write := func(method, url string) interaction.Request {
		return interaction.Request{Method: method, URL: url, Body: []byte(`{"text":"x"}`)}
	}
	const oldPort = "http://127.0.0.1:7001"
	tests := []struct {
		name   string
		path   string
		method string
		resp   interaction.Response
		server string // of the new call
		want   bool
	}{
		{"a PUT", "/collections/x", "PUT", says("ok"), serverA, true},
		{"a PATCH", "/collections/x", "PATCH", says("ok"), serverA, true},
		{"a POST that created something", "/things", "POST", fails(201), serverA, true},
		{"a POST to a store of vectors", "/collections/x/points?wait=true", "POST", says("ok"), serverA, true},
		{"a search", "/collections/x/search", "POST", says("ok"), serverA, false},
		{"a GET", "/collections/x/points", "GET", says("ok"), serverA, false},
		{"another server", "/collections/x", "PUT", says("ok"), serverB, false},
		{"a server that is not local", "/collections/x", "PUT", says("ok"), "https://db.example.com", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			run := update(t,
				exchange(write(tt.method, oldPort+tt.path), tt.resp), exchange(get(oldPort+"/later"), says("x")),
			)
			early := recordCall(t, run, get(tt.server+"/early"), says("one"))
			written := send(t, run, write(tt.method, serverA+tt.path)).Recording
			if written == nil {
				t.Fatal("the write is not played")
			}
			fresh := recordCall(t, run, get(tt.server+"/read"), says("one"))
			run.Close()

			var want *Recording
			if tt.want {
				want = written
			}
			if got := run.WrittenBefore(fresh); got != want {
				t.Errorf("got %v", got)
			}
			if run.WrittenBefore(early) != nil {
				t.Error("a call that came before counts")
			}
		})
	}
}

// A write to a server that still runs, at the port of the recording, was done.
func TestWrittenBeforeToTheSameProcess(t *testing.T) {
	t.Parallel()
	write := interaction.Request{Method: "PUT", URL: serverA + "/x", Body: []byte(`{}`)}
	run := update(t, exchange(write, says("ok")))
	send(t, run, write)
	fresh := recordCall(t, run, get(serverA+"/read"), says("one"))
	run.Close()
	if run.WrittenBefore(fresh) != nil {
		t.Error("the server has what was written")
	}
}

// A text that was made for the journal is saved as it is, unless it may have a
// secret that has become known since.
func TestTextIsMadeOnce(t *testing.T) {
	t.Parallel()
	const secret = "Zk93hQ7xPw2LmN8v"
	policy := new(redact.Policy)
	policy.AddSecret("Qm4TzR8vWk1Lx6Np")
	run := open(t, configOf(cassetteOf(t)), policy, PlayAll, true)
	plain := recordCall(t, run, prompt("hi"), says("one"))
	withSecret := recordCall(t, run, prompt("use "+secret), says("two"))
	withAsset := recordCall(t, run, get("https://example.com/x.png"), picture())
	if len(withAsset.live.encoded.Assets) == 0 {
		t.Fatal("the picture is no asset")
	}
	wantMadeAgain(t, run, map[*Recording]bool{plain: false, withSecret: false, withAsset: false})
	policy.AddSecret(secret)
	wantMadeAgain(t, run, map[*Recording]bool{plain: false, withSecret: true, withAsset: true})
}

func wantMadeAgain(t *testing.T, run *Tape, recs map[*Recording]bool) {
	t.Helper()
	for rec, want := range recs {
		text := rec.live.encoded
		item, err := run.encoded(rec, run.Config.Name)
		if err != nil {
			t.Fatal(err)
		}
		if isMadeAgain := item != text; isMadeAgain != want {
			t.Errorf("%s is made again: %v", textOf(rec), isMadeAgain)
		}
	}
}

// What a run that did not pass has recorded is next to the cassette.
func TestFailedFileAndAssets(t *testing.T) {
	t.Parallel()
	run := update(t)
	if want := run.Config.Path + FailedSuffix; run.Failed() != want {
		t.Errorf("the file is %s, want %s", run.Failed(), want)
	}
	failed, own, ok := run.FailedAssets()
	if ok || failed == own {
		t.Errorf("the assets are in %s, %v", failed, ok)
	}
	if err := os.Mkdir(failed, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := run.FailedAssets(); !ok {
		t.Error("the assets are not found")
	}
}

// A cassette has what a model said as a comment for its reader.
func TestCassetteHasTheTextOfAnAnswer(t *testing.T) {
	t.Parallel()
	answer := streamOf("",
		`{"choices":[{"delta":{"content":"hello "}}]}`, `{"choices":[{"delta":{"content":"reader"}}]}`)
	path := cassetteOf(t, exchange(prompt("hi"), answer))
	if text := readFile(t, path); !strings.Contains(text, "hello reader") {
		t.Errorf("the cassette is %s", text)
	}
}
