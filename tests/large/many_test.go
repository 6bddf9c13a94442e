package large_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// 64 goroutines record and replay with one recorder, and each gets its own answers.
func TestManyGoroutinesShareARecorder(t *testing.T) {
	t.Parallel()
	const goroutines, calls = 64, 8
	upstream := provider.New(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		rec := must.Open(t, file, promptecho.InMode(mode))
		var running sync.WaitGroup
		for g := range goroutines {
			running.Go(func() {
				for c := range calls {
					prompt := fmt.Sprintf("g%d c%d", g, c)
					status, body := must.Ask(t, rec, upstream.URL, prompt)
					if status != http.StatusOK || !strings.Contains(body, prompt) {
						t.Errorf("mode %s: %s: %d %s", mode, prompt, status, body)
					}
				}
			})
		}
		running.Wait()
		must.Close(t, rec)
	}
	if upstream.Count() != goroutines*calls {
		t.Errorf("%d requests reached the provider, want %d", upstream.Count(), goroutines*calls)
	}
}

// Subtests that run in parallel record and replay, each with a cassette of its own.
func TestManyParallelSubtestsEachHaveACassette(t *testing.T) {
	// Not parallel: its subtests would wait for all other tests.
	folder := t.TempDir()
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		t.Run(string(mode), func(t *testing.T) {
			for i := range full.Cases(20, 1000) {
				t.Run(fmt.Sprint(i), func(t *testing.T) {
					t.Parallel()
					file := filepath.Join(folder, fmt.Sprint(i, ".yaml"))
					want := fmt.Sprintf(`{"answer":%d}`, i)
					live := promptecho.Upstream(provider.Says(want))
					rec := must.Open(t, file, promptecho.InMode(mode), live)
					if _, body := must.Ask(t, rec, "http://h", fmt.Sprint("question ", i)); body != want {
						t.Errorf("%s", body)
					}
					must.Close(t, rec)
				})
			}
		})
	}
}

// Each of the many recordings of a cassette answers its request, and a miss is reported once.
func TestManyRecordingsEachAnswerTheirRequest(t *testing.T) {
	t.Parallel()
	n := full.Cases(500, 10_000)
	var chats []string
	for i := range n {
		chats = append(chats, fmt.Sprint(i), fmt.Sprintf(`{"answer":%d}`, i))
	}
	f := must.Chats(chats...)
	for _, it := range f.Interactions {
		it.MatchKey = "" // so that the file has no seals, and is read whole
	}
	file := must.Save(t, f)

	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
	for _, i := range []int{n - 1, 0, n / 2} {
		if _, body := must.Ask(t, rec, "http://h", fmt.Sprint(i)); body != fmt.Sprintf(`{"answer":%d}`, i) {
			t.Errorf("%d: %s", i, body)
		}
	}
	must.WantMiss(t, rec, "http://h", "never asked")
	if rep := must.Finish(rec, report.Outcome{}); len(rep.Errors) != 1 {
		t.Errorf("%d errors, want 1: %q", len(rep.Errors), rep.Errors)
	}
	if _, err := os.Stat(file + must.JournalSuffix); !os.IsNotExist(err) {
		t.Errorf("a replay wrote a journal: %v", err)
	}
}

// A cassette that is not kept in memory answers many goroutines in any order.
//
// The report of an unused recording names its line. The file is closed at the end, so that it can
// be removed on Windows, too.
func TestLargeCassetteAnswersInAnyOrder(t *testing.T) {
	t.Parallel()
	const n = 1100
	file, prompts := saveLarge(t, n)
	if info, err := os.Stat(file); err != nil || info.Size() < 2<<20 {
		t.Fatal("not large", info, err)
	}

	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	var running sync.WaitGroup
	for _, i := range rand.Perm(n)[:n-1] {
		running.Go(func() {
			status, body := must.Ask(t, rec, "http://h", prompts[i])
			if status != http.StatusOK || body != fmt.Sprint("answer ", i) {
				t.Errorf("%d: %d %s", i, status, body)
			}
		})
	}
	running.Wait()

	err := rec.Close()
	if err == nil {
		t.Fatal("the unused recording is not reported")
	}
	_, place, _ := strings.Cut(err.Error(), "c.yaml:")
	var line int
	if _, err := fmt.Sscanf(place, "%d", &line); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(must.Read(t, file), "\n")
	if line < 1 || !strings.HasPrefix(lines[line-1], "- kind: llm") {
		t.Errorf("line %d is %q", line, lines[line-1])
	}
	if err := os.Remove(file); err != nil {
		t.Error(err)
	}
}

// saveLarge saves a cassette of n recordings of 2 KB each, and returns their prompts. The answers
// are "answer 0" and so on.
func saveLarge(t *testing.T, n int) (file string, prompts []string) {
	t.Helper()
	filling := strings.Repeat("All work and no play makes a dull cassette. ", 50)
	var chats []string
	for i := range n {
		prompts = append(prompts, fmt.Sprint(i, filling))
		chats = append(chats, prompts[i], fmt.Sprint("answer ", i))
	}
	return must.Save(t, must.Chats(chats...)), prompts
}

// Each of many clients that read streams at once reads its own, also after others closed theirs.
//
// The memory of a body is used again once it was closed or read to its end.
func TestConcurrentStreamsDoNotMix(t *testing.T) {
	t.Parallel()
	const n = 60
	file, streams := saveStreams(t, n)
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	var running sync.WaitGroup
	for i := range n {
		running.Go(func() {
			body := strings.NewReader(must.ChatBody(fmt.Sprint(i)))
			resp, err := rec.Client().Post("http://h/v1/chat/completions", "application/json", body)
			if err != nil {
				t.Error(err)
				return
			}
			want := streams[i]
			isReadInPart := i%3 == 0
			if isReadInPart {
				want = want[:i*7%len(want)]
			}
			got, err := io.ReadAll(io.LimitReader(resp.Body, int64(len(want))))
			if err != nil || string(got) != want {
				t.Errorf("%d: %q %v, want %q", i, got, err, want)
			}

			someBytes := make([]byte, 8)
			if i%2 == 0 {
				n, err := resp.Body.Read(someBytes)
				if !isReadInPart && (n != 0 || err != io.EOF) {
					t.Errorf("%d: %d bytes after the end, %v", i, n, err)
				}
			}
			resp.Body.Close()
			if _, err := resp.Body.Read(someBytes); err == nil || err.Error() != "http: read on closed response body" {
				t.Errorf("%d: read after Close: %v", i, err)
			}
			resp.Body.Close()
		})
	}
	running.Wait()
	must.Close(t, rec)
}

// saveStreams saves a cassette of n streams of 20 events, which answer the prompts "0" and so on.
func saveStreams(t *testing.T, n int) (file string, streams []string) {
	t.Helper()
	f := must.Chats()
	for i := range n {
		it := must.Chats(fmt.Sprint(i), "").Interactions[0]
		it.Response.Body, it.Response.Stream = nil, "sse"
		var stream strings.Builder
		for j := range 20 {
			data := fmt.Sprintf(`{"of":%d,"event":%d,"text":%q}`, i, j, strings.Repeat("x", i))
			it.Response.Events = append(it.Response.Events, interaction.Event{{Name: "data", Value: data}})
			fmt.Fprintf(&stream, "data: %s\n\n", data)
		}
		f.Interactions = append(f.Interactions, it)
		streams = append(streams, stream.String())
	}
	return must.Save(t, f), streams
}
