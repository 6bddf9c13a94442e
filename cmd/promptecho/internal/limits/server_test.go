package limits

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/quota"
)

// TestRecorderGetsPermitsOverTheNetwork: a recorder that the environment leads to the server asks it, and
// the server learns how each request ends, also if its process or its client is gone.
func TestRecorderGetsPermitsOverTheNetwork(t *testing.T) {
	s, err := Start(Limits{MaxTokens: 100})
	if err != nil {
		t.Fatal(err)
	}
	name, value, _ := strings.Cut(s.Env(), "=")
	t.Setenv(name, value)
	q := quota.FromEnv()
	call := quota.Call{Host: "api.test", Model: "m", AsksModel: true}

	p, err := q.Acquire(t.Context(), call)
	if err != nil {
		t.Fatal(err)
	}
	p.Head(quota.Head{Status: 200})
	p.End(quota.End{Model: "m", Whole: true, Usage: &interaction.Usage{InputTokens: 90}})
	p.End(quota.End{Model: "m", Whole: true, Usage: &interaction.Usage{InputTokens: 90}})
	p.Release()

	// This one waits until the server has read the end of the first one: nothing was known before.
	_, err = q.Acquire(t.Context(), call)
	var refused *quota.RefusedError
	if !errors.As(err, &refused) || refused.Code != finding.BudgetUsed {
		t.Errorf("the second request gets %v", err)
	}

	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := q.Acquire(canceled, quota.Call{Host: "api.test"}); err != context.Canceled {
		t.Errorf("a canceled request gets %v", err)
	}

	left, err := q.Acquire(t.Context(), quota.Call{Host: "api.test"})
	if err != nil {
		t.Fatal(err)
	}
	left.Head(quota.Head{Status: 200})
	left.Release() // as a killed process does
	s.Close()
	if r := s.Report(); r.Whole != 1 || r.Tokens != 90 || r.BrokenOff != 1 {
		t.Errorf("the report is %+v", r)
	}

	_, err = q.Acquire(t.Context(), call)
	if !errors.As(err, &refused) || refused.Code != finding.QuotaLost {
		t.Errorf("without the server: %v", err)
	}
}

// A connection without the token of the run gets nothing.
func TestTokenIsNeeded(t *testing.T) {
	s, err := Start(Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, value, _ := strings.Cut(s.Env(), "=")
	t.Setenv(quota.Env, value+"x")
	if _, err := quota.FromEnv().Acquire(t.Context(), quota.Call{}); err == nil {
		t.Error("a wrong token got a permit")
	}
	if r := s.Report(); r.Sent != 0 {
		t.Errorf("the report is %+v", r)
	}
}
