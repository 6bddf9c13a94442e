package matching_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// Mask applies to the path of an unknown endpoint, too.
func TestMaskAppliesToAPath(t *testing.T) {
	t.Parallel()
	run := func(n int) must.Request { return request(fmt.Sprintf("https://x.example/runs/run-%d", n)) }
	file := must.RecordAnswers(t, []string{`"one"`}, []must.Request{run(1)})

	r := replay(t, file, promptecho.Mask(`run-\d+`, "RUN"))
	if got := run(2).Ask(t, r); got != `"one"` {
		t.Errorf("with a mask of the path: %s", got)
	}
	r.Close()
	r = replay(t, file, promptecho.Mask(`walk-\d+`, "WALK"))
	if got := run(2).Ask(t, r); !isMiss(got) {
		t.Errorf("with another mask: %s", got)
	}
	r.Close()
}

// MaskTimes, MaskUUIDs and MaskTempDirs match what changes with every run, and nothing else.
func TestReadyMasksMatchOnlyWhatChanges(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		mask     promptecho.Option
		recorded string
		same     string // is answered by the recording
		other    string // is not
	}{{
		name:     "times",
		mask:     promptecho.MaskTimes(),
		recorded: "at Fri, 02 Jan 2026 03:04:05 GMT, Oslo",
		same:     "at Sat, 21 Nov 2026 23:14:15 GMT, Oslo",
		other:    "at Fri, 02 Jan 2026 03:04:05 GMT, Rome",
	}, {
		name:     "UUIDs",
		mask:     promptecho.MaskUUIDs(),
		recorded: "run 0b1e4a52-9c1f-4d3e-8a77-1f2e3d4c5b6a",
		same:     "run 7C9E6679-7425-40DE-944B-E07FC1F90AE7",
		other:    "run 7C9E6679",
	}, {
		name:     "temporary folders",
		mask:     promptecho.MaskTempDirs(),
		recorded: "read /var/folders/zz/zy_0/T/TestX12345/001/a.txt",
		same:     "read /tmp/TestX6789/001/a.txt",
		other:    "read /tmp/TestX6789/001/b.txt",
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ask := func(text string) must.Request {
				return must.Request{URL: "https://x.example/ask", Body: fmt.Sprintf(`{"q":%q}`, text)}
			}
			file := must.RecordAnswers(t, []string{`"one"`}, []must.Request{ask(tt.recorded)})

			r := replay(t, file, promptecho.AllowUnused(), tt.mask)
			if got := ask(tt.same).Ask(t, r); got != `"one"` {
				t.Errorf("%q is answered with %s", tt.same, got)
			}
			r.Close()
			r = replay(t, file, promptecho.AllowUnused(), tt.mask)
			if got := ask(tt.other).Ask(t, r); !isMiss(got) {
				t.Errorf("%q is answered with %s", tt.other, got)
			}
			r.Close()
		})
	}
}

// MaskTimes and MaskUUIDs leave names of models and versions of APIs alone; a mask of the user's does not.
func TestReadyMasksLeaveModelsAndVersionsAlone(t *testing.T) {
	t.Parallel()
	const (
		uuid1 = "7d444840-9dc0-41d1-b245-5ffdce74fad2"
		uuid2 = "8e444840-9dc0-41d1-b245-5ffdce74fad2"
		old   = "gpt-4o-2024-08-06"
		later = "gpt-4o-2024-11-20"
	)
	model := func(name string) must.Request {
		body := strings.Replace(must.Chat("").Body, `"m"`, `"`+name+`"`, 1)
		return must.Request{URL: must.ChatURL, Body: body}
	}
	deployment := func(name string) must.Request {
		return must.Request{
			URL:  "https://x.openai.azure.com/openai/deployments/" + name + "/chat/completions",
			Body: `{"messages":[{"role":"user","content":"hi"}]}`,
		}
	}
	protocol := func(date string) must.Request {
		return must.RPC("https://mcp.example/", `"id":1,"method":"initialize","params":{"protocolVersion":"`+date+`"}`)
	}
	content := func(version string) must.Request {
		return chatContent(`[{"type":"x","version":"` + version + `"}]`)
	}
	ownAgent := func(id string) must.Request {
		return must.Request{URL: "https://own.example/run", Body: `{"agent_id":"` + id + `","version":"` + id + `"}`}
	}
	times, uuids := promptecho.MaskTimes(), promptecho.MaskUUIDs()
	tests := []struct {
		name            string
		mask            promptecho.Option
		recorded, asked must.Request
		same            bool
	}{{
		name:     "a model",
		mask:     times,
		recorded: model(old),
		asked:    model(later),
	}, {
		name:     "a model, with a mask of the user's",
		mask:     promptecho.Mask(`-\d{4}-\d\d-\d\d`, ""),
		recorded: model(old),
		asked:    model(later),
		same:     true,
	}, {
		name:     "a deployment",
		mask:     times,
		recorded: deployment(old),
		asked:    deployment(later),
	}, {
		name:     "a deployment with a UUID",
		mask:     uuids,
		recorded: deployment(uuid1),
		asked:    deployment(uuid2),
	}, {
		name:     "the version of a protocol",
		mask:     times,
		recorded: protocol("2025-06-18"),
		asked:    protocol("2025-11-25"),
	}, {
		name:     "a beta",
		mask:     times,
		recorded: chatWith("Openai-Beta", "x=2025-06-18"),
		asked:    chatWith("Openai-Beta", "x=2025-11-25"),
	}, {
		name:     "a version in the content of a message",
		mask:     times,
		recorded: content("2026-01-02"),
		asked:    content("2026-01-03"),
		same:     true,
	}, {
		name:     "an agent at an unknown endpoint",
		mask:     uuids,
		recorded: ownAgent(uuid1),
		asked:    ownAgent(uuid2),
		same:     true,
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := must.RecordAnswers(t, []string{`"one"`}, []must.Request{tt.recorded}, tt.mask)
			r := replay(t, file, promptecho.AllowUnused(), tt.mask)
			if got := tt.asked.Ask(t, r); strings.HasPrefix(got, `"one"`) != tt.same {
				t.Errorf("answered with %s", got)
			}
			errs := must.Finish(r, report.Outcome{}).Errors
			if strings.Contains(strings.Join(errs, ""), "add promptecho.Mask") {
				t.Errorf("a mask is proposed that would not help: %s", errs)
			}
		})
	}
}
