package canon

import (
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// A field with its default value in docs/ENDPOINTS.md matches a request without it; another value
// does not.
func TestDefaultsEqualMissingFields(t *testing.T) {
	t.Parallel()
	for _, f := range families() {
		url := originOf(f) + strings.NewReplacer("{model}", "m", "{model...}", "m", "{org}", "o", "{", "", "}", "").Replace(f.Paths[0])
		for _, d := range f.Defaults {
			ask := func(value string) *Form {
				first, _, _ := strings.Cut(d.Path, "/")
				needs := evidence(f, first)
				if d.With != "" {
					needs += `"` + d.With + `":[{"name":"f"}],`
				}
				body := "{" + strings.TrimSuffix(needs+bodyWith(d.Path, value), ",") + "}"
				form := new(Options).Form(&interaction.Request{Method: "POST", URL: url, Body: []byte(body)})
				if form.Endpoint != f.Name {
					t.Fatalf("%s with %s is %s, want %s", url, body, form.Endpoint, f.Name)
				}
				return form
			}
			with, without := ask(d.Value), ask("")
			if with.Text() != without.Text() {
				t.Errorf("%s: %s as %s does not match a request without it:\n%s\n\n%s", f.Name, d.Path, d.Value, with.Text(), without.Text())
			}
			if ask(`"other"`).Text() == without.Text() {
				t.Errorf("%s: %s does not decide", f.Name, d.Path)
			}
		}
	}
}

// bodyWith returns the text of a member of a body in which the field at a path
// has a value. With the value "", the field is missing.
func bodyWith(path, value string) string {
	steps := strings.Split(path, "/")
	name := steps[len(steps)-1]
	text := ""
	if value != "" {
		text = `"` + name + `":` + value
	}
	for i := len(steps) - 2; i >= 0; i-- {
		step := steps[i]
		kind, isType := strings.CutPrefix(step, "type=")
		switch {
		case isType:
			text = strings.TrimSuffix(`"type":"`+kind+`",`+text, ",")
		case step == "*":
			text = `[{` + text + `}]`
		case i+1 < len(steps) && steps[i+1] == "*":
			text = `"` + step + `":` + text
		default:
			text = `"` + step + `":{` + text + `}`
		}
	}
	return text
}
