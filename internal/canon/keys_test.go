package canon

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/canon/fieldpath"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/internal/testing/txtar"
)

// TestKeys compares the keys of all cases in testdata, and the families, with
// testdata/keys.txt. Cassettes have keys: if a key changes and [Revision] does
// not, its recording is not found.
func TestKeys(t *testing.T) {
	t.Parallel()
	var rules Options
	var names []string
	keys := map[string]string{}
	add := func(name, key string) {
		if keys[name] != "" {
			t.Fatalf("two cases are named %s", name)
		}
		names = append(names, name)
		keys[name] = key
	}
	for _, kind := range []string{"same", "differ", "cross"} {
		files, err := filepath.Glob(filepath.Join("testdata", kind, "*.txtar"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range ar.Files {
				name := kind + "/" + strings.TrimSuffix(filepath.Base(file), ".txtar") + "/" + f.Name
				add(name, rules.Form(parseRequest(t, f.Data)).Key())
			}
		}
	}
	for _, tt := range urlCases(t) {
		add(fmt.Sprintf("%s %s %s", tt.req.Method, tt.req.URL, tt.req.Body), rules.Form(tt.req).Key())
	}

	// A new family, or a change of the requests that a family accepts, changes
	// forms, too.
	var order []string // a request belongs to the first family that accepts it
	nth := map[string]int{}
	for _, f := range families() {
		known := fmt.Sprint(f.Method, f.Paths, f.StreamPaths, f.Needs, f.TakesForms, f.TakesLists, f.NoModel, f.Server,
			f.Stream, f.Streams, f.StreamWire, f.Bookkeeping, f.Sampling, f.Headers, f.Query)
		if len(f.Only) > 0 {
			known += fmt.Sprint(" only ", f.Only)
		}
		for _, d := range f.Defaults {
			known += fmt.Sprint(" default ", d.Path, d.Value, d.With, d.Without)
		}
		if f.AnyBody {
			known += " any"
		}
		if f.Handshake {
			known += " handshake"
		}
		if len(f.Hosts) > 0 {
			known += fmt.Sprint(" hosts ", f.Hosts)
		}
		nth[f.Name]++
		add(fmt.Sprintf("families/%s/%d", f.Name, nth[f.Name]), hashOf(known))
		order = append(order, f.Name)
	}
	add("order of families", hashOf(strings.Join(order, " ")))

	file := filepath.Join("testdata", "keys.txt")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head := fmt.Sprintf("# The key of each case by revision %d of the rules; rewritten by go test -run TestKeys -update.\n", Revision)
	sameRevision := strings.HasPrefix(string(data), head)
	var want, fresh strings.Builder
	want.WriteString(head)
	pinned := map[string]string{}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if i := strings.LastIndexByte(line, ' '); i > 0 && line[0] != '#' {
			pinned[line[:i]] = line[i+1:]
		}
	}
	for _, name := range names {
		fmt.Fprintf(&want, "%s %s\n", name, keys[name])
		switch old := pinned[name]; {
		case old == "" && sameRevision && strings.HasPrefix(name, "families/") && strings.Contains(string(data), "\nfamilies/"):
			t.Errorf("%s is a new family: raise Revision, since recordings that were sealed without it have other keys", name)
		case old == "":
			fresh.WriteString("\n" + name)
		case old != keys[name] && sameRevision:
			t.Errorf("canon keys changed: raise Revision: %s is %s, was %s", name, keys[name], old)
		}
	}
	if t.Failed() || want.String() == string(data) {
		return
	}
	if *update {
		if err := os.WriteFile(file, []byte(want.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s is stale: run go test ./internal/canon -run TestKeys -update; new cases:%s", file, fresh.String())
}

func hashOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}

// FuzzKey checks that no request makes Form panic, and that the key is the hash
// of the text.
func FuzzKey(f *testing.F) {
	f.Add("POST", chatURL, `{"model":"m","messages":[{"role":"user","content":"hi"}],"a b":1,"a b":2}`, "openai-beta", "b,a")
	f.Add("POST", "https://h/v1beta/models/g:generateContent?alt=sse&10=x&9", `{"contents":[{"parts":[{"text":"\n"}]}]}`, "", "")
	f.Add("POST", "https://h/token", `grant_type=a&%zz=b`, "content-type", "application/x-www-form-urlencoded")
	f.Add("GET", "%zz", "\xff", "content-type", "multipart/form-data; boundary=x")
	f.Fuzz(func(t *testing.T, method, url, body, header, value string) {
		for _, rules := range []Options{{}, {Sampling: true, Match: []string{"host", "header/" + header}}, {Only: map[string][]string{"*": []string{value, header}}}, {Ignore: []string{value}}} {
			req := &interaction.Request{Method: method, URL: url, Body: []byte(body), Headers: interaction.Headers{{Name: header, Values: []string{value}}}}
			form := rules.Form(req)
			if want := hashOf(form.Text()); form.Key() != want || rules.Form(req).Key() != want {
				t.Errorf("Key = %s, want that of the text: %s", form.Key(), want)
			}
			if !slices.IsSortedFunc(form.Lines(), func(a, b Line) int { return comparePaths(a.Path, b.Path) }) {
				t.Errorf("lines out of order:\n%s", form.Text())
			}
			if traced := rules.Trace(req); traced.Text() != form.Text() {
				t.Errorf("the traced form is another:\n%s\nwant\n%s", traced.Text(), form.Text())
			}
		}
	})
}

// A value of any type at any place of a body must not make Form panic, and a
// traced form must have the same text.
func TestBodiesOfAnyShape(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "*", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	shapes := []string{`null`, `5`, `"x"`, `[]`, `[5]`, `{"type":5}`}
	values := 0
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range ar.Files {
			req := parseRequest(t, f.Data)
			body, err := exactjson.Parse(req.Body)
			if err != nil {
				continue
			}
			var each func(v *exactjson.Value)
			each = func(v *exactjson.Value) {
				old := *v
				tried := shapes
				if !full.Set() {
					tried = shapes[values%len(shapes):][:1] // each value is replaced by another shape
				}
				values++
				for _, shape := range tried {
					*v, _ = exactjson.Parse([]byte(shape))
					req.Body = body.AppendJSON(nil, exactjson.Layout{})
					var rules Options
					if a, b := rules.Form(req).Text(), rules.Trace(req).Text(); a != b {
						t.Errorf("%s with %s: the traced form is another:\n%s\nwant\n%s", file, req.Body, b, a)
					}
				}
				*v = old
				for i := range v.Elems {
					each(&v.Elems[i])
				}
			}
			each(&body)
		}
	}
}

// comparePaths orders paths segment by segment, array indexes by value.
func comparePaths(a, b string) int {
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	return slices.CompareFunc(as, bs, func(a, b string) int {
		if fieldpath.IsIndex(a) && fieldpath.IsIndex(b) && len(a) != len(b) {
			return cmp.Compare(len(a), len(b))
		}
		return strings.Compare(a, b)
	})
}
