package diff

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/testing/full"
)

// marked returns the whole comparison as text: less what is in {+…+} and with
// what is in [-…-] it is the recorded text, and the other way round the
// incoming one.
func (c *comparison) marked() string {
	m := c.marks()
	var b strings.Builder
	for i := range c.spans {
		rec, inc := c.texts(i)
		if i%2 == 0 {
			b.WriteString(rec)
			continue
		}
		if rec != "" {
			b.WriteString(m.del.from + rec + m.del.to)
		}
		if inc != "" {
			b.WriteString(m.ins.from + inc + m.ins.to)
		}
	}
	return b.String()
}

// sides undoes marked: the recorded and the incoming text.
func sides(text string, m marks) (recorded, incoming string) {
	var a, b strings.Builder
	for text != "" {
		del, ins := strings.Index(text, m.del.from), strings.Index(text, m.ins.from)
		switch {
		case del < 0 && ins < 0:
			a.WriteString(text)
			b.WriteString(text)
			return a.String(), b.String()
		case ins < 0 || del >= 0 && del < ins:
			a.WriteString(text[:del])
			b.WriteString(text[:del])
			only, rest, _ := strings.Cut(text[del+len(m.del.from):], m.del.to)
			a.WriteString(only)
			text = rest
		default:
			a.WriteString(text[:ins])
			b.WriteString(text[:ins])
			only, rest, _ := strings.Cut(text[ins+len(m.ins.from):], m.ins.to)
			b.WriteString(only)
			text = rest
		}
	}
	return a.String(), b.String()
}

func checkMarks(t *testing.T, a, b string) {
	t.Helper()
	c := compareTexts(a, b)
	if gotA, gotB := sides(c.marked(), c.marks()); gotA != a || gotB != b {
		t.Errorf("the marks are not faithful\nrecorded: %q\nincoming: %q\nmarked:   %q", a, b, c.marked())
	}
	for i, s := range c.spans {
		rec, inc := c.texts(i)
		if i%2 == 0 && rec != inc || i > 0 && rec+inc == "" {
			t.Errorf("compare %q and %q: bad span %d, %+v: %q and %q", a, b, i, s, rec, inc)
		}
	}
	if end := c.spans[len(c.spans)-1]; end.a != len(a) || end.b != len(b) {
		t.Errorf("compare %q and %q: the spans end at %+v", a, b, end)
	}
	for _, row := range c.rows(36) {
		if strings.Contains(row, "\n") {
			t.Errorf("compare %q and %q: a row of two lines: %q", a, b, row)
		}
	}
}

// TestMarksFaithful changes texts at random.
func TestMarksFaithful(t *testing.T) {
	t.Parallel()
	parts := []string{"the", "cat", "sat", "on", "\n", "\n", " ", " ", " ", "  ", "\t", "\r\n", ".", "[-", "-]", "{+", "+}", "-", "[", "東", "é", "e\u0301", "👩‍🍳", "\xff"}
	for seed := range uint64(full.Cases(400, 3000)) {
		r := rand.New(rand.NewPCG(seed, 7))
		var a, b []string
		for range r.IntN(60) {
			p := parts[r.IntN(len(parts))]
			a = append(a, p)
			switch r.IntN(8) {
			case 0:
			case 1:
				b = append(b, p, parts[r.IntN(len(parts))])
			case 2:
				b = append(b, parts[r.IntN(len(parts))])
			default:
				b = append(b, p)
			}
		}
		checkMarks(t, strings.Join(a, ""), strings.Join(b, ""))
	}
}

func FuzzMarks(f *testing.F) {
	f.Add("the cat sat\non the mat", "the cat lay\non the mat\n")
	f.Add("a [-b-] c", "a {+b+} c")
	f.Add("\r\n\n", "\n\r\n")
	f.Fuzz(checkMarks)
}

// TestMatch checks that runs are common, in order, and hold all anchors: no fewer
// elements than the longest common sequence of those that occur once in each.
func TestMatch(t *testing.T) {
	t.Parallel()
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 3))
		kinds := 1 + r.IntN(50)
		random := func() []string {
			s := make([]string, r.IntN(40))
			for i := range s {
				s[i] = strconv.Itoa(r.IntN(kinds))
			}
			return s
		}
		a, b := random(), random()
		pairs := match(a, b)
		last := pair{-1, -1}
		for _, p := range pairs {
			if p.a <= last.a || p.b <= last.b {
				t.Fatalf("match(%v, %v): pair %+v out of order", a, b, p)
			}
			if a[p.a] != b[p.b] {
				t.Fatalf("match(%v, %v): pair %+v is not common", a, b, p)
			}
			last = p
		}
		if want := longest(onceInBoth(a, b), onceInBoth(b, a)); len(pairs) < want {
			t.Fatalf("match(%v, %v) has %d elements, those that occur once have %d in common", a, b, len(pairs), want)
		}
		if got := match(a, a); len(got) != len(a) {
			t.Fatalf("match(%v, itself) = %v", a, got)
		}
	}
}

// onceInBoth returns the elements of a that occur once in it and once in b.
func onceInBoth(a, b []string) []string {
	count := func(list []string, s string) (n int) {
		for _, e := range list {
			if e == s {
				n++
			}
		}
		return n
	}
	var out []string
	for _, s := range a {
		if count(a, s) == 1 && count(b, s) == 1 {
			out = append(out, s)
		}
	}
	return out
}

// longest returns the length of the longest common subsequence.
func longest(a, b []string) int {
	row := make([]int, len(b)+1)
	for i := range a {
		before := 0
		for j := range b {
			was := row[j+1]
			if a[i] == b[j] {
				row[j+1] = before + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			before = was
		}
	}
	return row[len(b)]
}

// TestMatchOfManyAnchors matches long sequences that have little in common.
func TestMatchOfManyAnchors(t *testing.T) {
	t.Parallel()
	var a, b []string
	for i := range 4000 {
		if i%50 == 0 {
			a, b = append(a, strconv.Itoa(i)), append(b, strconv.Itoa(i))
		} else {
			a, b = append(a, strconv.Itoa(10_000+i)), append(b, strconv.Itoa(20_000+i))
		}
	}
	if total := len(match(a, b)); total != 80 {
		t.Errorf("match found %d common elements, want 80", total)
	}
}

func FuzzForms(f *testing.F) {
	f.Add([]byte(`{"model":"a","messages":[{"role":"user","content":"hi"}]}`), []byte(`{"model":"b","messages":[{"role":"user","content":"ho"}],"tools":[]}`))
	f.Add([]byte(`{"a":1,"a":{"x":[]},"a":[1]}`), []byte(`{"a":{"0":1,"*":2},"":{}}`))
	f.Add([]byte(`[1,[2,"x"],{"a/b":"~"}]`), []byte(`[[2,"x"],1,{"a~b":"/"}]`))
	f.Add([]byte("x"), []byte(""))
	f.Fuzz(func(t *testing.T, recorded, incoming []byte) {
		make1 := func(body []byte, url string) *canon.Form {
			return (&canon.Options{}).Form(&interaction.Request{Method: "POST", URL: url, Body: body})
		}
		for _, url := range []string{"https://x/v1/chat/completions", "https://x/other?a=b"} {
			checkForms(t, make1(recorded, url), make1(incoming, url))
		}
	})
}

// TestFormsOfRandomJSON changes JSON at random.
func TestFormsOfRandomJSON(t *testing.T) {
	t.Parallel()
	for seed := range uint64(full.Cases(250, 2000)) {
		r := rand.New(rand.NewPCG(seed, 11))
		a := randomValue(r, 4)
		b := changed(r, a)
		make1 := func(v any) *canon.Form {
			body, err := json.Marshal(map[string]any{"messages": v, "model": "m", "seed": r.IntN(3)})
			if err != nil {
				t.Fatal(err)
			}
			return (&canon.Options{}).Form(&interaction.Request{Method: "POST", URL: "https://x/v1/chat/completions", Body: body})
		}
		checkForms(t, make1(a), make1(b))
	}
}

func randomValue(r *rand.Rand, depth int) any {
	switch n := r.IntN(7); {
	case n < 2 && depth > 0:
		list := make([]any, r.IntN(6))
		for i := range list {
			list[i] = randomValue(r, depth-1)
		}
		return list
	case n < 4 && depth > 0:
		object := map[string]any{}
		for range r.IntN(5) {
			object[[]string{"role", "type", "name", "text", "0", "a/b", "", "x y"}[r.IntN(8)]] = randomValue(r, depth-1)
		}
		return object
	case n == 4:
		return r.IntN(5)
	case n == 5:
		return []any{nil, true, false, ""}[r.IntN(4)]
	}
	return generate("prose", r.IntN(40), r.Uint64N(5))
}

func changed(r *rand.Rand, v any) any {
	if r.IntN(12) == 0 {
		return randomValue(r, 2)
	}
	switch v := v.(type) {
	case []any:
		var out []any
		for _, e := range v {
			switch r.IntN(10) {
			case 0:
			case 1:
				out = append(out, randomValue(r, 2), e)
			case 2:
				out = append([]any{e}, out...)
			default:
				out = append(out, changed(r, e))
			}
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if r.IntN(10) > 0 {
				out[k] = changed(r, v[k])
			}
		}
		return out
	}
	return v
}

func checkForms(t *testing.T, a, b *canon.Form) {
	t.Helper()
	edits := Forms(a, b)
	if same := a.Text() == b.Text(); same != (len(edits) == 0) {
		t.Fatalf("same text: %v, edits: %#v\nrecorded: %s\nincoming: %s", same, edits, a.Text(), b.Text())
	}
	text := Write(edits, "\t", 5)
	if again := Write(Forms(a, b), "\t", 5); again != text {
		t.Fatalf("two reports of one difference:\n%s\n%s", text, again)
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); !strings.HasPrefix(line, "\t") || strings.TrimRight(line, " \t\r") != line {
			t.Fatalf("bad line %q in:\n%s", line, text)
		}
	}
	Write(Drift(a, b), "", 0)
	Nearest(a, 2, func(i int) Candidate { return []Candidate{{b, false}, {a, true}}[i] })
}
