package interop

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/cohere-ai/cohere-go/v2/core"
	ollama "github.com/ollama/ollama/api"
	"github.com/openai/openai-go/v3"
	"google.golang.org/genai"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echofault"
	"github.com/promptecho/promptecho/internal/fakeprovider"
)

// A conduct is what an SDK does about faults with its default retries. docs/FAULTS.md
// tells its users.
type conduct struct {
	attempts int       // at a request that fails with status 429 or 500
	at529    int       // the same for status 529
	obeys    bool      // it retries at once if Retry-After says so, and waits its own time otherwise
	timeout  bool      // it asks again after the timeout of the HTTP client
	cutBody  bool      // it asks again after an answer that is no stream and breaks off
	kinds    [3]string // what its error calls the statuses 429, 500 and 529
}

// conducts are those of the SDKs, by the first word of a call's name. The numbers are
// documented defaults: two retries of OpenAI's and Anthropic's, two attempts of Cohere's
// (its internal/retrier.go), three of AWS's (aws/retry, whose list of statuses has no
// 529). The table of calls gives Bedrock's clients one attempt; "aws" has the default.
var conducts = map[string]conduct{
	"openai": {attempts: 3, at529: 3, obeys: true, timeout: true,
		kinds: [3]string{"rate_limit_exceeded", "server_error", "server_error"}},
	"anthropic": {attempts: 3, at529: 3, obeys: true, timeout: true, cutBody: true,
		kinds: [3]string{"rate_limit_error", "api_error", "overloaded_error"}},
	"genai":   {attempts: 1, at529: 1, kinds: [3]string{"RESOURCE_EXHAUSTED", "INTERNAL", "UNAVAILABLE"}},
	"bedrock": {attempts: 1, at529: 1, kinds: awsKinds},
	"aws":     {attempts: 3, at529: 1, timeout: true, kinds: awsKinds},
	"ollama":  {attempts: 1, at529: 1},
	"cohere":  {attempts: 2, at529: 2},
}

var awsKinds = [3]string{"ThrottlingException", "InternalServerException", "ServiceUnavailableException"}

// awsConverse is a call of Bedrock's client with the retries it has by default.
var awsConverse = call{name: "aws converse", ask: func(ctx context.Context, client *http.Client, base string, q question, each func(string) bool) (any, error) {
	out, err := bedrockruntime.New(bedrockOptions(client, base)).Converse(ctx, &bedrockruntime.ConverseInput{ModelId: aws.String(q.model), Messages: converseMessages(q)})
	if err != nil {
		return nil, err
	}
	each(jsonOf(out))
	return "", nil
}}

// eachFaulty runs a test for every call of an SDK. The call was recorded without faults.
// answer is what the application saw then.
func eachFaulty(t *testing.T, which func(call) bool, test func(t *testing.T, f faulty)) {
	t.Parallel()
	for _, c := range append(slices.Clone(calls), awsConverse) {
		sdk, _, _ := strings.Cut(c.name, " ")
		does, ok := conducts[sdk]
		if !ok || !which(c) {
			continue // "gemini array" is no SDK's
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := fakeprovider.New()
			defer p.Close()
			f := faulty{call: c, conduct: does, base: p.URL, file: filepath.Join(t.TempDir(), "c.yaml")}
			app := func(t *testing.T, e env, see *notes) {
				if err := c.run(t, e, zebra, see, -1); err != nil {
					t.Fatal(err)
				}
			}
			f.answer = play(t, f.file, promptecho.ModeAll, env{base: p.URL}, app, []promptecho.Option{promptecho.Upstream(inOnePiece)})
			test(t, f)
		})
	}
}

// A faulty is a recorded call that meets faults.
type faulty struct {
	call
	conduct
	base, file string
	answer     []string // what the application sees without faults
}

// A meeting is what comes of a call that meets faults.
type meeting struct {
	attempts int
	took     time.Duration // in the time of a synctest bubble
	saw      []string
	err      error
}

// meet asks in replay, in a bubble, so that no SDK's waiting takes time.
func (f faulty) meet(t *testing.T, timeout time.Duration, faults ...echofault.Fault) (m meeting) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		rec, err := promptecho.Open(f.file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowRepeats(), promptecho.AllowUnused())
		if err != nil {
			t.Fatal(err)
		}
		client, count := counted(echofault.New(t, rec, faults...).Client())
		client.Timeout = timeout
		began := time.Now()
		var see notes
		m.err = f.run(t, env{client: client, base: f.base, replay: true}, zebra, &see, -1)
		m.attempts, m.took, m.saw = count.attempts, time.Since(began), see.lines
		if err := rec.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// answered checks that the application got the whole answer, after so many attempts.
func (m meeting) answered(t *testing.T, f faulty, attempts int) {
	t.Helper()
	if m.err != nil || m.attempts != attempts || !slices.Equal(m.saw, f.answer) {
		t.Errorf("%d attempts, error %v, saw %d of %d lines; want %d attempts and all of the answer", m.attempts, m.err, len(m.saw), len(f.answer), attempts)
	}
}

var failures = [3]int{429, 500, 529}

func (f faulty) attemptsAt(status int) int {
	if status == 529 {
		return f.at529
	}
	return f.attempts
}

// TestFaultsOvercome: as many failures as an SDK retries are overcome.
func TestFaultsOvercome(t *testing.T) {
	eachFaulty(t, func(call) bool { return true }, func(t *testing.T, f faulty) {
		for _, status := range failures {
			attempts := f.attemptsAt(status)
			if attempts == 1 {
				continue // it has no retries: see TestFaultsTold
			}
			m := f.meet(t, 0, echofault.FailFirst(attempts-1, status))
			m.answered(t, f, attempts)
			if atOnce := m.took < time.Duration(attempts)*time.Millisecond; atOnce != f.obeys { // a millisecond is the shortest that some take
				t.Errorf("status %d: it waited %v", status, m.took)
			}
		}
	})
}

// TestFaultsTold: more failures than an SDK retries are its typed error, with the status,
// the provider's name for it and the message.
func TestFaultsTold(t *testing.T) {
	eachFaulty(t, func(call) bool { return true }, func(t *testing.T, f faulty) {
		for i, status := range failures {
			m := f.meet(t, 0, echofault.FailFirst(9, status))
			got, kind, message := typed(m.err)
			if want := f.attemptsAt(status); m.attempts != want || got != status || kind != f.kinds[i] || len(m.saw) > 0 {
				t.Errorf("%d attempts, status %d, %q, saw %q; want %d attempts, status %d, %q", m.attempts, got, kind, m.saw, want, status, f.kinds[i])
			}
			if !strings.Contains(message, "by echofault.FailFirst") {
				t.Errorf("the message is %q", message)
			}
		}
		if m := f.meet(t, 0, echofault.FailFirst(9, 400)); m.attempts != 1 || m.err == nil {
			t.Errorf("status 400: %d attempts, %v", m.attempts, m.err)
		}
	})
}

// typed returns what the typed error of an SDK tells.
func typed(err error) (status int, kind, message string) {
	var o *openai.Error
	var a *anthropic.Error
	var g genai.APIError
	var s ollama.StatusError
	var c *core.APIError
	var r *awshttp.ResponseError
	var e interface { // smithy.APIError
		ErrorCode() string
		ErrorMessage() string
	}
	switch {
	case errors.As(err, &o):
		return o.StatusCode, cmp.Or(o.Code, o.Type), o.Message
	case errors.As(err, &a):
		return a.StatusCode, string(a.Type()), a.RawJSON()
	case errors.As(err, &g):
		return g.Code, g.Status, g.Message
	case errors.As(err, &s):
		return s.StatusCode, "", s.ErrorMessage
	case errors.As(err, &c):
		return c.StatusCode, "", c.Error()
	case errors.As(err, &r) && errors.As(err, &e):
		return r.HTTPStatusCode(), e.ErrorCode(), e.ErrorMessage()
	}
	return 0, "", ""
}

// TestFaultsCutStream: no SDK asks again for a stream that has begun. The application has
// the events so far and an error, except with AWS's and Ollama's clients, which take the
// break for the end.
func TestFaultsCutStream(t *testing.T) {
	eachFaulty(t, streaming, func(t *testing.T, f faulty) {
		m := f.meet(t, 0, echofault.Cut(3+f.silent))
		saw := m.saw
		if f.deaf && len(saw) > 0 {
			saw = saw[:len(saw)-1] // what the SDK makes of the events
		}
		if m.attempts != 1 || f.deaf != (m.err == nil) || !f.deaf && !errors.Is(m.err, io.ErrUnexpectedEOF) || !slices.Equal(saw, f.answer[:3]) {
			t.Errorf("%d attempts, error %v, saw %q", m.attempts, m.err, m.saw)
		}
	})
}

// TestFaultsCutBody: anthropic-sdk-go asks again for an answer that breaks off; with the
// others it is an error.
func TestFaultsCutBody(t *testing.T) {
	eachFaulty(t, func(c call) bool { return !c.stream }, func(t *testing.T, f faulty) {
		m := f.meet(t, 0, echofault.Cut(20))
		if f.cutBody {
			m.answered(t, f, 2)
			return
		}
		// Ollama's client reads lines, and gives what has come as the text of its error.
		told := errors.Is(m.err, io.ErrUnexpectedEOF) || strings.HasPrefix(f.name, "ollama") && m.err != nil && m.err.Error() == `{"model":"a-model","`
		if m.attempts != 1 || !told || len(m.saw) > 0 {
			t.Errorf("%d attempts, error %v, saw %q", m.attempts, m.err, m.saw)
		}
	})
}

// TestFaultsGarbled: what is no JSON is an error behind the events before it, and no SDK
// asks again.
func TestFaultsGarbled(t *testing.T) {
	eachFaulty(t, func(call) bool { return true }, func(t *testing.T, f faulty) {
		fault, before := echofault.Garble(1), 0
		if f.stream {
			fault, before = echofault.Garble(3+f.silent), 2
		}
		m := f.meet(t, 0, fault)
		if m.attempts != 1 || m.err == nil || !slices.Equal(m.saw, f.answer[:before]) {
			t.Errorf("%d attempts, error %v, saw %q", m.attempts, m.err, m.saw)
		}
	})
}

// TestFaultsSlow: the timeout of the HTTP client ends the wait; OpenAI's, Anthropic's and
// AWS's SDKs ask again.
func TestFaultsSlow(t *testing.T) {
	eachFaulty(t, func(call) bool { return true }, func(t *testing.T, f faulty) {
		const timeout = 20 * time.Second
		m := f.meet(t, timeout, echofault.Slow(time.Hour))
		if f.timeout {
			m.answered(t, f, 2)
			if m.took < timeout || m.took > timeout+5*time.Second {
				t.Errorf("it took %v", m.took)
			}
			return
		}
		if m.attempts != 1 || !errors.Is(m.err, context.DeadlineExceeded) || m.took != timeout || len(m.saw) > 0 {
			t.Errorf("%d attempts, error %v, saw %q after %v", m.attempts, m.err, m.saw, m.took)
		}
	})
}
