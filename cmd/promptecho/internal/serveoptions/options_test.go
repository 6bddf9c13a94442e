package serveoptions

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/finding/advice"
	"github.com/promptecho/promptecho/internal/recorder"
	"github.com/promptecho/promptecho/internal/testing/needs"
)

// open returns the error of a recorder with a line of options.
func open(t *testing.T, line string) error {
	t.Helper()
	o, err := Options(line)
	if err != nil {
		return err
	}
	r, err := promptecho.Open(filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeNone), promptecho.Option(o))
	if err == nil {
		_ = r.Close() // of a recorder that no request reached
	}
	return err
}

// TestOptions: every option can be said, and a wrong one is named.
func TestOptions(t *testing.T) {
	t.Parallel()
	right := map[string]string{
		"alias": `{"http://127.0.0.1:8080": search}`, "match_only": "{llm: [model, messages], http: path2}", "mask": `{"req-[0-9]+": REQ, "x": ""}`,
		"on_record_error": "keep", "pace": "0.5", "redact": `["Acme (Inc|Ltd)"]`, "frozen": "tool/charge", "pass_through": "[http/127.0.0.1:6333]", "allow_unused": "llm/openai.chat", "allow_repeats": "true",
	}
	for name, option := range options {
		value := right[name]
		if value == "" {
			value = "[metadata/user, user]"
			if _, err := option([]string{"a", "b"}); err != nil {
				value = "true"
			}
		}
		if err := open(t, "{"+name+": "+value+"}"); err != nil {
			t.Errorf("%s: %s: %v", name, value, err)
		}
	}
	for line, want := range map[string]string{
		"{mask_time: true}":                    "mask_time: there is no such option; known are alias,",
		"{mask_times: false}":                  "mask_times: write mask_times: true, or leave it out",
		"{mask: [x]}":                          `mask: write {"req-[0-9]+": REQ}`,
		"{mask: {'[': x}}":                     `error parsing regexp`,
		"{ignore: []}":                         "it names nothing",
		"{alias: search}":                      `alias: write {"http://127.0.0.1:8080": search}`,
		"{match_only: {llm: []}}":              "it names nothing",
		"{pace: slow}":                         "is not a valid time factor",
		"{pace: [1, 2]}":                       "pace: it takes one value",
		"{on_record_error: panic}":             "on_record_error: write warn, fail or keep",
		"{mask_times: true, mask_times: true}": "mask_times",
		"mask_times: true":                     "write them in braces",
		"[mask_times]":                         "write them in braces",
		"{mask_times: true":                    "",
		"":                                     "",
	} {
		if err := open(t, line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

func TestAdviceCanBePastedAfterServe(t *testing.T) {
	t.Parallel()
	needs.POSIX(t, "the shell sh, for which the options are quoted here")
	for _, c := range []struct {
		options []advice.Option
		want    string
	}{
		{[]advice.Option{advice.New(advice.MaskTimes)}, "-options '{mask_times: true}'"},
		{[]advice.Option{advice.New(advice.MaskUUIDs)}, "-options '{mask_uuids: true}'"},
		{[]advice.Option{advice.New(advice.MaskTimes), advice.New(advice.Ignore, "metadata/user"), advice.New(advice.Ignore, "x")},
			"-options '{mask_times: true, ignore: [metadata/user, x]}'"},
		{[]advice.Option{advice.New(advice.Mask, `req-(a|b)[0-9]+\)`, "REQ")}, `-options '{mask: {"req-(a|b)[0-9]+'\\'\)": "REQ"}}'`},
		{[]advice.Option{advice.New(advice.OnRecordError, "Keep")}, "-options '{on_record_error: keep}'"},
		{[]advice.Option{advice.New(advice.KeepHeaders, "x-request-id")}, `-options '{keep_headers: ["x-request-id"]}'`},
		{[]advice.Option{advice.New(advice.MatchOnly, "llm", "model")}, "-options '{match_only: {llm: [model]}}'"},
		{[]advice.Option{advice.New(advice.Pace, "1")}, "-options '{pace: 1}'"},
		{[]advice.Option{advice.New(advice.Alias, "http://127.0.0.1:80", "one")}, `-options '{alias: {"http://127.0.0.1:80": one}}'`},
	} {
		got := Words.Code(c.options...)
		if got != c.want {
			t.Errorf("%v: %s, want %s", c.options, got, c.want)
		}
		value, err := exec.Command("sh", "-c", "printf %s "+strings.TrimPrefix(got, "-options ")).Output()
		if err != nil {
			t.Fatal(err)
		}
		if err := open(t, string(value)); err != nil {
			t.Errorf("serve refuses %s: %v", got, err)
		}
	}
	if got := Words.Code(); got != "" {
		t.Errorf("no options are %q", got)
	}
}

// Reports name options by their names in Go, so each option of a line needs one.
func TestEachOptionHasItsNameInGo(t *testing.T) {
	t.Parallel()
	config := reflect.TypeFor[*recorder.Config]()
	known := map[string]bool{}
	for i := range config.NumMethod() {
		known[nameOf(advice.Name(config.Method(i).Name))] = true
	}
	for name := range options {
		if !known[name] {
			t.Errorf("%s is no option of a recorder in Go", name)
		}
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	for _, list := range [][]setting{
		{{"mask_times", []string{"true"}}, {"ignore", []string{"a", "true", "1", "- x", "*", "x: y", "a#b", ""}}},
		{{"mask", []string{`a"b\d'`, "X"}}, {"mask", []string{"{", "}"}}, {"pace", []string{"0.5"}}},
		{{"match_only", []string{"llm", "model", "a/*/b"}}, {"alias", []string{"http://127.0.0.1:80", "x"}}},
	} {
		written := line(list)
		back, err := parse(written)
		if err != nil || fmt.Sprint(back) != fmt.Sprint(list) || !slices.EqualFunc(back, list, func(a, b setting) bool { return slices.Equal(a.values, b.values) }) {
			t.Errorf("%v, %v\n%s\n%v", list, err, written, back)
		}
	}
}

func FuzzOptions(f *testing.F) {
	f.Add("{mask: {x: y}, pace: 1}")
	f.Fuzz(func(t *testing.T, line string) {
		_, _ = Options(line)
	})
}
