package models_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/fakeprovider"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testenv/attr"
)

// calls returns an answer that calls tools: a name and its arguments, the next name, and so on.
func calls(namesAndArgs ...string) answer {
	a := answer{Finish: fakeprovider.FinishCalls}
	for i := 0; i < len(namesAndArgs); i += 2 {
		id := fmt.Sprintf("toolu_%d", i)
		a.Calls = append(a.Calls, fakeprovider.Call{ID: id, Name: namesAndArgs[i], Args: namesAndArgs[i+1]})
	}
	return a
}

// says returns an answer in words.
func says(text string) answer { return answer{Text: text, Finish: fakeprovider.FinishStop} }

// Each difference between the answers of two models is found, in every API, and none is invented.
func TestDifferencesOfAnotherModelAreFound(t *testing.T) {
	t.Parallel()
	cut := says("It is warm.")
	cut.Finish = fakeprovider.FinishLength
	for _, tt := range []struct {
		name     string
		old, new answer
		want     string
	}{
		{name: "the same words", old: says("It is warm."), new: says("It is warm."), want: ""},
		{name: "other words", old: says("It is warm."), new: says("Warm it is."), want: "other words"},
		{name: "cut", old: says("It is warm."), new: cut, want: "another finish reason"},
		{
			name: "the same JSON with other values",
			old:  says(`{"city":"Paris","degrees":20}`), new: says(`{"degrees":7,"city":"Lima"}`),
			want: "other words",
		},
		{
			name: "another JSON shape",
			old:  says(`{"city":"Paris"}`), new: says(`{"city":["Paris"]}`),
			want: "another JSON shape, other words",
		},
		{
			name: "no JSON",
			old:  says(`{"city":"Paris"}`), new: says("```json\n{\"city\":\"Paris\"}\n```"),
			want: "another JSON shape",
		},
		{
			name: "the same call with members in another order",
			old:  calls(tool, `{"city":"Paris","unit":"C"}`), new: calls(tool, `{"unit":"C","city":"Paris"}`),
			want: "",
		},
		{
			name: "another argument",
			old:  calls(tool, `{"city":"Paris"}`), new: calls(tool, `{"city":"Paris, France"}`),
			want: "other tool arguments",
		},
		{
			name: "another tool",
			old:  calls(tool, `{"city":"Paris"}`), new: calls("get_time", `{"city":"Paris"}`),
			want: "other tools",
		},
		{
			name: "one more call",
			old:  calls(tool, `{"city":"A"}`), new: calls(tool, `{"city":"A"}`, tool, `{"city":"B"}`),
			want: "other tools",
		},
		{
			name: "another order of tools",
			old:  calls(tool, `{"city":"A"}`, "get_time", `{}`), new: calls("get_time", `{}`, tool, `{"city":"A"}`),
			want: "tools in another order",
		},
		{
			name: "another order of calls of one tool",
			old:  calls(tool, `{"city":"A"}`, tool, `{"city":"B"}`),
			new:  calls(tool, `{"city":"B"}`, tool, `{"city":"A"}`),
			want: "tools in another order",
		},
		{
			name: "words instead of a call",
			old:  calls(tool, `{"city":"Paris"}`), new: says("Where are you?"),
			want: "other tools, another finish reason, other words",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, f := range formats {
				p := &twoModels{old: tt.old, new: tt.new}
				others := askOthers(t, record(t, p, f.Request), p, f.Request)
				if len(others) != 1 || others[0].Answers != 1 {
					t.Errorf("%s: asked %+v", f.name, others)
					continue
				}
				want := tt.want
				isGemini := strings.HasPrefix(f.name, "gemini")
				isResponses := f.name == "responses"
				if isGemini || isResponses { // their reason is the same for calls and words
					want = strings.Replace(want, ", another finish reason, ", ", ", 1)
				}
				if got := strings.Join(report.Differences(&others[0]), ", "); got != want {
					t.Errorf("%s: %q, want %q\n%s", f.name, got, want, others[0].Detail)
				}
			}
		})
	}
}

// The tokens of the recorded answer and of the other model's are told apart.
func TestTokensOfBothModelsAreCounted(t *testing.T) {
	t.Parallel()
	p := &twoModels{old: says("a"), new: says("b")}
	p.old.Usage = fakeprovider.Usage{Input: 120, Output: 10}
	p.new.Usage = fakeprovider.Usage{Input: 95, Output: 7, Cached: 64}
	for _, f := range formats {
		others := askOthers(t, record(t, p, f.Request), p, f.Request)
		if len(others) != 1 || others[0].RecordedTokens == nil || others[0].Tokens == nil {
			t.Errorf("%s: %+v", f.name, others)
			continue
		}
		old, other := *others[0].RecordedTokens, *others[0].Tokens
		if want := (attr.Tokens{Input: 120, Output: 10}); old != want {
			t.Errorf("%s: recorded %+v, want %+v", f.name, old, want)
		}
		if other.Input != 95 || other.Output != 7 {
			t.Errorf("%s: %+v", f.name, other)
		}
	}
}

// A call is asked of the other model as the program asked it, but for the name of the model.
func TestOnlyTheNameOfTheModelIsReplaced(t *testing.T) {
	t.Parallel()
	for _, f := range formats {
		p := &twoModels{old: says("a"), new: says("b")}
		file := record(t, p, f.Request)
		askOthers(t, file, p, f.Request)
		requests, bodies := p.sentAfter(1)
		if len(requests) != 1 {
			t.Errorf("%s: %d requests", f.name, len(requests))
			continue
		}
		rename := strings.NewReplacer("anthropic.model-old", newModel, "model-old", newModel)
		if got, want := requests[0].URL.String(), rename.Replace(f.URL); got != want {
			t.Errorf("%s: %s, want %s", f.name, got, want)
		}
		if want := rename.Replace(f.Body); bodies[0] != want {
			t.Errorf("%s: body\n%s, want\n%s", f.name, bodies[0], want)
		}
		for i := 0; i < len(f.Headers); i += 2 {
			if got := requests[0].Header.Get(f.Headers[i]); got != f.Headers[i+1] {
				t.Errorf("%s: %s: %q", f.name, f.Headers[i], got)
			}
		}
		if got := requests[0].ContentLength; got != int64(len(bodies[0])) {
			t.Errorf("%s: length %d", f.name, got)
		}
	}
}

// An embedding keeps its model, unless that is replaced by name; no other request is sent.
func TestCallsThatAreNoChatsKeepTheirModel(t *testing.T) {
	t.Parallel()
	embedding := func(model string) string { return `{"model":"` + model + `","input":"hi"}` }
	const url = "https://api.openai.com/v1/embeddings"
	p := &twoModels{}
	for _, tt := range []struct {
		model string
		sent  []string
	}{
		{model: "embed-other"},
		{model: keptModel, sent: []string{embedding("embed-new")}},
	} {
		req := formats[0].Request
		req.URL, req.Body = url, embedding(tt.model)
		file := record(t, p, req)
		before := p.number
		compared(t, file, p, req)
		_, bodies := p.sentAfter(before)
		if strings.Join(bodies, "\n") != strings.Join(tt.sent, "\n") {
			t.Errorf("%s: sent %q, want %q", tt.model, bodies, tt.sent)
		}
	}
}

// A model that does not exist fails the run, and so does a signature that is not its own.
func TestRunFailsIfNoOtherModelAnswers(t *testing.T) {
	t.Parallel()
	chat, bedrock := formats[0].Request, formats[len(formats)-1].Request
	bedrock.Headers = []string{"Authorization", "AWS4-HMAC-SHA256 Credential=a, Signature=b"}
	p := &twoModels{old: says("a")}
	gone := func(*http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: http.StatusNotFound,
			Header:     http.Header{"Content-Type": {"application/json"}},
			Body:       http.NoBody,
		}, nil
	}
	rep := compared(t, record(t, p, chat), roundTripper(gone), chat)
	if text := strings.Join(rep.Errors, "\n"); !strings.Contains(text, "status 404: something named in the request") {
		t.Errorf("errors %q", text)
	}
	rep = compared(t, record(t, p, bedrock), roundTripper(gone), bedrock)
	if text := strings.Join(rep.Errors, "\n"); !strings.Contains(text, "AWS_BEARER_TOKEN_BEDROCK") {
		t.Errorf("errors %q", text)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
