// Package corpus runs recorded public traffic through promptecho: record
// everything from a server on loopback, close the server, replay everything.
package corpus

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"example.invalid/corpus"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

const data = "../../shared/corpus/recorded.jsonl.gz"

// The modes are chosen in code here; CI would cap them at none.
func TestMain(m *testing.M) {
	os.Unsetenv("CI")
	os.Unsetenv("PROMPTECHO_MODE")
	os.Exit(m.Run())
}

func load(t *testing.T) []*corpus.Record {
	t.Helper()
	recs, err := corpus.Load(data)
	if err != nil {
		t.Fatal(err)
	}
	if len(recs) < 1000 {
		t.Fatalf("%d records, want all of the corpus", len(recs))
	}
	return recs
}

func fileFor(dir, name string) string {
	sum := sha256.Sum256([]byte(name))
	return filepath.Join(dir, hex.EncodeToString(sum[:8])+".yaml")
}

type opener = func(*corpus.Cassette, http.RoundTripper) (http.RoundTripper, func() error, error)

func openIn(dir string, mode promptecho.Mode) opener {
	return func(c *corpus.Cassette, up http.RoundTripper) (http.RoundTripper, func() error, error) {
		r, err := promptecho.Open(fileFor(dir, c.Name), promptecho.InMode(mode), promptecho.Upstream(up), promptecho.OnRecordError(promptecho.Keep))
		if err != nil {
			return nil, nil, err
		}
		return r, r.Close, nil
	}
}

func endpoint(r *corpus.Record) string {
	var rules canon.Options
	f := rules.Form(&interaction.Request{Method: r.Method, URL: r.URL, Body: r.ReqBody})
	if !f.Known {
		return "other"
	}
	return f.Endpoint
}

// Every interaction comes back byte for byte, status and body, however its
// answer came in: event by event, in one piece, or cut anywhere.
func TestRecordReplay(t *testing.T) {
	for _, mode := range []string{"event", "whole", "fragment"} {
		t.Run(mode, func(t *testing.T) {
			recs := load(t)
			dir := t.TempDir()
			var signatures atomic.Int64
			recorded, replayed, st, err := corpus.RecordReplay(context.Background(), recs,
				corpus.Options{Mode: mode, Seed: 1}, corpus.DriveOptions{Workers: 2, MaxFails: len(recs), Compare: signed(&signatures)},
				openIn(dir, promptecho.ModeAll), openIn(dir, promptecho.ModeNone))
			if err != nil {
				t.Fatal(err)
			}
			total, failed := map[string]int{}, map[string]int{}
			for _, r := range recs {
				total[endpoint(r)]++
			}
			for _, rep := range []corpus.Report{recorded, replayed} {
				for _, f := range rep.Fails {
					failed[endpoint(f.Rec)]++
					t.Errorf("%s: %v", f.Rec.Source, f.Err)
				}
			}
			t.Logf("recorded %d, replayed %d of %d byte for byte, but for the signatures of URLs in %d answers; upstream saw %d requests", recorded.Equal, replayed.Equal, replayed.Total, signatures.Load(), st.Requests)
			for _, name := range slices.Sorted(maps.Keys(total)) {
				t.Logf("  %-20s %4d interactions, %d failed", name, total[name], failed[name])
			}
			shares(t, dir, recs)
		})
	}
}

// signature is what signs the URL of a picture in an answer; it is a capability,
// and replaced.
var signature = regexp.MustCompile(`([?&]sig=)[A-Za-z0-9%/+]+`)

// signed compares byte for byte, and counts the answers that are equal but for
// signatures.
func signed(count *atomic.Int64) func(*corpus.Record, *http.Response, []byte) error {
	return func(want *corpus.Record, got *http.Response, body []byte) error {
		err := corpus.Compare(want, got, body)
		if err != nil && bytes.Equal(body, signature.ReplaceAll(want.RespBody, []byte("${1}[REDACTED]"))) && got.StatusCode == want.Status {
			count.Add(1)
			return nil
		}
		return err
	}
}

// shares logs how much of the cassettes is readable structure, and how large they are beside
// the bodies of what they hold.
func shares(t *testing.T, dir string, recs []*corpus.Record) {
	t.Helper()
	var size, bodies int
	for _, r := range recs {
		bodies += len(r.ReqBody) + len(r.RespBody)
	}
	var reqStructure, reqBodies, respStructure, respBodies, streams, readable, events, rawEvents int
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		f, err := cassette.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range f.Interactions {
			if len(it.Request.Body) > 0 {
				reqBodies++
				reqStructure += structure(it.Request.Body)
			}
			if len(it.Response.Body) > 0 {
				respBodies++
				respStructure += structure(it.Response.Body)
			}
			if it.Response.Stream == "" {
				continue
			}
			streams++
			raw := 0
			for _, e := range it.Response.Events {
				if e[0].Name == "raw" {
					raw++
				}
			}
			if raw == 0 {
				readable++
			}
			events += len(it.Response.Events)
			rawEvents += raw
		}
	}
	t.Logf("  readable as structure: %s of request bodies, %s of response bodies, %s of streams (%s of events)",
		share(reqStructure, reqBodies), share(respStructure, respBodies), share(readable, streams), share(events-rawEvents, events))
	err = filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			size += int(info.Size())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("  %d bytes of bodies take %d in %d cassettes and their assets: %.3f", bodies, size, len(files), float64(size)/float64(bodies))
}

func share(n, of int) string {
	return fmt.Sprintf("%d of %d (%.1f%%)", n, of, 100*float64(n)/float64(max(of, 1)))
}

func structure(body []byte) int {
	v, err := exactjson.Parse(body)
	if err != nil || v.Kind != exactjson.Object && v.Kind != exactjson.Array {
		return 0
	}
	if _, _, ok := exactjson.DetectLayout(body, v); !ok {
		return 0
	}
	return 1
}

// All recordings of one endpoint in one cassette, asked in random order, one after the other
// and 64 at once, give each request its own answer, also where another one is the same by docs/MATCHING.md; only
// those that are the same byte for byte play in recorded order.
func TestOneCassettePerEndpoint(t *testing.T) {
	byEndpoint := map[string][]*corpus.Record{}
	for _, r := range load(t) {
		name := endpoint(r)
		if u, err := url.Parse(r.URL); err == nil && name == "other" && u.Hostname() == "localhost" {
			name += " at " + u.Host // a test that asks two of them gives them names
		}
		byEndpoint[name] = append(byEndpoint[name], r)
	}
	for name, recs := range byEndpoint {
		t.Run(name, func(t *testing.T) {
			srv := corpus.NewServer(recs, corpus.Options{})
			addr, err := srv.Start("")
			if err != nil {
				t.Fatal(err)
			}
			defer srv.Close()
			file := filepath.Join(t.TempDir(), "all.yaml")
			rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(corpus.Redirect{Target: addr}), promptecho.OnRecordError(promptecho.Keep),
				promptecho.Ignore("header/ml-instance-id")) // two projects asked the same of watsonx, each its own instance
			if err != nil {
				t.Fatal(err)
			}
			want := make([]string, len(recs))
			for i, r := range recs {
				want[i] = signature.ReplaceAllString(answer(t, rec, r), "${1}[REDACTED]")
			}
			if err := rec.Close(); err != nil {
				t.Fatal(err)
			}
			f, err := cassette.Load(file)
			if err != nil {
				t.Fatal(err)
			}
			same, exactly := map[string][]int{}, map[uint64][]int{}
			for i, it := range f.Interactions {
				same[it.MatchKey] = append(same[it.MatchKey], i)
				exactly[it.Request.Digest()] = append(exactly[it.Request.Digest()], i)
			}
			askAll := func(workers int) {
				rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeNone), promptecho.Upstream(corpus.NoUpstream{}))
				if err != nil {
					t.Fatal(err)
				}
				var group sync.WaitGroup
				next := make(chan int)
				for range workers {
					group.Go(func() {
						for i := range next {
							got := answer(t, rec, recs[i])
							mates := exactly[f.Interactions[i].Request.Digest()]
							if !slices.ContainsFunc(mates, func(j int) bool { return want[j] == got }) {
								t.Errorf("%d at once: %s got the answer of another request", workers, recs[i].Source)
							}
						}
					})
				}
				for _, i := range rand.New(rand.NewPCG(1, uint64(workers))).Perm(len(recs)) {
					next <- i
				}
				close(next)
				group.Wait()
				if err := rec.Close(); err != nil {
					t.Error(err)
				}
			}
			askAll(1)
			askAll(64)
			groups, repeated, spelled := 0, 0, 0
			for _, mates := range same {
				if len(mates) < 2 {
					continue
				}
				groups++
				repeated += len(mates)
				for _, j := range mates[1:] {
					if string(recs[j].ReqBody) != string(recs[mates[0]].ReqBody) || recs[j].URL != recs[mates[0]].URL {
						spelled++
						t.Logf("  the same by the rules: %s and %s", tail(recs[mates[0]].Source), tail(recs[j].Source))
					}
				}
			}
			t.Logf("%d requests, %d of them in %d groups of the same request, %d spelled otherwise", len(recs), repeated, groups, spelled)
		})
	}
}

func tail(source string) string {
	parts := strings.Split(source, "/")
	return strings.Join(parts[max(0, len(parts)-2):], "/")
}

func answer(t *testing.T, rec *promptecho.Recorder, r *corpus.Record) string {
	t.Helper()
	req, err := r.NewRequest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	resp, err := rec.RoundTrip(req)
	if err != nil {
		t.Fatalf("%s: %v", r.Source, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s: %v", r.Source, err)
	}
	return fmt.Sprintf("%d %s", resp.StatusCode, body)
}
