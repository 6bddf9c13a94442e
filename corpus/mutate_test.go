package corpus

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.invalid/corpus"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/fieldpath"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// clean returns a request of the corpus as a recorder matches it.
func clean(req interaction.Request) *interaction.Request {
	var policy redact.Policy
	policy.Request(&req)
	return &req
}

func requestOf(r *corpus.Record) interaction.Request {
	req := interaction.Request{Method: r.Method, URL: r.URL, Body: r.ReqBody}
	for _, name := range slices.Sorted(maps.Keys(r.ReqHeaders)) {
		req.Headers = append(req.Headers, interaction.Header{Name: strings.ToLower(name), Values: r.ReqHeaders[name]})
	}
	return req
}

// isLocal reports whether a request goes to a host of this machine or network, which
// count as one.
func isLocal(f *canon.Form) bool {
	return f.Local || slices.Contains(f.Drift, canon.Line{Path: "host", Value: `"(local)"`})
}

// silent reports whether a change of a request is neither matched nor noted.
func silent(before, after *canon.Form) bool {
	return before.Key() == after.Key() && slices.Equal(before.Drift, after.Drift)
}

// TestNothingChangesInSilence: every header, query value, path segment and host of every
// request is changed, and every value of every body. What then is the same to matching is
// either noted as drift, or docs/MATCHING.md says that it means nothing, by name.
func TestNothingChangesInSilence(t *testing.T) {
	page, err := os.ReadFile("../docs/MATCHING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(page), "<!-- table: silent -->\n")
	table, _, ok2 := strings.Cut(table, "<!-- end -->")
	if !ok || !ok2 {
		t.Fatal("docs/MATCHING.md has no table of what means nothing")
	}
	documented := map[string][]string{} // by endpoint; "*" for all
	for row := range strings.Lines(table) {
		if cells := strings.Split(row, "|"); len(cells) > 3 && strings.Contains(cells[1], "`") {
			for _, endpoint := range code(cells[1]) {
				documented[endpoint] = append(documented[endpoint], code(cells[2])...)
			}
		}
	}
	means := func(endpoint, path string) bool {
		for _, e := range []string{"*", endpoint} {
			if slices.ContainsFunc(documented[e], func(p string) bool { return fieldpath.Match(p, path) }) {
				return true
			}
		}
		return false
	}
	found := map[string]string{} // what is silent and not documented, with an example
	var rules canon.Options
	changes := 0
	for _, r := range load(t) {
		req := requestOf(r)
		before := rules.Form(clean(req))
		endpoint := before.Endpoint
		if !before.Known {
			endpoint = "other"
		}
		check := func(path, value string, changed interaction.Request) {
			changes++
			c := clean(changed)
			name, isHeader := strings.CutPrefix(path, "header/")
			if after := rules.Form(c); !silent(before, after) || means(endpoint, path) || isHeader && c.Headers.Get(name) == "" || path == "host" && isLocal(before) {
				return
			}
			found[endpoint+" "+path] = fmt.Sprintf("%s: %.60q", tail(r.Source), value)
		}
		for i, h := range req.Headers {
			if len(h.Values) == 0 {
				continue
			}
			changed := req
			changed.Headers = slices.Clone(req.Headers)
			changed.Headers[i] = interaction.Header{Name: h.Name, Values: append([]string{h.Values[0] + "x"}, h.Values[1:]...)}
			check("header/"+h.Name, h.Values[0], changed)
		}
		u, err := url.Parse(r.URL)
		if err != nil {
			t.Fatal(err)
		}
		for pair := range strings.SplitSeq(u.RawQuery, "&") {
			if name, value, ok := strings.Cut(pair, "="); ok {
				changed := req
				changed.URL = strings.Replace(r.URL, pair, name+"="+value+"x", 1)
				plain, _ := url.QueryUnescape(name)
				check("query/"+plain, value, changed)
			}
		}
		scheme, rest, _ := strings.Cut(r.URL, "//")
		host, rest, _ := strings.Cut(rest, "/")
		origin, path := scheme+"//"+host, "/"+rest
		if i := strings.IndexAny(path, "?#"); i >= 0 {
			path, rest = path[:i], path[i:]
		} else {
			rest = ""
		}
		segments := strings.Split(path, "/")
		for i, s := range segments[1:] {
			changed := req
			other := slices.Clone(segments)
			other[i+1] = "x" + s
			changed.URL = origin + strings.Join(other, "/") + rest
			check("path", s, changed)
		}
		changed := req
		changed.URL = strings.Replace(r.URL, u.Host, "x"+u.Host, 1)
		check("host", u.Host, changed)

		bodyChanges(req.Body, func(path, value string, body []byte) {
			changed := req
			changed.Body = body
			check("body/"+path, value, changed)
		})
	}
	for _, k := range slices.Sorted(maps.Keys(found)) {
		t.Errorf("%s can change in silence (%s)", k, found[k])
	}
	t.Logf("%d changes", changes)
}

// code returns what a cell of a table has between backquotes.
func code(cell string) (out []string) {
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
		out = append(out, m[1])
	}
	return out
}

// bodyChanges calls f with the body changed in one value after the other: a text gets a
// letter, a number another digit, true becomes false. Of lists only the first three
// elements, which is what the paths say anyway.
func bodyChanges(body []byte, f func(path, value string, body []byte)) {
	if len(body) > 64<<10 {
		return // pictures
	}
	var root any
	dec := json.NewDecoder(strings.NewReader(string(body)))
	dec.UseNumber()
	if dec.Decode(&root) != nil {
		return
	}
	emit := func(path, value string) {
		if b, err := json.Marshal(root); err == nil {
			f(path, value, b)
		}
	}
	var walk func(v any, path string, set func(any))
	walk = func(v any, path string, set func(any)) {
		defer set(v)
		switch v := v.(type) {
		case map[string]any:
			for name, child := range v {
				walk(child, strings.TrimPrefix(path+"/"+name, "/"), func(to any) { v[name] = to })
			}
		case []any:
			for i, child := range v[:min(len(v), 3)] {
				walk(child, fmt.Sprintf("%s/%d", path, i), func(to any) { v[i] = to })
			}
		case string:
			set(v + "x")
			emit(path, v)
		case json.Number:
			set(json.Number(string(v) + "1"))
			emit(path, string(v))
		case bool:
			set(!v)
			emit(path, fmt.Sprint(v))
		}
	}
	walk(root, "", func(any) {})
}
