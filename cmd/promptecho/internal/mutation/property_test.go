package mutation

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/said"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A control says what was recorded, and each other change of an answer says something else.
func TestEachMutationOfMadeUpAnswersIsNoticed(t *testing.T) {
	t.Parallel()
	eachMadeUp(t, func(name string, it *interaction.Interaction) {
		if checkMutations(t, name, it) == 0 {
			t.Errorf("%s: no mutations", name)
		}
	})
}

// The recordings of this repository have mutations that differ from what was recorded.
func TestEachMutationOfCassettesIsNoticed(t *testing.T) {
	t.Parallel()
	const repository = "../../../.."
	mutations := 0
	err := filepath.WalkDir(repository, func(path string, entry fs.DirEntry, err error) error {
		slashed := filepath.ToSlash(path)
		isCassette := strings.Contains(slashed, "/testdata/") && filepath.Ext(path) == ".yaml"
		if err != nil || !isCassette {
			return err
		}
		file, err := cassette.Load(path)
		if err != nil {
			return nil // another YAML file, or one that is broken for a test
		}
		for _, it := range file.Interactions {
			mutations += checkMutations(t, fmt.Sprintf("%s:%d", slashed, it.Line), it)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if mutations == 0 {
		t.Error("no cassette has a mutation")
	}
}

// checkMutations checks the mutations of an answer and returns their number.
func checkMutations(t *testing.T, name string, it *interaction.Interaction) int {
	t.Helper()
	list := Of(it, Options{Wrapped: func(string) bool { return true }})
	if len(list) == 0 {
		return 0
	}
	before := saidBy(it, &it.Response)
	isModel := before.Text != "" || len(before.Calls) > 0 // not a tool, or a vector
	if list[0].Kind != Control {
		t.Errorf("%s: the first mutation is %q, not the control", name, list[0].Kind)
	}
	for _, m := range list {
		resp := m.Response()
		if resp == nil {
			t.Errorf("%s: %s has no response", name, m.Kind)
			continue
		}
		after := saidBy(it, resp)
		isSame := reflect.DeepEqual(before, after)
		switch {
		case m.Kind == Control && !isSame:
			t.Errorf("%s: the control says %+v\nwant %+v", name, after, before)
		case m.Kind != Control && isSameResponse(resp, &it.Response):
			t.Errorf("%s: %s: %s changes nothing", name, m.Kind, m.What)
		case m.Kind != Control && !m.Kind.IsFailure() && isModel && isSame:
			t.Errorf("%s: %s: %s says the same", name, m.Kind, m.What)
		}
	}
	if it.Response.IsSession() {
		checkPlaces(t, it)
	}
	return len(list)
}

// saidBy returns what a response says.
func saidBy(it *interaction.Interaction, resp *interaction.Response) said.Answer {
	answer := said.Read(new(canon.Options).Form(&it.Request), resp)
	answer.Joined = nil // the layout of the response
	return answer
}

// No body and no event of any API makes a mutation panic.
func FuzzMutationsDoNotPanic(f *testing.F) {
	var requests []interaction.Request
	eachMadeUp(f, func(_ string, it *interaction.Interaction) {
		var texts []string
		for payload := range it.Response.Payloads() {
			texts = append(texts, payload)
		}
		f.Add(uint8(len(requests)), strings.Join(texts, "\n"), it.Response.Stream)
		requests = append(requests, it.Request)
	})
	f.Fuzz(func(t *testing.T, request uint8, text, stream string) {
		it := &interaction.Interaction{Request: requests[int(request)%len(requests)]}
		it.Response = interaction.Response{Status: 200, Stream: stream}
		if stream == "" {
			it.Response.Body = []byte(text)
		} else {
			for line := range strings.SplitSeq(text, "\n") {
				event := interaction.Event{{Name: "event"}, {Name: "data", Value: line}}
				it.Response.Events = append(it.Response.Events, event)
			}
		}
		for _, m := range Of(it, Options{Wrapped: func(string) bool { return true }}) {
			m.Response()
		}
	})
}
