package limits

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/models"
	"github.com/promptecho/promptecho/internal/quota"
)

// ask returns the request of a recorder to a model.
func ask(recorder string) quota.Ask {
	return quota.Ask{Recorder: recorder, Call: quota.Call{Host: "api.test", Model: "m", AsksModel: true}}
}

// answered returns the end of a request whose answer is whole.
func answered(tokens int64) *quota.End {
	return &quota.End{Model: "m", Whole: true, Usage: &interaction.Usage{OutputTokens: tokens}}
}

// Requests of many tests leave at the rate that -rps gives, and not faster.
func TestRateIsSharedByAllTests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLedger(Limits{PerSecond: 2})
		began := time.Now()
		sent := make(chan time.Duration)
		for i := range 5 {
			go func() {
				l.admit(t.Context(), ask(fmt.Sprint(i)))
				sent <- time.Since(began)
			}()
		}
		for i := range 5 {
			want := time.Duration(i) * time.Second / 2
			if got := <-sent; got != want {
				t.Errorf("request %d was sent after %v, want %v", i, got, want)
			}
		}
	})
}

// A Retry-After that one test gets holds back all tests at that host, and no others.
func TestPauseHoldsBackOneHost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLedger(Limits{})
		began := time.Now()
		first, _ := l.admit(t.Context(), ask("a"))
		l.answering(first, quota.Head{Status: 429, RetryAfterMS: 3000})
		l.end(first, &quota.End{})

		other := ask("b")
		other.Host = "other.test"
		l.admit(t.Context(), other)
		if d := time.Since(began); d != 0 {
			t.Errorf("another host waited for %v", d)
		}
		l.admit(t.Context(), ask("b"))
		if d := time.Since(began); d != 3*time.Second {
			t.Errorf("the host was asked again after %v, want 3s", d)
		}
		if r := l.total(); r.Pauses != 1 || r.Failures[429] != 1 {
			t.Errorf("the report is %+v", r)
		}

		l.answering(first, quota.Head{Status: 429, RetryAfterMS: 24 * 3600 * 1000})
		l.admit(t.Context(), ask("c"))
		if d := time.Since(began); d != 3*time.Second {
			t.Errorf("a pause of a day was kept: %v", d)
		}
	})
}

// Eight tests that record at once never pass the budget by more than one answer, whatever answers cost.
func TestBudgetIsPassedByOneAnswerAtMost(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		budget int64
		costs  []int64 // of the answers, over and over
	}{
		{"equal", 100, []int64{13}},
		{"growing", 1000, []int64{10, 11, 13, 18, 30, 50, 90, 170}},
		{"twice as large", 300, []int64{10, 10, 10, 20, 10, 10, 40, 10}},
		{"less than one answer", 5, []int64{13}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := newLedger(Limits{MaxTokens: tt.budget})
				ended := make(chan bool)
				for i := range 8 {
					go func() {
						for n := range 30 {
							p, refused := l.admit(t.Context(), ask(fmt.Sprint(i)))
							if refused != nil {
								break
							}
							l.answering(p, quota.Head{Status: 200})
							time.Sleep(time.Duration(i+n+1) * time.Millisecond)
							l.end(p, answered(tt.costs[(i+n)%len(tt.costs)]))
						}
						ended <- true
					}()
				}
				for range 8 {
					<-ended
				}
				r := l.total()
				largest := slices.Max(tt.costs)
				if r.Tokens > tt.budget+largest {
					t.Errorf("%d tokens were used of %d; the largest answer has %d", r.Tokens, tt.budget, largest)
				}
				if r.Tokens+3*largest < tt.budget || r.Refused[finding.BudgetUsed] != 8 {
					t.Errorf("stopped too early: %+v", r)
				}
			})
		})
	}
}

// A request that replaces a recording is expected to cost as much as that did.
func TestRecordedUsageIsReserved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLedger(Limits{MaxTokens: 100})
		one := ask("a")
		one.Recorded = &interaction.Usage{InputTokens: 15, OutputTokens: 5}
		first, refused := l.admit(t.Context(), one)
		if refused != nil {
			t.Fatal(refused.reason)
		}
		one.Recorder = "b"
		second, refused := l.admit(t.Context(), one)
		if refused != nil {
			t.Fatal(refused.reason) // two are under way, since their costs are known
		}
		l.end(first, answered(20))
		l.end(second, answered(20))
		one.Recorded = &interaction.Usage{OutputTokens: 61}
		if _, refused = l.admit(t.Context(), one); refused == nil || refused.code != finding.BudgetUsed {
			t.Errorf("a request that would pass the budget is refused with %+v", refused)
		}
	})
}

// A request that waits for the budget gives way when its client cancels it, and keeps nothing reserved.
func TestCanceledRequestHoldsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLedger(Limits{MaxTokens: 100, PerSecond: 0.1})
		first, _ := l.admit(t.Context(), ask("a"))
		l.end(first, answered(10))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		p, refused := l.admit(ctx, ask("b")) // its turn is in ten seconds
		if p != nil || refused != nil {
			t.Errorf("got %+v, %+v", p, refused)
		}
		if sum := l.reserved(); sum != (amount{}) || len(l.open) != 0 {
			t.Errorf("%+v is reserved by %d requests", sum, len(l.open))
		}
	})
}

// A program that needs another answer while it reads a stream gets it, also with a budget.
func TestStreamDoesNotHoldBackItsOwnTest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLedger(Limits{MaxTokens: 100})
		began := time.Now()
		stream, _ := l.admit(t.Context(), ask("a"))
		l.answering(stream, quota.Head{Status: 200})
		inner, _ := l.admit(t.Context(), ask("a"))
		l.answering(inner, quota.Head{Status: 200})
		if d := time.Since(began); d != 0 {
			t.Errorf("a request of the same recorder waited for %v", d)
		}
		l.admit(t.Context(), ask("b"))
		if d := time.Since(began); d != longestBlock {
			t.Errorf("a request of another recorder waited for %v, want %v", d, longestBlock)
		}
	})
}

// With -max-cost, a model without a price is refused with the flag to paste, and one with a price counts.
func TestCostNeedsPrices(t *testing.T) {
	t.Parallel()
	var prices models.Prices
	if err := prices.Set("m=1/2"); err != nil {
		t.Fatal(err)
	}
	l := newLedger(Limits{MaxCost: 3, Prices: prices})
	unknown := ask("a")
	unknown.Model = "house-model"
	const want = "-max-cost needs the price of the model house-model. State it in USD for a million tokens of " +
		"input and output: promptecho record -price house-model=IN/OUT"
	_, refused := l.admit(t.Context(), unknown)
	if refused == nil || refused.code != finding.PriceUnknown || refused.reason != want {
		t.Errorf("got %+v, want %q", refused, want)
	}

	p, _ := l.admit(t.Context(), ask("a"))
	l.end(p, answered(1_000_000)) // 2 USD
	_, refused = l.admit(t.Context(), ask("a"))
	if refused == nil || refused.code != finding.BudgetUsed || l.total().USD != 2 {
		t.Errorf("got %+v, %+v", refused, l.total())
	}
}

// Once a provider says that the account has no quota left, no test asks it again.
func TestNothingIsSentWithoutQuota(t *testing.T) {
	t.Parallel()
	l := newLedger(Limits{})
	p, _ := l.admit(t.Context(), ask("a"))
	l.answering(p, quota.Head{Status: 429})
	l.end(p, &quota.End{Exhausted: true})
	_, refused := l.admit(t.Context(), ask("b"))
	if refused == nil || refused.code != finding.QuotaExhausted {
		t.Errorf("got %+v", refused)
	}
	if r := l.total(); r.Sent != 1 || !slices.Equal(r.Exhausted, []string{"api.test"}) {
		t.Errorf("the report is %+v", r)
	}
}
