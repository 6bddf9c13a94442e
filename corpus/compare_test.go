package corpus

import (
	"maps"
	"slices"
	"testing"

	"example.invalid/corpus"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/said"
	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/diff/compare"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/stream"
)

// responseOf returns a recorded answer as a cassette has it.
func responseOf(r *corpus.Record) *interaction.Response {
	resp := &interaction.Response{Status: r.Status, Headers: interaction.HeadersOf(r.RespHeaders)}
	c := stream.Cutter{ContentType: resp.Headers.Get("content-type")}
	c.Frame = func(frame []byte) {
		var event interaction.Event
		for _, f := range c.Framing().Read(frame) {
			event = append(event, interaction.Field(f))
		}
		resp.Events = append(resp.Events, event)
	}
	c.Add(r.RespBody)
	framing, body := c.End()
	if framing != nil {
		resp.Stream = framing.Name
	}
	resp.Body = body
	return resp
}

// An answered is a request to a model, and an answer that can be compared.
type answered struct {
	source string
	form   *canon.Form
	resp   *interaction.Response
}

func allAnswered(t *testing.T) (list []answered) {
	t.Helper()
	var rules canon.Options
	for _, r := range load(t) {
		form := rules.Form(&interaction.Request{Method: r.Method, URL: r.URL, Body: r.ReqBody, Headers: interaction.HeadersOf(r.ReqHeaders)})
		if resp := responseOf(r); form.Repeatable() && compare.Unfit(resp) == "" {
			list = append(list, answered{r.Source, form, resp})
		}
	}
	return list
}

// TestCompareWithItself: every recorded answer is identical with itself. The log says of
// how many of each endpoint a text or a call is read, and how many say why they ended.
func TestCompareWithItself(t *testing.T) {
	counts := map[string]*struct{ all, says, ends int }{}
	for _, a := range allAnswered(t) {
		if got := compare.Answers(a.form, a.resp, a.resp.Clone()); got.Verdict != compare.Identical {
			t.Errorf("%s: %+v", a.source, got)
		}
		if a.resp.Status != 200 {
			continue
		}
		n, says := counts[a.form.Endpoint], said.Read(a.form, a.resp)
		if n == nil {
			n = new(struct{ all, says, ends int })
			counts[a.form.Endpoint] = n
		}
		n.all++
		if says.Text != "" || len(says.Calls) > 0 {
			n.says++
		}
		if len(says.Finish) > 0 {
			n.ends++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%-28s %3d answers, %3d with a text or a call, %3d with a reason", name, counts[name].all, counts[name].says, counts[name].ends)
	}
	for _, name := range []string{"openai.chat", "openai.responses", "anthropic.messages", "gemini.generateContent", "ollama.chat", "cohere.chat"} {
		if n := counts[name]; n == nil || n.says*10 < n.all*8 || n.ends*10 < n.all*9 {
			t.Errorf("%s: %+v", name, n)
		}
	}
}

// TestCompareSameRequest compares the answers to requests that were recorded more than
// once, for people to read.
func TestCompareSameRequest(t *testing.T) {
	byKey, verdicts := map[string][]answered{}, map[compare.Verdict]int{}
	for _, a := range allAnswered(t) {
		byKey[a.form.Key()] = append(byKey[a.form.Key()], a)
	}
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		for _, other := range byKey[key][1:] {
			first := byKey[key][0]
			got := compare.Answers(first.form, first.resp, other.resp)
			verdicts[got.Verdict]++
			t.Logf("%s, %s: %s %s\n%s", first.source, other.source, got.Verdict, got.Why, diff.Write(got.Edits, "  ", 5))
		}
	}
	if len(verdicts) == 0 {
		t.Error("no request was recorded twice")
	}
	t.Log(verdicts)
}
