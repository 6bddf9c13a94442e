package corpus

import (
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/said"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// TestUsageIsTheProviders: the tokens of every answer are the total that the provider gives
// in it, if it gives one.
func TestUsageIsTheProviders(t *testing.T) {
	var rules canon.Options
	counts, untold := map[string]int{}, map[string]int{}
	for _, r := range load(t) {
		form := rules.Form(&interaction.Request{Method: r.Method, URL: r.URL, Body: r.ReqBody, Headers: interaction.HeadersOf(r.ReqHeaders)})
		resp := responseOf(r)
		total := int64(0)
		for p := range resp.Payloads() {
			if v, err := exactjson.Parse(p); err == nil {
				for _, path := range []string{"usage|usageMetadata", "response|interaction|metadata|message|x_groq/usage"} {
					exactjson.StepsOf(path+"/total_tokens|totalTokens|totalTokenCount").Each(&v, func(n *exactjson.Value) {
						total, _ = strconv.ParseInt(n.Text, 10, 64)
					})
				}
			}
		}
		u := said.Read(form, resp).Usage
		switch {
		case total == 0:
		case u == nil && form.Known:
			t.Errorf("%s, %s: no usage, the provider says %d", r.Source, form.Endpoint, total)
		case u == nil:
			untold[form.Endpoint]++
		case u.InputTokens+u.OutputTokens != total:
			t.Errorf("%s, %s: %+v, the provider says %d", r.Source, form.Endpoint, *u, total)
		default:
			counts[form.Endpoint]++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%-40s %4d answers", name, counts[name])
	}
	for name, n := range untold {
		t.Logf("%s: %d answers with a total, of no model", name, n)
	}
	if len(counts) < 10 {
		t.Errorf("%d endpoints", len(counts))
	}
}
