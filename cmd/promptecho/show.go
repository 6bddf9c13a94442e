package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/promptecho/promptecho/internal/canon/conversation"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/testenv/tests"
)

const showHelp = `show [-full] [-raw] [-request] [-json] PATH|TEST ... [N]
show the conversations of a cassette: roles, tool calls, answers

A path is a cassette, a folder, or the name of a test below the current folder:
promptecho show TestTrip/in_paris. A test without a cassette stands for its
subtests. Whatever a turn repeats from an earlier one is folded. The requests of
a function are indented below it.

  -n N       only the Nth interaction; a number after the path means the same
  -full      do not cut long texts
  -raw       only the body of one answer, byte for byte
             (the messages of a session, such as a WebSocket, are lines of JSON)
  -request   with -raw, the body of the request instead
  -json      print a list with an object for each cassette
`

// A shownCassette has the content of a cassette, as show -json prints it.
type shownCassette struct {
	Path         string                   `json:"path"`
	Kind         string                   `json:"kind"` // see kindOf
	Partial      bool                     `json:"partial,omitempty"`
	Pinned       bool                     `json:"pinned,omitempty"`
	Oldest       interaction.Date         `json:"oldest,omitempty"`  // the day of the oldest recording, if any is known
	Undated      int                      `json:"undated,omitempty"` // recordings of unknown age
	Time         time.Time                `json:"time,omitzero"`     // the recorded time
	Env          map[string]string        `json:"env,omitempty"`     // the recorded variables
	Interactions []*conversation.Exchange `json:"interactions"`

	stored []*interaction.Interaction
}

// runShow shows cassettes.
func runShow(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("show", flag.ContinueOnError)
	n := flags.Int("n", 0, "")
	full := flags.Bool("full", false, "")
	raw := flags.Bool("raw", false, "")
	request := flags.Bool("request", false, "")
	asJSON := flags.Bool("json", false, "")
	list, err := readShown(flags, args, n, stderr)
	switch {
	case err != nil:
		return err
	case *raw:
		return printRaw(stdout, list, *request)
	case *asJSON:
		return printJSON(stdout, list)
	}
	p := newPrinter(stdout, *full)
	for i, s := range list {
		if i > 0 {
			p.write("\n")
		}
		p.cassette(s)
	}
	return p.err
}

// readShown parses the arguments of a verb that shows cassettes, and reads them. n is the value
// of the flag -n.
func readShown(flags *flag.FlagSet, args []string, n *int, stderr io.Writer) ([]*shownCassette, error) {
	paths, err := parse(flags, args)
	if err != nil {
		return nil, err
	}
	paths, number := takeNumber(paths, *n)
	if len(paths) == 0 {
		return nil, errors.New("which cassette? promptecho ls lists them")
	}
	return readCassettes(paths, number, stderr)
}

// takeNumber returns the number of an interaction behind paths, and the paths without it. n is
// what the flag -n says; 0 if it is not there.
func takeNumber(paths []string, n int) ([]string, int) {
	if n != 0 || len(paths) < 2 {
		return paths, n
	}
	last := len(paths) - 1
	number, err := strconv.Atoi(paths[last])
	if err != nil || number <= 0 {
		return paths, n
	}
	return paths[:last], number
}

// newShownCassette returns the content of a cassette for show.
func newShownCassette(file string, f *cassette.File) *shownCassette {
	s := &shownCassette{
		Path:         file,
		Kind:         kindOf(file),
		Partial:      f.Partial,
		Pinned:       f.Pinned,
		Time:         f.RecordedValues.Time,
		Env:          f.RecordedValues.Env,
		Interactions: conversation.Read(f.Interactions),
		stored:       f.Interactions,
	}
	ages := agesOf(f.Interactions)
	s.Oldest = ages.oldest
	s.Undated = ages.unknown
	setMessageLines(file, s.Interactions)
	return s
}

// readCassettes reads the cassettes at paths. If n is not 0, it keeps only the interaction with
// that number of each cassette.
func readCassettes(paths []string, n int, stderr io.Writer) (list []*shownCassette, err error) {
	var files []string
	for _, path := range paths {
		found, err := filesAt(path)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	list = []*shownCassette{}
	p := newProgress(stderr)
	defer p.end()
	for i, file := range files {
		p.step(i, len(files))
		f, err := load(file)
		if err != nil {
			return nil, err
		}
		s := newShownCassette(file, f)
		if n > len(s.stored) || n < 0 {
			return nil, fmt.Errorf("%s has %s, there is no number %d", file, count(len(s.stored), "interaction"), n)
		}
		if n > 0 {
			s.stored = s.stored[n-1 : n]
			s.Interactions = s.Interactions[n-1 : n]
			s.Interactions[0].Repeats = nil // the earlier interaction is not shown
		}
		list = append(list, s)
	}
	return list, nil
}

// filesAt returns the cassettes at a path. If there is no such path, path may be the name of a
// test: then it returns the cassette of the test or, if there is none, those of its subtests.
func filesAt(path string) ([]string, error) {
	files, err := cassettesIn(path)
	if !errors.Is(err, fs.ErrNotExist) || !tests.IsTest(path) {
		return files, err
	}
	all, walkErr := cassettesIn(".")
	if walkErr != nil {
		return nil, walkErr
	}
	var ofSubtests []string
	for _, file := range all {
		name, _ := testOf(file)
		switch {
		case name == path:
			files = append(files, file)
		case strings.HasPrefix(name, path+"/"):
			ofSubtests = append(ofSubtests, file)
		}
	}
	if len(files) == 0 {
		files = ofSubtests
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%w, and no test of this name has a cassette below the current folder", err)
	}
	isOfOtherPackage := func(file string) bool { return packageOf(file) != packageOf(files[0]) }
	if slices.ContainsFunc(files, isOfOtherPackage) {
		return nil, fmt.Errorf("several packages have a test of this name: %s", strings.Join(files, ", "))
	}
	return files, nil
}

// printRaw prints the body of one answer, or of its request, byte for byte.
func printRaw(w io.Writer, list []*shownCassette, request bool) error {
	if len(list) != 1 || len(list[0].stored) != 1 {
		all := 0
		for _, s := range list {
			all += len(s.stored)
		}
		return fmt.Errorf("-raw prints one body, and there are %s: choose one with -n N", count(all, "interaction"))
	}
	it := list[0].stored[0]
	body := it.Request.Body
	if !request {
		var err error
		body, _, err = storedBody(&it.Response)
		if err != nil {
			return err
		}
	}
	isTerminal := widthOf(w) > 0
	if isTerminal && redact.Printable(string(body)) != string(body) {
		return errors.New("the body has bytes that a terminal might take for commands: write it to a file or a pipe")
	}
	_, err := w.Write(body)
	return err
}

// cassette prints the conversations of one cassette.
func (p *printer) cassette(s *shownCassette) {
	about := []string{count(len(s.Interactions), "interaction")}
	used := tokensOf(s.stored)
	if used.InputTokens+used.OutputTokens > 0 {
		about = append(about, fmt.Sprintf("%s tokens in, %s out",
			english.Thousands(used.InputTokens), english.Thousands(used.OutputTokens)))
	}
	today := interaction.DateOf(time.Now())
	if text := agesOf(s.stored).text(today); text != "" {
		about = append(about, text)
	}
	if s.Kind != isCassette {
		about = append(about, s.Kind)
	}
	if s.Partial && s.Kind == isCassette {
		about = append(about, "partial")
	}
	if s.Pinned {
		about = append(about, "pinned")
	}
	p.line(0, bold, "%s: %s", s.Path, strings.Join(about, ", "))
	if !s.Time.IsZero() {
		p.line(2, "", "time: %s", s.Time.Format(time.RFC3339))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		p.text(2, "env "+redact.OneLine(name)+": "+s.Env[name])
	}
	depth := depths(s.Interactions)
	for i, e := range s.Interactions {
		p.write("\n")
		p.exchange(4*depth[i], e)
	}
}

// depths returns for each interaction the number of recorded functions that it is nested in.
func depths(list []*conversation.Exchange) []int {
	depthOf := map[string]int{} // of the functions, by their names
	depths := make([]int, len(list))
	for i, e := range list {
		if e.Within != "" {
			depths[i] = depthOf[e.Within] + 1
		}
		if isFunction(e) {
			depthOf[e.Request] = depths[i]
		}
	}
	return depths
}

// isFunction reports whether an interaction is the call of a Go function.
func isFunction(e *conversation.Exchange) bool {
	return slices.Contains(interaction.FunctionKinds, e.Kind)
}

// exchange prints one interaction.
func (p *printer) exchange(indent int, e *conversation.Exchange) {
	p.line(indent, bold, "#%d %s", e.Number, strings.Join(headline(e, headlineOmits{}), ", "))
	tools := toolList(e.Tools)
	if r := e.Repeats; r != nil {
		p.line(indent+2, dim, "(%s as in #%d)", folded(r), r.Of)
		if r.Tools {
			tools = ""
		}
	}
	if tools != "" {
		p.text(indent+2, "tools: "+tools)
	}
	for _, s := range e.Settings {
		if e.Repeats == nil || !e.Repeats.Settings {
			p.text(indent+2, redact.OneLine(s.Name)+": "+readable(s.Value))
		}
	}
	messages := e.Messages
	if e.Repeats != nil {
		messages = messages[e.Repeats.Messages:]
	}
	for _, m := range messages {
		p.line(indent+2, bold, "%s", m.Role)
		p.parts(indent+4, m.Parts)
	}
	if e.Body != "" {
		p.line(indent+2, bold, "%s", bodyName(e))
		p.text(indent+4, readable(e.Body))
	}
	if e.Session != nil {
		p.session(indent+2, e)
		p.verdict(indent+2, e)
		return
	}
	p.line(indent+2, bold, "%s", answerName(e)+" "+answerAbout(e, true))
	p.parts(indent+4, e.Answer.Parts)
	if e.Answer.Body != "" {
		p.text(indent+4, readable(e.Answer.Body))
	}
	if e.Answer.Error != "" {
		p.text(indent+4, "error: "+e.Answer.Error)
	}
	if e.Answer.Broken != "" {
		p.text(indent+4, "("+e.Answer.Broken+")")
	}
	p.verdict(indent+2, e)
}

// A headlineOmits says what a headline leaves out, because the page shows it elsewhere.
type headlineOmits struct{ model, tokens bool }

// headline returns what a headline says about an interaction: the call, the model, the tokens, the
// line in the cassette.
func headline(e *conversation.Exchange, omits headlineOmits) []string {
	what := []string{callName(e)}
	switch {
	case e.Kind == "http":
		what = append(what, e.Request)
	case e.Model != "" && !omits.model:
		what = append(what, "model "+e.Model)
	}
	if e.Within != "" {
		what = append(what, "called by "+e.Within)
	}
	if e.Name != "" {
		what = append(what, "named "+e.Name)
	}
	if e.InputTokens+e.OutputTokens > 0 && !omits.tokens {
		what = append(what, fmt.Sprintf("%s tokens in, %s out",
			english.Thousands(e.InputTokens), english.Thousands(e.OutputTokens)))
	}
	if e.CachedTokens > 0 {
		what = append(what, english.Thousands(e.CachedTokens)+" cached")
	}
	if e.ReasoningTokens > 0 {
		what = append(what, english.Thousands(e.ReasoningTokens)+" reasoning")
	}
	if len(e.Concurrent) > 0 {
		what = append(what, "at the same time as "+ranges(e.Concurrent))
	}
	if e.Accepted {
		what = append(what, "accepted")
	}
	if e.Fake {
		what = append(what, fromFake)
	}
	return append(what, fmt.Sprintf("line %d", e.Line))
}

// callName returns the name of a call: the method and tool of a request to an MCP server, the
// protocol and command of a process, and otherwise its selector, such as llm/openai.chat.
func callName(e *conversation.Exchange) string {
	program, _, _ := strings.Cut(e.Title, " ")
	if program == e.Kind { // such as "claude --verbose"
		return clip(e.Title, 200)
	}
	if e.Title != "" {
		return clip(e.Kind+" "+e.Title, 200)
	}
	return e.Call
}

// folded says what a request repeats of an earlier one.
func folded(r *conversation.Repeat) string {
	if r.Tools {
		return "tools and " + count(r.Messages, "message")
	}
	return count(r.Messages, "message")
}

// bodyName returns the word for the body of a request that goes to no model.
func bodyName(e *conversation.Exchange) string {
	if isFunction(e) {
		return "argument"
	}
	return "body"
}

// answerName returns the word for the answer to a request.
func answerName(e *conversation.Exchange) string {
	if isFunction(e) {
		return "result"
	}
	return "answer"
}

// answerAbout describes an answer: "of gpt-4o-2024-08-06 after 812 ms, status 429, finish: stop". The
// model is there if it is not the requested one, the time if withTime is set, and the status if it
// is not 200.
func answerAbout(e *conversation.Exchange, withTime bool) string {
	a := &e.Answer
	about := ""
	if a.Model != "" && a.Model != e.Model {
		about += " of " + a.Model
	}
	if withTime {
		about += answerTime(e)
	}
	if a.Status != 0 && a.Status != 200 {
		about += ", status " + strconv.Itoa(a.Status)
	}
	if len(a.Finish) > 0 {
		about += ", finish: " + strings.Join(a.Finish, " ")
	}
	return strings.TrimLeft(about, ", ")
}

// answerTime says how long an answer took, and in how many events it arrived.
func answerTime(e *conversation.Exchange) string {
	events := count(e.Answer.Events, "event")
	switch {
	case e.Answer.Stream == "":
		return " after " + duration(e.TotalMS)
	case e.FirstMS == e.TotalMS: // most likely the times of the events were not recorded
		return " in " + events + " after " + duration(e.TotalMS)
	}
	return fmt.Sprintf(" in %s, the first after %s, the last after %s",
		events, duration(e.FirstMS), duration(e.TotalMS))
}

// toolList returns the tools with the names of their parameters.
func toolList(tools []conversation.Tool) string {
	var list []string
	for _, t := range tools {
		list = append(list, redact.OneLine(t.Name+"("+strings.Join(t.Parameters, ", ")+")"))
	}
	return strings.Join(list, ", ")
}
