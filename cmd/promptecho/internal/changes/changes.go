// Package changes says what differs between two cassettes of one test, by meaning: what was
// asked, what was answered, what it cost. Ids, times and whatever else differs by chance is
// left out. pair.go says which interaction took the place of which.
package changes

import (
	"bytes"
	"hash/maphash"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/chance"
	"github.com/promptecho/promptecho/internal/canon/said"
	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/urls"
)

// A Change is what became of one interaction.
type Change struct {
	Old, New int    // the numbers in their cassettes, counted from 1; 0 if it was added or removed
	Edits    []Edit // what differs; nil if it was added or removed
	Repeated int    // edits left out because an earlier interaction has the same: an agent repeats its history
}

// An Edit is a field that differs.
type Edit struct {
	In   string `json:"in"`            // request, settings (which do not match), answer, usage or env
	Path string `json:"path"`          // in the request as it is spelled there
	Old  string `json:"old,omitempty"` // JSON; empty if only the new one has the field
	New  string `json:"new,omitempty"` // JSON; empty if only the old one has it
	Note string `json:"note,omitempty"`
}

// Between lists what differs between an old and a new cassette, in the order of the new
// one; what was removed stands behind what it stood behind.
func Between(before, after []*interaction.Interaction) (list []Change) {
	old, fresh := calls(before), calls(after)
	of := pairs(old, fresh)
	stays := make([]bool, len(old))
	for _, i := range of {
		if i >= 0 {
			stays[i] = true
		}
	}
	seen := map[[2]uint64]bool{} // edits
	gone := 0                    // the old ones before this were told of
	removed := func(until int) {
		for ; gone < until; gone++ {
			if !stays[gone] {
				list = append(list, Change{Old: old[gone].number})
			}
		}
	}
	const block = 64 // is compared at once, by all processors
	var differ [block][]Edit
	for j := range fresh {
		if j%block == 0 {
			SideBySide(min(block, len(fresh)-j), func(k int) {
				differ[k] = nil
				if of[j+k] >= 0 {
					differ[k] = edits(&old[of[j+k]], &fresh[j+k])
				}
			})
		}
		if of[j] < 0 {
			list = append(list, Change{New: fresh[j].number})
			continue
		}
		removed(of[j])
		c := Change{Old: old[of[j]].number, New: fresh[j].number}
		for _, e := range differ[j%block] {
			key := digest(e.Old, e.New) // an answer stands in the next request, in another place
			if e.In == "settings" || e.In == "usage" {
				key = digest(e.In, e.Path, e.Old, e.New)
			}
			if seen[key] && (e.In == "request" || e.In == "settings") {
				c.Repeated++
				continue
			}
			seen[key] = true
			c.Edits = append(c.Edits, e)
		}
		if len(c.Edits)+c.Repeated > 0 {
			list = append(list, c)
		}
	}
	removed(len(old))
	return list
}

// seeds make two hashes of a text that together are no other text's.
var seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// digest stands for texts that are too long to be kept.
func digest(texts ...string) (sums [2]uint64) {
	for i, seed := range seeds {
		var h maphash.Hash
		h.SetSeed(seed)
		for _, text := range texts {
			_, _ = h.WriteString(text)
			_ = h.WriteByte(0)
		}
		sums[i] = h.Sum64()
	}
	return sums
}

// Env compares the environment variables that two cassettes give their test.
func Env(old, fresh map[string]string) (list []Edit) {
	fields := func(env map[string]string) []canon.Line {
		v := exactjson.Value{Kind: exactjson.Object}
		for name, value := range env {
			v.Elems = append(v.Elems, exactjson.Value{Name: name, Kind: exactjson.String, Text: value})
		}
		return canon.Lines(&v)
	}
	for _, e := range diff.Answers(fields(old), fields(fresh)) {
		list = append(list, Edit{"env", e.Path, e.Recorded, e.Incoming, e.NoteText()})
	}
	return list
}

// edits compares two interactions.
func edits(old, fresh *call) (list []Edit) {
	add := func(in string, edits []diff.Edit) {
		for _, e := range edits {
			if byChance(&e) {
				continue
			}
			if in != "answer" {
				e.Path = strings.TrimPrefix(e.Path, "body/")
			}
			list = append(list, Edit{in, e.Path, e.Recorded, e.Incoming, e.NoteText()})
		}
	}
	was, is := old.form(), fresh.form()
	add("request", diff.Forms(was, is))
	add("settings", diff.Drift(was, is))
	if !sameAnswer(&old.Response, &fresh.Response) {
		add("answer", diff.Answers(answer(old, was), answer(fresh, is)))
	}
	add("usage", diff.Answers(usage(old.Usage), usage(fresh.Usage)))
	return list
}

// sameAnswer reports whether two responses of one endpoint are the same at a glance.
func sameAnswer(a, b *interaction.Response) bool {
	return a.Status == b.Status && a.End == b.End && a.Error == b.Error && a.Stream == "" && b.Stream == "" && bytes.Equal(a.Body, b.Body)
}

// byChance reports whether an edit says nothing: an id or a time, or the port of a local
// server.
func byChance(e *diff.Edit) bool {
	name := e.Path[strings.LastIndexByte(e.Path, '/')+1:]
	switch {
	case e.Path == "host":
		return isLocal(e.Recorded) && isLocal(e.Incoming)
	case chance.Noise(name):
		return true
	}
	return chance.IDs(name) && looksRandom(e.Recorded) && looksRandom(e.Incoming)
}

// isLocal reports whether an origin, as the value of a line, is this machine.
func isLocal(value string) bool {
	server, _ := exactjson.Unquote(value)
	return urls.IsThisMachine(server)
}

// looksRandom reports whether a text is an id that somebody drew, and no name.
func looksRandom(value string) bool {
	const shortest = 8
	return len(value) >= shortest+2 && strings.ContainsAny(value, "0123456789") && !strings.Contains(value, " ")
}

// answer returns what a response says, as fields.
func answer(c *call, form *canon.Form) []canon.Line {
	resp := &c.Response
	v := exactjson.Value{Kind: exactjson.Object}
	add := func(name string, value exactjson.Value) {
		value.Name = name
		v.Elems = append(v.Elems, value)
	}
	texts := func(name string, text string) {
		if text != "" {
			add(name, exactjson.Value{Kind: exactjson.String, Text: text})
		}
	}
	if resp.Status != 0 {
		add("status", exactjson.Value{Kind: exactjson.Number, Text: strconv.Itoa(resp.Status)})
	}
	texts("end", resp.End)
	texts("error", resp.Error)
	says := said.Read(form, resp)
	texts("model", says.Model)
	texts("reasoning", says.Reasoning)
	texts("text", says.Text)
	if says.Finish != nil {
		texts("finish", strings.Join(says.Finish, " "))
	}
	calls := func(name string, calls []said.Call) {
		list := exactjson.Value{Kind: exactjson.Array}
		for _, call := range calls {
			name, args := exactjson.Value{Kind: exactjson.String, Name: "name", Text: call.Name}, parsed(call.Args)
			args.Name = "arguments"
			list.Elems = append(list.Elems, exactjson.Value{Kind: exactjson.Object, Elems: []exactjson.Value{name, args}})
		}
		if calls != nil {
			add(name, list)
		}
	}
	calls("tool_calls", says.Decisions())
	calls("results", says.Results)
	if says.Text == "" && says.Reasoning == "" && says.Decisions() == nil && says.Results == nil && len(resp.Body)+len(resp.Events) > 0 {
		add("body", body(resp))
	}
	return canon.Lines(&v)
}

// body returns what a response holds of which nobody knows what it says.
func body(resp *interaction.Response) exactjson.Value {
	if resp.Stream == "" {
		return parsed(string(resp.Body))
	}
	list := exactjson.Value{Kind: exactjson.Array}
	for payload := range resp.Payloads() {
		list.Elems = append(list.Elems, parsed(payload))
	}
	return list
}

// parsed returns JSON as a value, and any other text as it is.
func parsed(text string) exactjson.Value {
	if v, err := exactjson.Parse([]byte(text)); err == nil {
		return v
	}
	return exactjson.Value{Kind: exactjson.String, Text: text}
}

// usage returns token counts as fields.
func usage(u *interaction.Usage) []canon.Line {
	v := exactjson.Value{Kind: exactjson.Object}
	if u != nil {
		names, counts := u.Fields()
		for i, n := range counts {
			if i < 2 || *n > 0 {
				v.Elems = append(v.Elems, exactjson.Value{Name: names[i], Kind: exactjson.Number, Text: strconv.FormatInt(*n, 10)})
			}
		}
	}
	return canon.Lines(&v)
}
