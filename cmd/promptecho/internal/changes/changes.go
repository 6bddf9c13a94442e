// Package changes lists what differs between two cassettes of one test, by meaning: what was
// asked, what was answered, what it cost. IDs, times and other values that differ by chance
// are left out. pair.go says which new interaction replaced which old one, and session.go
// compares the messages of sessions.
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

// A Change is an interaction that was added, removed or changed.
type Change struct {
	Old, New int    // the numbers in their cassettes, from 1; 0 if it was added or removed
	Edits    []Edit // what differs; nil if it was added or removed

	// Repeated is the number of edits that are left out because an earlier change has the
	// same: an agent repeats its history in each request.
	Repeated int
}

// An Edit is a field that differs.
type Edit struct {
	In   string `json:"in"`            // request, settings (which do not match), answer, messages, usage or env
	Path string `json:"path"`          // in the request as it is spelled there
	Old  string `json:"old,omitempty"` // JSON; empty if only the new one has the field
	New  string `json:"new,omitempty"` // JSON; empty if only the old one has the field
	Note string `json:"note,omitempty"`
}

// blockSize is the number of calls that are compared in parallel. Blocks limit how many
// edits are in memory before Between drops the repeated ones.
const blockSize = 64

// Between lists what differs between an old and a new cassette, in the order of the new one.
// Removed interactions come before the interaction that followed them.
func Between(before, after []*interaction.Interaction) (list []Change) {
	old := callsOf(before)
	fresh := callsOf(after)
	oldOf := pairCalls(old, fresh)
	isPaired := make([]bool, len(old))
	for _, i := range oldOf {
		if i != unpaired {
			isPaired[i] = true
		}
	}

	nextOld := 0 // all removed calls before this one are in the list
	listRemovedBefore := func(end int) {
		for ; nextOld < end; nextOld++ {
			if !isPaired[nextOld] {
				list = append(list, Change{Old: old[nextOld].number})
			}
		}
	}
	reported := editSet{}
	for start := 0; start < len(fresh); start += blockSize {
		block := fresh[start:min(start+blockSize, len(fresh))]
		blockEdits := make([][]Edit, len(block)) // nil for an added call
		InParallel(len(block), func(k int) {
			if i := oldOf[start+k]; i != unpaired {
				blockEdits[k] = compareCalls(&old[i], &block[k])
			}
		})

		for k := range block {
			i := oldOf[start+k]
			if i == unpaired {
				list = append(list, Change{New: block[k].number})
				continue
			}
			listRemovedBefore(i)
			c := Change{Old: old[i].number, New: block[k].number}
			c.Edits, c.Repeated = reported.addNew(blockEdits[k])
			if len(c.Edits)+c.Repeated > 0 {
				list = append(list, c)
			}
		}
	}
	listRemovedBefore(len(old))
	return list
}

// An editSet has the digests of edits.
type editSet map[[2]uint64]bool

// addNew adds the edits of a call to the set. It returns them without those of the request that
// the set has already: an earlier call has the same edit. repeated is the number of these.
func (set editSet) addNew(edits []Edit) (unseen []Edit, repeated int) {
	for _, e := range edits {
		key := e.key()
		isOfRequest := e.In == "request" || e.In == "settings"
		if isOfRequest && set[key] {
			repeated++
			continue
		}
		set[key] = true
		unseen = append(unseen, e)
	}
	return unseen, repeated
}

// key returns a key that is equal for repetitions of an edit. An agent sends the text of an
// answer in its next request, where it has another path, so the path of a text does not count.
func (e *Edit) key() [2]uint64 {
	if e.In == "settings" || e.In == "usage" {
		return digest(e.In, e.Path, e.Old, e.New)
	}
	return digest(e.Old, e.New)
}

// seeds are of two hashes, so that no two texts have the same digest by chance.
var seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// digest returns a digest of texts. A set of digests needs less memory than the texts, which
// may be long.
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

// Env compares the environment variables that two cassettes record for their test.
func Env(old, fresh map[string]string) (list []Edit) {
	for _, e := range diff.Answers(envFields(old), envFields(fresh)) {
		list = append(list, Edit{"env", e.Path, e.Recorded, e.Incoming, e.NoteText()})
	}
	return list
}

func envFields(env map[string]string) []canon.Line {
	v := exactjson.Value{Kind: exactjson.Object}
	for name, value := range env {
		v.Elems = append(v.Elems, exactjson.Value{Name: name, Kind: exactjson.String, Text: value})
	}
	return canon.Lines(&v)
}

// compareCalls lists what differs between two calls.
func compareCalls(old, fresh *call) (list []Edit) {
	add := func(in string, edits []diff.Edit) {
		for _, e := range edits {
			if isByChance(&e) {
				continue
			}
			if in == "request" || in == "settings" {
				e.Path = strings.TrimPrefix(e.Path, "body/")
			}
			list = append(list, Edit{in, e.Path, e.Recorded, e.Incoming, e.NoteText()})
		}
	}
	oldForm := old.form()
	newForm := fresh.form()
	add("request", diff.Forms(oldForm, newForm))
	add("settings", diff.Drift(oldForm, newForm))
	areSessions := old.Response.IsSession() && fresh.Response.IsSession()
	switch {
	case areSessions:
		add("messages", sessionEdits(&old.Response, &fresh.Response))
	case !sameAnswer(&old.Response, &fresh.Response):
		oldAnswer := answerFields(&old.Response, oldForm)
		newAnswer := answerFields(&fresh.Response, newForm)
		add("answer", diff.Answers(oldAnswer, newAnswer))
	}
	add("usage", diff.Answers(usageFields(old.Usage), usageFields(fresh.Usage)))
	return list
}

// sameAnswer reports whether two responses without a stream are byte for byte the same, which
// is cheap to find out. Two that are not may say the same.
func sameAnswer(a, b *interaction.Response) bool {
	isStream := a.Stream != "" || b.Stream != ""
	if isStream || a.Status != b.Status || a.End != b.End || a.Error != b.Error {
		return false
	}
	return bytes.Equal(a.Body, b.Body)
}

// isByChance reports whether the values of an edit differ from run to run: IDs, times, or the
// port of a local server.
func isByChance(e *diff.Edit) bool {
	name := e.Path[strings.LastIndexByte(e.Path, '/')+1:]
	switch {
	case e.Path == "host":
		return isLocal(e.Recorded) && isLocal(e.Incoming)
	case chance.Noise(name):
		return true
	}
	return chance.IDs(name) && looksGenerated(e.Recorded) && looksGenerated(e.Incoming)
}

// isLocal reports whether an origin, in JSON, is on this machine.
func isLocal(value string) bool {
	server, _ := exactjson.Unquote(value)
	return urls.IsThisMachine(server)
}

// looksGenerated reports whether a value, in JSON, looks like an ID that a program has
// generated, and not like a name that a person has chosen: it has 8 or more characters, with
// a digit and without a space.
func looksGenerated(value string) bool {
	const shortest = len(`"12345678"`)
	return len(value) >= shortest && strings.ContainsAny(value, "0123456789") && !strings.Contains(value, " ")
}

// answerFields returns what a response says as fields, whatever the format of the model API: its
// status, texts, tool calls and so on. If nothing in it is understood, the body is a field. form
// is the form of the request.
func answerFields(resp *interaction.Response, form *canon.Form) []canon.Line {
	v := exactjson.Value{Kind: exactjson.Object}
	add := func(name string, value exactjson.Value) {
		value.Name = name
		v.Elems = append(v.Elems, value)
	}
	addText := func(name string, text string) {
		if text != "" {
			add(name, exactjson.Value{Kind: exactjson.String, Text: text})
		}
	}
	addCalls := func(name string, calls []said.Call) {
		if calls != nil {
			add(name, listOfCalls(calls))
		}
	}

	if resp.Status != 0 {
		add("status", exactjson.Value{Kind: exactjson.Number, Text: strconv.Itoa(resp.Status)})
	}
	addText("end", resp.End)
	addText("error", resp.Error)
	content := said.Read(form, resp)
	addText("model", content.Model)
	addText("reasoning", content.Reasoning)
	addText("text", content.Text)
	if content.Finish != nil {
		addText("finish", strings.Join(content.Finish, " "))
	}
	toolCalls := content.Decisions()
	addCalls("tool_calls", toolCalls)
	addCalls("results", content.Results)

	hasText := content.Text != "" || content.Reasoning != ""
	isUnderstood := hasText || toolCalls != nil || content.Results != nil
	isEmpty := len(resp.Body)+len(resp.Events) == 0
	if !isUnderstood && !isEmpty {
		add("body", bodyValue(resp))
	}
	return canon.Lines(&v)
}

// listOfCalls returns tool calls as a list of objects with a name and arguments.
func listOfCalls(calls []said.Call) exactjson.Value {
	list := exactjson.Value{Kind: exactjson.Array}
	for _, call := range calls {
		name := exactjson.Value{Name: "name", Kind: exactjson.String, Text: call.Name}
		args := parsed(call.Args)
		args.Name = "arguments"
		object := exactjson.Value{Kind: exactjson.Object, Elems: []exactjson.Value{name, args}}
		list.Elems = append(list.Elems, object)
	}
	return list
}

// bodyValue returns the body of a response as JSON, and that of a stream as a list of the
// payloads of its events.
func bodyValue(resp *interaction.Response) exactjson.Value {
	if resp.Stream == "" {
		return parsed(string(resp.Body))
	}
	list := exactjson.Value{Kind: exactjson.Array}
	for payload := range resp.Payloads() {
		list.Elems = append(list.Elems, parsed(payload))
	}
	return list
}

// usageFields returns token counts as fields: the tokens of input and output always, the
// others unless they are 0.
func usageFields(u *interaction.Usage) []canon.Line {
	v := exactjson.Value{Kind: exactjson.Object}
	if u == nil {
		return canon.Lines(&v)
	}
	names, counts := u.Fields()
	for i, n := range counts {
		isMain := i < 2
		if isMain || *n > 0 {
			text := strconv.FormatInt(*n, 10)
			v.Elems = append(v.Elems, exactjson.Value{Name: names[i], Kind: exactjson.Number, Text: text})
		}
	}
	return canon.Lines(&v)
}
