package tape

import (
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/redact"
)

// A miss shows no secret: where the recording next to it has a placeholder, the
// request has one, too.
func TestMissShowsNoSecret(t *testing.T) {
	t.Parallel()
	const token = "Zk93hQ7xPw2LmN8v"
	tests := []struct{ name, recorded, sent string }{
		{"the only difference", "use [REDACTED]", "use " + token},
		{"another word differs, too", "use [REDACTED] now", "use " + token + " later"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			policy := new(redact.Policy)
			config := configOf(cassetteOf(t, exchange(prompt(tt.recorded, `"n":1`), says("one"))))
			run := open(t, config, policy, PlayAll, false)
			req := prompt(tt.sent, `"n":2`)
			m := Match{Call: Call{Request: req}, Form: run.Config.Options.Form(&req)}

			shown := run.ForDisplay(&m, run.Recordings()[0])
			all := shown.text() + string(shown.Request.Body)
			if strings.Contains(all, token) || !strings.Contains(all, redact.Placeholder) {
				t.Errorf("shown is %s", all)
			}
			if !strings.Contains(m.text(), token) {
				t.Error("the match itself was changed")
			}
		})
	}
}

// A miss shows what the request has where the recording has another text, since
// that is no secret.
func TestMissShowsADifference(t *testing.T) {
	t.Parallel()
	config := configOf(cassetteOf(t, exchange(prompt("call Qm4TzR8vWk1Lx6Np"), says("one"))))
	run := open(t, config, new(redact.Policy), PlayAll, false)
	req := prompt("call Zk93hQ7xPw2LmN8v")
	m := Match{Call: Call{Request: req}, Form: config.Options.Form(&req)}
	shown := run.ForDisplay(&m, run.Recordings()[0])
	if !strings.Contains(shown.text(), "Zk93hQ7xPw2LmN8v") {
		t.Errorf("shown is %s", shown.text())
	}
}

// A value differs only in a secret if the recording has a placeholder there.
func TestDiffersOnlyInSecret(t *testing.T) {
	t.Parallel()
	run := replay(t)
	if !run.DiffersOnlyInSecret("use [REDACTED]", "use Zk93hQ7xPw2LmN8v") {
		t.Error("a secret counts as another difference")
	}
	if run.DiffersOnlyInSecret("use [REDACTED]", "lose Zk93hQ7xPw2LmN8v") {
		t.Error("another word counts as a secret")
	}
}

// A request whose secret became known after it was sent is saved without the
// secret, and the run knows which one it is.
func TestSecretLearnedAfterItsRequest(t *testing.T) {
	t.Parallel()
	const token = "Zk93hQ7xPw2LmN8v"
	run := update(t)
	early := recordCall(t, run, prompt("use "+token), says("one"))
	run.policy.AddSecret(token)
	late := recordCall(t, run, prompt("drop "+token), says("two"))
	recordCall(t, run, prompt("nothing"), says("three"))
	if err := saveRun(run); err != nil {
		t.Fatal(err)
	}
	if len(run.SecretLearned) != 1 || run.SecretLearned[0] != early {
		t.Errorf("%d recordings: want only the early one", len(run.SecretLearned))
	}
	for _, rec := range []*Recording{early, late} {
		if body := string(rec.Interaction().Request.Body); strings.Contains(body, token) {
			t.Errorf("saved: %s", body)
		}
	}
}
