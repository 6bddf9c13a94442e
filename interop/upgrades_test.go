package interop

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/promptecho/promptecho"
)

// What SDKs that are 6 to 18 months old have recorded, today's SDKs replay, or a miss names what
// changed. What they sent is in testdata/upgrades. A recording outlives an upgrade unless the
// difference could change the answer; those are in the list deciding, and nothing else may miss.
func TestUpgrades(t *testing.T) {
	t.Parallel()
	var sent, survived atomic.Int64
	t.Run("sdk", func(t *testing.T) {
		for sdk, scenarios := range upgradeScenarios {
			t.Run(sdk, func(t *testing.T) {
				t.Parallel()
				all, kept := upgradesOf(t, sdk, scenarios)
				t.Logf("%d of %d requests survive", kept, all)
				sent.Add(int64(all))
				survived.Add(int64(kept))
			})
		}
	})
	t.Logf("%d of %d requests survive", survived.Load(), sent.Load())
	if survived.Load()*100 < sent.Load()*98 {
		t.Errorf("%d of %d requests of older versions survive, want 98 %%", survived.Load(), sent.Load())
	}
}

// capturedBy is the Go that testdata/upgrades was made with.
const capturedBy = "go1.26"

var upgradeScenarios = map[string][]scenario{
	"anthropic": anthropicScenarios,
	"bedrock":   bedrockScenarios,
	"cohere":    cohereScenarios,
	"genai":     genaiScenarios,
	"ollama":    ollamaScenarios,
	"openai":    openaiScenarios,
}

// deciding are the differences between versions that could change an answer: the
// recordings of the versions from and to, and those between them, miss today.
var deciding = []struct{ sdk, from, to, scenario, field, why string }{
	{"anthropic", "v1.2.0", "v1.19.0", "web search sent back", "messages/1/content/0",
		"ToParam of these versions made null of the search, its results and the citations: the model saw none of them"},
	{"anthropic", "v1.22.0", "v1.44.0", "web search sent back", "messages/1/content/2/citations/0/encrypted_index",
		"ToParam of these versions lost where a citation leads to, which the model is given"},
	{"anthropic", "v1.19.0", "v1.31.0", "beta schema of a tool", "tools/0/input_schema/properties/units/enum",
		"BetaToolInputSchema of these versions wrote the enum into the description: the schema allowed any text"},
}

func upgradesOf(t *testing.T, sdk string, scenarios []scenario) (sent, survived int) {
	versions, requests := readUpgrades(t, "testdata/upgrades/"+sdk+".txt")
	dir := t.TempDir()
	listed := make([]bool, len(deciding))
	for i, s := range scenarios {
		recorded := filepath.Join(dir, strconv.Itoa(i)+".yaml")
		today := recordToday(t, recorded, s)
		played := map[string]map[int]*promptecho.MissError{} // what identical requests missed
		for n, v := range versions {
			old := requests[v.version+" "+s.name]
			switch {
			case v.version == moduleVersion(v.module):
				// What capture compiled is what is compiled here, but by another Go, whose encoding/json may write in another way.
				if strings.HasPrefix(runtime.Version(), capturedBy) && fmt.Sprint(old) != fmt.Sprint(today) {
					t.Errorf("%s, %s: this version sends\n%s\nand testdata has\n%s\nrun testdata/upgrades/capture", v.version, s.name, today, old)
				}
				continue
			case old == nil:
				continue // the version has no such thing
			case len(old) != len(today):
				t.Errorf("%s, %s: %d requests, today %d", v.version, s.name, len(old), len(today))
				continue
			}
			key := fmt.Sprint(old)
			if i == 0 {
				key = v.version // with the headers of every version, once
			}
			missed, done := played[key]
			if !done {
				missed = replayOld(t, filepath.Join(dir, fmt.Sprintf("%d-%s.yaml", i, v.version)), s, v, old)
				back := replayByOld(t, recorded, v, old)
				for turn := range old {
					if (missed[turn] == nil) != (back[turn] == nil) {
						t.Errorf("%s, %s, request %d: recorded by this version and replayed by today's\n%v\nand the other way\n%v", v.version, s.name, turn+1, missed[turn], back[turn])
					}
				}
				played[key] = missed
			}
			for turn := range old {
				sent++
				m := missed[turn]
				if m == nil {
					survived++
					continue
				}
				if !done { // else it is printed already
					t.Logf("%s, %s, request %d:\n%v", v.version, s.name, turn+1, m)
				}
				known := false
				for j, d := range deciding {
					from := slices.IndexFunc(versions, func(v oldVersion) bool { return v.version == d.from })
					to := slices.IndexFunc(versions, func(v oldVersion) bool { return v.version == d.to })
					if d.sdk == sdk && d.scenario == s.name && from <= n && n <= to && strings.Contains(m.Diff, d.field) {
						known, listed[j] = true, true
					}
				}
				if !known {
					t.Errorf("%s, %s, request %d: not on the list of what could change an answer", v.version, s.name, turn+1)
				}
			}
		}
	}
	for j, d := range deciding {
		if d.sdk == sdk && !listed[j] {
			t.Errorf("%s, %s to %s, %s does not miss by %s: it is on the list for nothing", sdk, d.from, d.to, d.scenario, d.field)
		}
	}
	return sent, survived
}

// upgradeBase is where nothing listens.
const upgradeBase = "http://127.0.0.1:1"

// canned answers the requests of a scenario in their order.
func (s scenario) canned() http.RoundTripper {
	n := 0
	return roundTripFunc(func(req *http.Request) (*http.Response, error) {
		if n == len(s.answers) {
			return nil, fmt.Errorf("request %d has no answer: %s %s", n+1, req.Method, req.URL)
		}
		n++
		return &http.Response{
			StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: http.Header{"Content-Type": {answerType(s.answers[n-1])}},
			Body:   io.NopCloser(strings.NewReader(s.answers[n-1])), ContentLength: int64(len(s.answers[n-1])), Request: req,
		}, nil
	})
}

// recordToday records a scenario as today's SDK does it, and returns what it sent.
func recordToday(t *testing.T, file string, s scenario) (sent []oldRequest) {
	t.Helper()
	rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(s.canned()))
	if err != nil {
		t.Fatal(err)
	}
	err = s.run(t.Context(), &http.Client{Transport: roundTripFunc(func(req *http.Request) (*http.Response, error) {
		var body []byte
		if req.Body != nil {
			if body, err = io.ReadAll(req.Body); err != nil {
				return nil, err
			}
			req.Body = io.NopCloser(bytes.NewReader(body))
		}
		sent = append(sent, oldRequest{req.Method, req.URL.RequestURI(), req.Header.Clone(), string(body)})
		return rec.RoundTrip(req)
	})}, upgradeBase)
	if err != nil {
		t.Errorf("%s: %v", s.name, err)
	}
	if err := rec.Close(); err != nil {
		t.Errorf("%s: %v", s.name, err)
	}
	return sent
}

// replayOld records the requests of an old version and runs the scenario with
// today's SDK against that. It returns the misses, by the number of the request.
func replayOld(t *testing.T, file string, s scenario, v oldVersion, old []oldRequest) map[int]*promptecho.MissError {
	t.Helper()
	rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(s.canned()))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range old {
		r.send(t, rec, v)
	}
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	if rec, err = promptecho.Open(file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused()); err != nil {
		t.Fatal(err)
	}
	missed := map[int]*promptecho.MissError{}
	turn := 0
	err = s.run(t.Context(), &http.Client{Transport: roundTripFunc(func(req *http.Request) (*http.Response, error) {
		resp, err := rec.RoundTrip(req)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			return nil, err
		}
		resp.Body.Close()
		answer := s.answers[turn]
		switch {
		case resp.StatusCode == http.StatusTeapot:
			// The scenario goes on as if it had not missed, to see the rest.
			missed[turn] = latest(rec, missed)
			resp.StatusCode, resp.Header = http.StatusOK, http.Header{"Content-Type": {answerType(answer)}}
		case string(body) != answer:
			t.Errorf("%s, %s, request %d is answered\n%s\nand was recorded with\n%s", v.version, s.name, turn+1, body, answer)
		}
		resp.Body, resp.ContentLength = io.NopCloser(strings.NewReader(answer)), int64(len(answer))
		turn++
		return resp, nil
	})}, upgradeBase)
	if err != nil {
		t.Errorf("%s, %s: %v", v.version, s.name, err)
	}
	if err := rec.Close(); (err != nil) != (len(missed) > 0) {
		t.Errorf("%s, %s: %d misses, and Close says %v", v.version, s.name, len(missed), err)
	}
	return missed
}

// replayByOld sends the requests of an old version to what today's recorded.
func replayByOld(t *testing.T, file string, v oldVersion, old []oldRequest) map[int]*promptecho.MissError {
	t.Helper()
	rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
	if err != nil {
		t.Fatal(err)
	}
	missed := map[int]*promptecho.MissError{}
	for turn, r := range old {
		if r.send(t, rec, v) == http.StatusTeapot {
			missed[turn] = latest(rec, missed)
		}
	}
	if err := rec.Close(); (err != nil) != (len(missed) > 0) {
		t.Errorf("%s: %d misses, and Close says %v", v.version, len(missed), err)
	}
	return missed
}

// latest is the miss after those that are known; one that is asked again has no
// entry of its own.
func latest(rec *promptecho.Recorder, known map[int]*promptecho.MissError) *promptecho.MissError {
	all := rec.Misses()
	return all[min(len(known), len(all)-1)]
}

// An oldVersion is a version of an SDK, with the headers of all its requests.
type oldVersion struct {
	module, version string
	header          http.Header
}

// An oldRequest is one as a version of an SDK sent it.
type oldRequest struct {
	method, url string
	header      http.Header
	body        string
}

// String is all of it but for the headers that no request is told apart by.
func (r oldRequest) String() string {
	return fmt.Sprintf("%s %s\nAnthropic-Beta: %s\n%s", r.method, r.url, r.header.Values("Anthropic-Beta"), r.body)
}

// send returns the status of the answer.
func (r oldRequest) send(t *testing.T, to http.RoundTripper, v oldVersion) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), r.method, upgradeBase+r.url, strings.NewReader(r.body))
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range []http.Header{v.header, r.header} {
		for k, values := range h {
			req.Header[k] = values
		}
	}
	resp, err := to.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode
}

// readUpgrades reads a file of capture: the versions from old to new, and the
// requests of each version and scenario.
func readUpgrades(t *testing.T, file string) (versions []oldVersion, requests map[string][]oldRequest) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	requests = map[string][]oldRequest{}
	for part := range strings.SplitSeq("\n"+string(data), "\n-- ") {
		title, text, ok := strings.Cut(part, " --\n")
		if !ok {
			continue // the comment before the first
		}
		r := bufio.NewReader(strings.NewReader(text))
		if v, ok := strings.CutPrefix(title, "version "); ok {
			f := strings.Fields(v)
			versions = append(versions, oldVersion{module: f[0], version: f[1], header: readHeader(r)})
			continue
		}
		name, of, _ := strings.Cut(title, ": ")
		name, turn, _ := cutLast(name, " ")
		n, err := strconv.Atoi(turn)
		if err != nil {
			t.Fatalf("%s: %q: %v", file, title, err)
		}
		line, _ := r.ReadString('\n')
		method, url, _ := strings.Cut(strings.TrimSpace(line), " ")
		old := oldRequest{method: method, url: url, header: readHeader(r)}
		body, _ := io.ReadAll(r)
		old.body = strings.TrimSuffix(string(body), "\n")
		for version := range strings.FieldsSeq(of) {
			key := version + " " + name
			for len(requests[key]) < n {
				requests[key] = append(requests[key], oldRequest{})
			}
			requests[key][n-1] = old
		}
	}
	return versions, requests
}

// readHeader reads up to an empty line or the end.
func readHeader(r *bufio.Reader) http.Header {
	h := http.Header{}
	for {
		line, err := r.ReadString('\n')
		if k, v, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			h.Add(k, v)
		} else if err != nil || line == "\n" {
			return h
		}
	}
}

// cutLast cuts at the last sep.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// moduleVersion is the version of a module that the test is built with.
func moduleVersion(path string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path == path {
			return m.Version
		}
	}
	return ""
}
