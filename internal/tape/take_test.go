package tape

import (
	"errors"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// A request with the same bytes as a recording is answered without a canonical
// form, so that nothing of the request is read from the cassette.
func TestSameBytesNeedNoForm(t *testing.T) {
	t.Parallel()
	t.Run("a request that is recorded once", func(t *testing.T) {
		t.Parallel()
		run := replay(t, exchange(prompt("hi"), says("one")))
		m := send(t, run, prompt("hi"))
		if numberOf(m) != 0 || m.Form != nil || m.Recording.content.form.Load() != nil {
			t.Errorf("recording %d, form %v", numberOf(m), m.Form)
		}
	})
	t.Run("a poll that is played again", func(t *testing.T) {
		t.Parallel()
		run := replay(t, exchange(prompt("hi"), says("one")), exchange(prompt("hi"), says("two")))
		run.Config.Repeats = canon.Selectors{"llm"}
		for i, want := range []int{0, 1, 1, 1} {
			if m := send(t, run, prompt("hi")); numberOf(m) != want || m.Form != nil {
				t.Errorf("request %d: recording %d, form %v", i, numberOf(m), m.Form)
			}
		}
	})
	t.Run("one of several samples, when these are sorted", func(t *testing.T) {
		t.Parallel()
		run := replay(t, sampled(`"seed":1`, "one"), sampled(`"seed":2`, "two"))
		send(t, run, sample(`"seed":2`)) // sorts them
		if m := send(t, run, sample(`"seed":1`)); numberOf(m) != 0 || m.Form != nil {
			t.Errorf("recording %d, form %v", numberOf(m), m.Form)
		}
	})
}

// AllowRepeats plays the last recording of the same request again, whatever else
// is recorded.
func TestRepeatedSamplesKeepTheirRecordings(t *testing.T) {
	t.Parallel()
	run := replay(t, sampled(`"seed":1`, "one"), sampled(`"seed":2`, "two"))
	run.Config.Repeats = canon.Selectors{"llm"}
	wantPlayed(t, run, []int{0, 0, 1, 0, 1},
		sample(`"seed":1`), sample(`"seed":1`), sample(`"seed":2`), sample(`"seed":1`), sample(`"seed":2`))
}

// A request that was canceled and sent again is canceled first, although the
// recording of its response has the same bytes.
func TestCanceledAndSentAgainIsCanceledFirst(t *testing.T) {
	t.Parallel()
	run := replay(t, exchange(prompt("hi"), isCanceled()), exchange(prompt("hi"), says("one")))
	for i, want := range []int{0, 1} {
		m := take(t, run, Call{Request: prompt("hi"), Cancelable: true})
		if numberOf(m) != want {
			t.Errorf("request %d: recording %d, want %d", i, numberOf(m), want)
		}
	}
}

// A canceled request is not found by its bytes, since only its context tells
// whether it is going to be canceled again.
func TestUncancelableRequestGetsTheResponse(t *testing.T) {
	t.Parallel()
	run := replay(t, exchange(prompt("hi"), isCanceled()), exchange(prompt("hi"), says("one")))
	wantPlayed(t, run, []int{1, 0, missing}, prompt("hi"), prompt("hi"), prompt("hi"))
}

// A client of JSON-RPC that sends one call more than recorded numbers all later
// calls differently. Each of them still gets the response of its own place.
func TestShiftedIDsKeepTheOrder(t *testing.T) {
	t.Parallel()
	recorded := exchanges{
		exchange(toolCall(1, "first"), says("first")),
		exchange(toolCall(2, "poll"), says("one")),
		exchange(toolCall(3, "poll"), says("two")),
		exchange(toolCall(4, "poll"), says("three")),
	}
	t.Run("as recorded", func(t *testing.T) {
		t.Parallel()
		wantPlayed(t, replay(t, recorded...), []int{0, 1, 2, 3},
			toolCall(1, "first"), toolCall(2, "poll"), toolCall(3, "poll"), toolCall(4, "poll"))
	})
	t.Run("one call more at the start", func(t *testing.T) {
		t.Parallel()
		wantPlayed(t, replay(t, recorded...), []int{0, missing, 1, 2, 3},
			toolCall(1, "first"), toolCall(2, "added"),
			toolCall(3, "poll"), toolCall(4, "poll"), toolCall(5, "poll"))
	})
	t.Run("one call more at the end", func(t *testing.T) {
		t.Parallel()
		wantPlayed(t, replay(t, recorded...), []int{0, 1, 2, 3, missing},
			toolCall(1, "first"), toolCall(2, "poll"), toolCall(3, "poll"), toolCall(4, "poll"),
			toolCall(5, "poll"))
	})
	t.Run("two calls in another order", func(t *testing.T) {
		t.Parallel()
		wantPlayed(t, replay(t, recorded...), []int{0, 2, 1, 3},
			toolCall(1, "first"), toolCall(3, "poll"), toolCall(2, "poll"), toolCall(4, "poll"))
	})
}

// A session in another order gets the responses of its own IDs, also after
// another session that used the same IDs.
func TestSessionsWithTheSameIDs(t *testing.T) {
	t.Parallel()
	run := replay(t,
		exchange(toolCall(2, "poll"), says("first session, one")),
		exchange(toolCall(3, "poll"), says("first session, two")),
		exchange(toolCall(2, "poll"), says("second session, one")),
		exchange(toolCall(3, "poll"), says("second session, two")),
	)
	wantPlayed(t, run, []int{0, 1, 3, 2},
		toolCall(2, "poll"), toolCall(3, "poll"), toolCall(3, "poll"), toolCall(2, "poll"))
}

// After Stop, no request is answered.
func TestNothingIsAnsweredAfterStop(t *testing.T) {
	t.Parallel()
	for _, req := range []interaction.Request{prompt("hi"), prompt("other")} {
		run := replay(t, exchange(prompt("hi"), says("one")))
		run.Stop()
		_, err := run.Take(Call{Request: req})
		if !errors.Is(err, ErrClosed) {
			t.Errorf("the error is %v", err)
		}
	}
}

// A test that does not cancel a request, although its recording was canceled,
// gets the next response, and the canceled recording is left for later.
func TestTakeInsteadOfACanceledRecording(t *testing.T) {
	t.Parallel()
	run := replay(t, exchange(prompt("hi"), isCanceled()), exchange(prompt("hi"), says("one")))
	m := take(t, run, Call{Request: prompt("hi"), Cancelable: true})
	canceledRecording := m.Recording
	if !canceledRecording.Canceled() || !run.IsAnswered(canceledRecording) {
		t.Fatal("the canceled recording comes first, and has a response")
	}

	instead, err := run.TakeInstead(m)
	if err != nil || numberOf(instead) != 1 {
		t.Fatalf("recording %d, error %v", numberOf(instead), err)
	}
	if canceledRecording.Used() || run.IsAnswered(canceledRecording) {
		t.Error("the canceled recording counts as used, or as answered")
	}

	// The same request again is canceled, as nothing else is left.
	again := take(t, run, Call{Request: prompt("hi"), Cancelable: true})
	if again.Recording != canceledRecording {
		t.Errorf("recording %d", numberOf(again))
	}
}

// Nothing is left for a request that is not canceled, if its recording was found
// by a placeholder and there is no other.
func TestTakeInsteadByPlaceholder(t *testing.T) {
	t.Parallel()
	run := replay(t, exchange(prompt("use [REDACTED]"), isCanceled()))
	m := take(t, run, Call{Request: prompt("use Zk93hQ7xPw2LmN8v"), Cancelable: true})
	if m.Recording == nil {
		t.Fatal("the canceled recording is not found")
	}
	run.records = true // a run that records sends the request
	instead, err := run.TakeInstead(m)
	if err != nil || instead.Recording != nil {
		t.Errorf("recording %d, error %v", numberOf(instead), err)
	}
}

// A recording whose request was not canceled this time is not played again in
// its turn: the program does not cancel that request.
func TestReplacedRecordingHasNoTurn(t *testing.T) {
	t.Parallel()
	run := replay(t,
		exchange(prompt("hi"), isCanceled()),
		exchange(prompt("hi"), says("one")),
		exchange(prompt("hi"), says("two")),
	)
	call := Call{Request: prompt("hi"), Cancelable: true}
	instead, err := run.TakeInstead(take(t, run, call))
	if err != nil || numberOf(instead) != 1 {
		t.Fatalf("recording %d, error %v", numberOf(instead), err)
	}
	if m := take(t, run, call); numberOf(m) != 2 {
		t.Errorf("recording %d", numberOf(m))
	}
}

// A request that is not canceled never gets a canceled recording in place of a
// response that was recorded later.
func TestTakeInsteadPrefersAResponse(t *testing.T) {
	t.Parallel()
	run := replay(t,
		exchange(prompt("hi"), isCanceled()),
		exchange(prompt("hi"), isCanceled()),
		exchange(prompt("hi"), says("one")),
	)
	m := take(t, run, Call{Request: prompt("hi"), Cancelable: true})
	instead, err := run.TakeInstead(m)
	if err != nil || numberOf(instead) != 2 {
		t.Errorf("recording %d, error %v", numberOf(instead), err)
	}
}

// A response that this run recorded is played again if Rounds is set: an
// evaluation asks the same in each round.
func TestRoundsPlayWhatWasRecorded(t *testing.T) {
	t.Parallel()
	run := update(t)
	run.Config.Rounds = true
	first := recordCall(t, run, prompt("hi"), says("one"))
	if m := send(t, run, prompt("hi")); m.Recording != first || m.FoundBy == nil {
		t.Errorf("the second round gets %v", m.Recording)
	}
	if m := send(t, run, prompt("other")); m.Recording != nil {
		t.Error("another request is answered")
	}

	run = update(t)
	recordCall(t, run, prompt("hi"), says("one"))
	if m := send(t, run, prompt("hi")); m.Recording != nil {
		t.Error("a response is played again without Rounds")
	}
}

// A recording of the cassette comes before what this run recorded.
func TestRoundsPlayTheCassetteFirst(t *testing.T) {
	t.Parallel()
	run := update(t, exchange(prompt("hi"), says("old")))
	run.Config.Rounds = true
	wantPlayed(t, run, []int{0}, prompt("hi"))
	fresh := recordCall(t, run, prompt("hi"), says("new"))
	if m := send(t, run, prompt("hi")); m.Recording != fresh {
		t.Errorf("recording %d", numberOf(m))
	}
}

// A placeholder that a replayed response contained, and that the program sends
// back, stands for the placeholder of the cassette.
func TestPlaceholderIsSentBack(t *testing.T) {
	t.Parallel()
	const token = "sk-Zk93hQ7xPw2LmN8vTb41"
	policy := new(redact.Policy)
	policy.AddSecret(token)
	path := cassetteOf(t)
	run := open(t, configOf(path), policy, PlayAll, true)
	recordCall(t, run, prompt("use "+token), says("done"))
	recordCall(t, run, prompt("use "+token), says("again"))
	if err := saveRun(run); err != nil {
		t.Fatal(err)
	}

	run = open(t, configOf(path), new(redact.Policy), PlayAll, false)
	m := send(t, run, prompt("use "+redact.Placeholder, `"max_tokens":9`))
	if numberOf(m) != 0 || m.SecretLearned {
		t.Errorf("recording %d, secret learned: %v", numberOf(m), m.SecretLearned)
	}
}

// A program that redacts its own prompts matches its own recordings: its text
// is no placeholder of the cassette.
func TestOwnPlaceholderIsAText(t *testing.T) {
	t.Parallel()
	path := cassetteOf(t)
	run := open(t, configOf(path), new(redact.Policy), PlayAll, true)
	recordCall(t, run, prompt("call "+redact.Placeholder), says("done"))
	if err := saveRun(run); err != nil {
		t.Fatal(err)
	}
	run = open(t, configOf(path), new(redact.Policy), PlayAll, false)
	if m := send(t, run, prompt("call Zk93hQ7xPw2LmN8v")); m.Recording != nil {
		t.Error("another text is answered by the program's own placeholder")
	}
	m := send(t, run, prompt("call "+redact.Placeholder, `"max_tokens":9`))
	if numberOf(m) != 0 {
		t.Errorf("recording %d", numberOf(m))
	}
}

// A request that sends a placeholder back, and whose recording answered another
// request, is in a conflict with what is recorded for it.
func TestConflictOfAPlaceholderSentBack(t *testing.T) {
	t.Parallel()
	run := update(t, exchange(prompt("use [REDACTED]", `"seed":1`), says("one")))
	if m := send(t, run, prompt("use [REDACTED]", `"seed":3`)); numberOf(m) != 0 {
		t.Fatalf("recording %d", numberOf(m))
	}
	own := recordCall(t, run, prompt("use [REDACTED]", `"seed":1`), says("two"))
	conflicts := run.Conflicts()
	if len(conflicts) != 1 || conflicts[0].Instead != own {
		t.Errorf("got %+v", conflicts)
	}
}

// A placeholder in a recording matches any text, which is a secret from then
// on: the run that recorded it knew of the secret there.
func TestPlaceholderMatchesASecret(t *testing.T) {
	t.Parallel()
	const token = "Zk93hQ7xPw2LmN8v"
	recordings := exchanges{
		exchange(prompt("use [REDACTED]"), says("one")),
		exchange(prompt("use [REDACTED]"), says("two")),
	}
	policy := new(redact.Policy)
	run := open(t, configOf(cassetteOf(t, recordings...)), policy, PlayAll, false)

	m := send(t, run, prompt("use "+token))
	if numberOf(m) != 0 || !m.SecretLearned {
		t.Fatalf("recording %d, secret learned: %v", numberOf(m), m.SecretLearned)
	}
	if made, _ := run.Made(); len(made) != 1 {
		t.Errorf("%d recordings belong to calls of this run", len(made))
	}
	if strings.Contains(string(m.Request.Body), token) || strings.Contains(m.Form.Text(), token) {
		t.Error("the match has the secret")
	}
	if !policy.MayContain([]byte(token)) {
		t.Error("the text is no secret from now on")
	}

	// Nothing is left: the text is a secret all the same.
	m = send(t, run, prompt("use "+token))
	if numberOf(m) != 1 {
		t.Errorf("recording %d", numberOf(m))
	}
	m = send(t, run, prompt("use "+token))
	if m.Recording != nil || strings.Contains(m.Form.Text(), token) {
		t.Errorf("recording %d, form %s", numberOf(m), m.Form.Text())
	}

	other := send(t, run, prompt("lose "+token))
	if other.Recording != nil {
		t.Error("a request that differs elsewhere is answered")
	}
}

// The texts of recordings with placeholders are read again if they were left
// out to save memory.
func TestPlaceholderOfALargeCassette(t *testing.T) {
	t.Parallel()
	run := replay(t, exchange(prompt("use [REDACTED]"), says("one")))
	all := run.withPlaceholders()
	if len(all) != 1 || all[0].text == "" {
		t.Fatalf("%d recordings have placeholders", len(all))
	}
	all[0].text = ""
	m := send(t, run, prompt("use Zk93hQ7xPw2LmN8v"))
	if numberOf(m) != 0 || !m.SecretLearned {
		t.Errorf("recording %d, secret learned: %v", numberOf(m), m.SecretLearned)
	}
}

// A cassette of another tool has placeholders in its URLs, and the program
// requests any server there.
func TestPlaceholderInURL(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, recorded, sent string }{
		{"the whole host", "https://<BASE>/status", "https://jira.example.com/v1/status"},
		{"a region", "https://api.<REGION>.example.com/x", "https://api.eu-1.example.com/x"},
		{"an account in the path", "https://example.com/<ACCOUNT>/x", "https://example.com/12/x"},
		{"a key in the query", "https://example.com/x?id=[REDACTED]", "https://example.com/x?id=7"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			run := replay(t, exchange(get(tt.recorded), says("one")))
			if m := send(t, run, get("https://other.example.com/y")); m.Recording != nil {
				t.Error("another path is answered")
			}
			m := send(t, run, get(tt.sent))
			if numberOf(m) != 0 {
				t.Fatalf("recording %d", numberOf(m))
			}
			if m.Request.URL != tt.sent {
				t.Errorf("the request is shown as %s", m.Request.URL)
			}
		})
	}
}

// A request is counted once for the report, also if several ways to find its
// recording are tried.
func TestRequestIsCountedOnce(t *testing.T) {
	t.Parallel()
	const secret = "Zk93hQ7xPw2LmN8v"
	tests := []struct {
		name           string
		recorded, sent interaction.Request
	}{
		{"a plain request", prompt("hi"), prompt("hi")},
		{
			"a replaced value in the URL",
			get("https://example.com/x?id=[REDACTED]"), get("https://example.com/x?id=[REDACTED]"),
		},
		{"a known secret in the body", prompt("use [REDACTED]"), prompt("use " + secret)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			policy := new(redact.Policy)
			policy.AddSecret(secret)
			config := configOf(cassetteOf(t, exchange(tt.recorded, says("one"))))
			run := open(t, config, policy, PlayAll, false)
			var m Match
			for range 2 {
				m = send(t, run, tt.sent)
			}
			if asked := run.AskedFor(&m); asked.Recorded != 1 || asked.Times != 2 {
				t.Errorf("got %+v", asked)
			}
		})
	}
}

// A secret that becomes known while its request is matched does not make the
// recording look forged: another call of the program has just sent it.
func TestSecretLearnedMeanwhileIsNoForgery(t *testing.T) {
	t.Parallel()
	const secret = "Zk93hQ7xPw2LmN8v"
	policy := new(redact.Policy)
	config := configOf(cassetteOf(t, exchange(prompt("use "+secret), says("one"))))
	run := open(t, config, policy, PlayAll, false)
	req := prompt("use " + secret)
	form := config.Options.Form(&req)
	policy.AddSecret(secret)
	if err := run.checkMatchKey(run.Recordings()[0], form); err != nil {
		t.Error(err)
	}
}

// A cassette whose seals were swapped is refused: the line of one recording
// belongs to another one.
func TestSwappedSealIsRefused(t *testing.T) {
	t.Parallel()
	// Two requests whose forms differ. The seal of each recording is written
	// with the match key of the other one.
	run := replay(t, exchange(prompt("hi"), says("one")), exchange(prompt("other"), says("two")))
	first, second := &run.loaded[0], &run.loaded[1]
	c := run.index.byKey[first.key]
	run.index.byKey[second.key], run.index.byKey[first.key] = c, run.index.byKey[second.key]
	first.key, second.key = second.key, first.key

	req := prompt("hi")
	req.URL += "?" // other bytes, so that the form decides
	_, err := run.Take(Call{Request: req})
	if err == nil || !strings.Contains(err.Error(), "belongs to another request") {
		t.Errorf("the error is %v", err)
	}
	if run.Unreadable() == nil {
		t.Error("the run does not say that the cassette cannot be read")
	}
}
