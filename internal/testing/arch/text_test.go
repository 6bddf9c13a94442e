package arch

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A textDecision is a place where code depends on words: it compares a text
// with them, or looks for them in it.
type textDecision struct {
	at   token.Position
	how  string // the function or operator
	text string
}

// textParsers lists the texts that code may look for, by file, with the reason:
// another program, a file format or a protocol writes them. An entry is for all
// texts of the file that begin with its text.
var textParsers = []struct{ file, text, why string }{
	{"cmd/internal/demo/demo.go", "^ *(- kind: .*", "the format of a cassette"},
	{"cmd/internal/demo/demo.go", "func TestTrip", "Go code of the demo"},
	{"cmd/internal/demo/demo.go", "a sunny day", "the prompt in the Go code of the demo"},
	{"cmd/internal/demo/demo.go", "key sent (", "the output of the demo's test, which is Go code in testdata"},

	{"internal/nethttp/proxy/refusal.go", "remote error", "the operation in an error of crypto/tls, which has no constant for it"},
	{"internal/nethttp/proxy/refusal.go", "local error", "the operation in an error of crypto/tls, which has no constant for it"},

	{"internal/fakeprovider/session.go", "event: ", "an event of a stream of server-sent events"},
	{"internal/fakeprovider/session.go", "data: ", "an event of a stream of server-sent events"},

	{"cmd/promptecho/files.go", "\n# promptecho cassette", "the first line of a cassette"},
	{"cmd/promptecho/lint.go", "not defined: -fix", "the output of go vet"},
	{"cmd/promptecho/lint.go", "go.mod file not found", "the output of the go command"},
	{"cmd/promptecho/lint.go", "go: downloading ", "the output of the go command"},
	{"cmd/promptecho/merge.go", "**/testdata/cassettes/", "a line of .gitattributes"},
	{"cmd/promptecho/printer.go", "recorded: ", "the output of a test process, in which this line gets a colour"},
	{"cmd/promptecho/printer.go", "incoming: ", "the output of a test process, in which this line gets a colour"},
	{"cmd/promptecho/summary.go", "signal: ", "the output of go test"},
	{"cmd/promptecho/view.go", "<!doctype html>", "the first line of a page"},
	{"cmd/promptecho/internal/mutation/process.go", "exit status 0", "the format of a cassette"},
	{"cmd/promptecho/internal/setup/ci.go", "\\b(go test|gotestsum)", "a command in a file of CI"},
	{"cmd/promptecho/internal/foreign/convert.go", "content-disposition: form-data", "a header of a form"},
	{"cmd/promptecho/internal/foreign/detect.go", "version https://git-lfs", "a pointer of Git LFS"},
	{"cmd/promptecho/internal/mutate/judge.go", "\npanic: test timed out after", "the output of package testing"},
	{"cmd/promptecho/internal/mutate/judge.go", "panic: unexpected call to os.Exit(0) during test", "the output of package testing"},
	{"cmd/promptecho/internal/mutate/judge.go", ": promptecho: ", "a line of echotest in the output of a test"},
	{"cmd/promptecho/internal/mutate/judge.go", "panic: ", "the output of the Go runtime"},
	{"cmd/promptecho/internal/mutate/judge.go", "fatal error: ", "the output of the Go runtime"},
	{"cmd/promptecho/internal/prove/prove.go", "DATA RACE", "the output of go test"},
	{"cmd/promptecho/internal/prove/prove.go", "panic: ", "the output of go test"},
	{"internal/report/explain.go", "promptecho: not recorded", "a mark that programs put into requests, interaction.MissMark"},
	{"cmd/promptecho/internal/observe/overlay.go", "\treturn t.roundTrip(req)", "Go code of net/http"},
	{"cmd/promptecho/internal/observe/overlay.go", "\tpromptechoAsked(", "Go code that is put into net/http"},
	{"cmd/promptecho/internal/observe/overlay.go", "package fallback", "Go code that is put into net/http"},
	{"cmd/promptecho/internal/observe/run.go", "[build failed]", "the output of go test"},
	{"cmd/promptecho/internal/observe/run.go", "[setup failed]", "the output of go test"},

	{"internal/accept/accept.go", "promptecho: not recorded", "a mark that programs put into requests, interaction.MissMark"},
	{"internal/cassette/foreign.go", "httprr trace v1", "the first line of a file of httprr"},
	{"internal/cassette/foreign.go", "^httprr trace v1", "the first line of a file of httprr"},
	{"internal/cassette/open.go", "# promptecho cassette", "the first line of a cassette"},
	{"internal/cassette/seal.go", "# promptecho cassette", "the first line of a cassette"},
	{"internal/cassette/seal.go", "\n# promptecho cassette", "the first line of a cassette"},
	{"internal/cassette/seal.go", "\nseals: ", "the format of a cassette"},
	{"internal/cassette/seal.go", "\npinned: true", "the format of a cassette"},
	{"internal/cassette/codec/outline.go", "\n    end: canceled", "the format of a cassette"},
	{"internal/cassette/codec/outline.go", "\n  concurrent: ", "the format of a cassette"},
	{"internal/cassette/codec/parse.go", "version https://git-lfs", "a pointer of Git LFS"},
	{"internal/cassette/rewrite/rewrite.go", "\n  times: ", "the format of a cassette"},
	{"internal/child/exit.go", "exit status ", "how a process exited, as the standard library and cassettes have it"},
	{"internal/child/exit.go", "signal: ", "how a process exited, as the standard library and cassettes have it"},
	{"internal/exchange/play.go", "closed while it waited", "a value in a cassette, interaction.Waiting"},
	{"internal/nethttp/form/form.go", "^Content-Disposition: form-data", "a header of a form"},
	{"internal/nethttp/upload/upload.go", "\\(upload of ", "a value in a cassette"},
	{"internal/snapshot/route/process.go", "exit status 0", "a value in a cassette: how a process exited"},
	{"internal/redact/formats.go", "PRIVATE KEY", "a label of PEM (RFC 7468)"},
	{"internal/redact/keys.go", "PRIVATE KEY", "a label of PEM (RFC 7468)"},
	{"internal/redact/carrier/events.go", "\r\ndata: ", "a field of an event stream"},
	{"internal/redact/carrier/events.go", "\ndata: ", "a field of an event stream"},
	{"internal/snapshot/file.go", "promptecho snapshots, version 1", "the first line of a file of snapshots"},
	{"internal/snapshot/judge/judge.go", "You decide whether", "the prompt of a judge, in a request"},
	{"internal/snapshot/judge/judge.go", "\nCriteria for the new text:", "the prompt of a judge, in a request"},
	{"internal/testenv/bubble/bubble.go", ", synctest bubble ", "a stack dump of Go"},
	{"internal/testenv/stack/stack.go", "(?m)^(?:(?:goroutine|", "a stack dump of Go"},
	{"internal/testenv/lock/lock.go", "^# Kept by promptecho-store", "the format of the lock file"},
	{"internal/testenv/lock/lock.go", "# end of the lock", "the format of the lock file"},
	{"internal/lint/unnoticed.go", "other text", "a kind of change in testdata/unnoticed.txt"},
	{"internal/lint/unnoticed.go", "no text", "a kind of change in testdata/unnoticed.txt"},
	{"internal/lint/unnoticed.go", "another value", "a kind of change in testdata/unnoticed.txt"},
	{"internal/lint/unnoticed.go", "field missing", "a kind of change in testdata/unnoticed.txt"},
	{"internal/lint/unnoticed.go", "another type", "a kind of change in testdata/unnoticed.txt"},
	{"internal/lint/unnoticed.go", "no call", "a kind of change in testdata/unnoticed.txt"},
	{"internal/lint/unnoticed.go", "another argument", "a kind of change in testdata/unnoticed.txt"},
	{"internal/lint/unnoticed.go", "argument missing", "a kind of change in testdata/unnoticed.txt"},
	{"internal/lint/unnoticed.go", "unknown tool", "a kind of change in testdata/unnoticed.txt"},
	{"internal/lint/unnoticed.go", "called twice", "a kind of change in testdata/unnoticed.txt"},
	{"internal/lint/unnoticed.go", "cut off", "a kind of change in testdata/unnoticed.txt"},
	{"internal/lint/unnoticed.go", "stream ends early", "a kind of change in testdata/unnoticed.txt"},
	{"internal/lint/unnoticed.go", "stream breaks", "a kind of change in testdata/unnoticed.txt"},
	{"internal/lint/unnoticed.go", "error event", "a kind of change in testdata/unnoticed.txt"},
	{"internal/lint/unnoticed.go", "another vector", "a kind of change in testdata/unnoticed.txt"},
	{"internal/lint/unnoticed.go", "tool error", "a kind of change in testdata/unnoticed.txt"},

	{"internal/testenv/suite/results.go", "--- FAIL: ", "the output of go test"},
	{"internal/testenv/suite/results.go", "--- PASS: ", "the output of go test"},
	{"internal/testenv/suite/results.go", "--- SKIP: ", "the output of go test"},
}

// TestNoDecisionByText: code decides by types, constants and sentinel errors.
// The words of a message are for people, who want better ones from time to
// time; whoever changes them must not break anything.
func TestNoDecisionByText(t *testing.T) {
	t.Parallel()
	set := token.NewFileSet()
	imports := exports(t, set)
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	used := make([]bool, len(textParsers))
	read := 0
	for _, p := range packages(t) {
		var files []*ast.File
		for _, file := range p.GoFiles {
			parsed, err := parser.ParseFile(set, filepath.Join(p.Dir, file), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, parsed)
			read++
		}
		for _, d := range textDecisions(set, p.ImportPath, files, imports) {
			file, err := filepath.Rel(root, d.at.Filename)
			if err != nil {
				t.Fatal(err)
			}
			file = filepath.ToSlash(file)
			isAllowed := false
			for i, a := range textParsers {
				if a.file == file && strings.HasPrefix(d.text, a.text) {
					isAllowed, used[i] = true, true
				}
			}
			if !isAllowed {
				t.Errorf("%s:%d: %s %q decides by words that are written for people: compare a constant, a type or an error value. "+
					"If another program or a format writes them, say so in textParsers", file, d.at.Line, d.how, d.text)
			}
		}
	}
	for i, a := range textParsers {
		if !used[i] {
			t.Errorf("%s no longer looks for %q: take it out of textParsers", a.file, a.text)
		}
	}
	if read < 200 {
		t.Errorf("%d files were read: is this the module?", read)
	}
}

// subjectFirst lists the functions of strings and bytes that look for a text in
// their first argument. The patterns are the other ones.
var subjectFirst = strings.Fields(`Compare Contains ContainsAny Count Cut CutPrefix CutSuffix Equal EqualFold
	HasPrefix HasSuffix Index IndexAny LastIndex Replace ReplaceAll Split SplitAfter SplitAfterN SplitAfterSeq SplitN
	SplitSeq Trim TrimLeft TrimPrefix TrimRight TrimSuffix`)

// patternFirst lists the functions of regexp that get a pattern first.
var patternFirst = strings.Fields("Compile CompilePOSIX Match MatchReader MatchString MustCompile MustCompilePOSIX")

// lookedUp lists the functions of slices that look for their second argument in
// a list, which may be one of texts.
var lookedUp = strings.Fields("BinarySearch Contains Index")

// textDecisions returns the places of a package where it decides by words. An
// expression has words if it is a constant that has, a variable or a field that
// the package sets to such a constant, or an element of a list or map with such
// constants.
func textDecisions(set *token.FileSet, path string, files []*ast.File, imports types.Importer) []textDecision {
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{},
		Defs:  map[*ast.Ident]types.Object{},
		Uses:  map[*ast.Ident]types.Object{},
	}
	config := types.Config{Importer: imports, Error: func(error) {}} // the parts that do compile are checked
	_, _ = config.Check(path, set, files, info)
	r := textReader{set: set, info: info, held: map[types.Object][]string{}}
	for range 2 { // a list may be declared below its use
		for _, f := range files {
			ast.Inspect(f, r.noteHeld)
		}
	}
	for _, f := range files {
		ast.Inspect(f, r.decision)
	}
	return r.found
}

// A textReader reads the files of one package.
type textReader struct {
	set   *token.FileSet
	info  *types.Info
	held  map[types.Object][]string // the words that variables and fields have, or their elements
	found []textDecision
}

// noteHeld notes the words that a node gives to variables and fields.
func (r *textReader) noteHeld(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ValueSpec:
		for i, name := range n.Names {
			if i < len(n.Values) {
				r.hold(r.info.Defs[name], n.Values[i])
			}
		}
	case *ast.AssignStmt:
		if len(n.Lhs) != len(n.Rhs) {
			break
		}
		for i, left := range n.Lhs {
			r.hold(r.object(left), n.Rhs[i])
		}
	case *ast.RangeStmt:
		r.hold(r.object(n.Value), n.X)
		if _, isMap := r.underlying(n.X).(*types.Map); isMap {
			r.hold(r.object(n.Key), n.X)
		}
	case *ast.CompositeLit:
		r.noteFields(n)
	}
	return true
}

// noteFields notes the words that a literal gives to the fields of a struct.
func (r *textReader) noteFields(lit *ast.CompositeLit) {
	s, isStruct := r.underlying(lit).(*types.Struct)
	if !isStruct {
		return
	}
	for i, e := range lit.Elts {
		if pair, isPair := e.(*ast.KeyValueExpr); isPair {
			r.hold(r.object(pair.Key), pair.Value)
		} else if i < s.NumFields() {
			r.hold(s.Field(i), e)
		}
	}
}

// hold notes that a variable or field may have the words of an expression.
func (r *textReader) hold(to types.Object, from ast.Expr) {
	if to == nil {
		return
	}
	v, isVar := to.(*types.Var)
	if !isVar || types.IsInterface(v.Type()) {
		return
	}
	for _, s := range r.words(from) {
		if !slices.Contains(r.held[to], s) {
			r.held[to] = append(r.held[to], s)
		}
	}
}

// object returns the variable or field that an expression is, or nil.
func (r *textReader) object(e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if def := r.info.Defs[e]; def != nil {
			return def
		}
		return r.info.Uses[e]
	case *ast.SelectorExpr:
		return r.info.Uses[e.Sel]
	}
	return nil
}

func (r *textReader) underlying(e ast.Expr) types.Type {
	if t := r.info.Types[e].Type; t != nil {
		return t.Underlying()
	}
	return nil
}

// words returns the texts with words that an expression may be, or may have as
// elements or keys.
func (r *textReader) words(e ast.Expr) []string {
	if e == nil {
		return nil
	}
	if v := r.info.Types[e].Value; v != nil {
		if v.Kind() == constant.String && hasWords(constant.StringVal(v)) {
			return []string{constant.StringVal(v)}
		}
		return nil
	}
	var all []string
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident, *ast.SelectorExpr:
		return r.held[r.object(e)]
	case *ast.IndexExpr:
		return r.words(e.X)
	case *ast.BinaryExpr:
		return append(r.words(e.X), r.words(e.Y)...)
	case *ast.CallExpr:
		if t := r.info.Types[e.Fun]; t.IsType() && len(e.Args) == 1 { // []byte("...")
			return r.words(e.Args[0])
		}
		switch name := r.called(e); name {
		case "regexp.QuoteMeta", "strings.ToLower", "strings.TrimSpace":
			return r.words(e.Args[0])
		}
	case *ast.CompositeLit:
		if _, isStruct := r.underlying(e).(*types.Struct); isStruct {
			return nil // its fields have them
		}
		for _, elem := range e.Elts {
			pair, isPair := elem.(*ast.KeyValueExpr)
			switch {
			case !isPair:
				all = append(all, r.words(elem)...)
			case isText(r.info.Types[pair.Key].Type):
				all = append(all, r.words(pair.Key)...)
			default:
				all = append(all, r.words(pair.Value)...)
			}
		}
	}
	return all
}

func isText(t types.Type) bool {
	if t == nil {
		return false
	}
	basic, isBasic := t.Underlying().(*types.Basic)
	return isBasic && basic.Info()&types.IsString != 0
}

// called returns the function of the standard library that a call is of, as
// "strings.Cut", or "".
func (r *textReader) called(call *ast.CallExpr) string {
	sel, isSelector := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !isSelector {
		return ""
	}
	f, isFunc := r.info.Uses[sel.Sel].(*types.Func)
	if !isFunc || f.Pkg() == nil || f.Type().(*types.Signature).Recv() != nil {
		return ""
	}
	return f.Pkg().Path() + "." + f.Name()
}

// decision notes a node that decides by words.
func (r *textReader) decision(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		name := r.called(n)
		dot := max(strings.LastIndexByte(name, '.'), 0)
		pkg, function := name[:dot], strings.TrimPrefix(name[dot:], ".")
		if pkg == "slices" && slices.Contains(lookedUp, function) {
			if !isCode(r.info.Types[n.Args[1]].Type) {
				r.note(n.Pos(), name, append(r.words(n.Args[0]), r.words(n.Args[1])...))
			}
			break
		}
		for _, arg := range n.Args[firstPattern(pkg, function, len(n.Args)):] {
			r.note(n.Pos(), name, r.words(arg))
		}
	case *ast.BinaryExpr:
		if n.Op == token.EQL || n.Op == token.NEQ {
			r.note(n.Pos(), n.Op.String(), r.compared(n.X, n.Y))
		}
	case *ast.SwitchStmt:
		if n.Tag == nil {
			break
		}
		for _, clause := range n.Body.List {
			for _, e := range clause.(*ast.CaseClause).List {
				r.note(e.Pos(), "case", r.compared(n.Tag, e))
			}
		}
	case *ast.IndexExpr:
		if m, isMap := r.underlying(n.X).(*types.Map); isMap && isText(m.Key()) {
			r.note(n.Pos(), "key", r.words(n.X))
		}
	}
	return true
}

// compared returns the words that a text is compared with. Next to a constant,
// such as "", it does not matter what a variable may have. The values of a type
// of its own are codes, and two values of one variable or field are equal or not
// whatever their words are.
func (r *textReader) compared(x, y ast.Expr) []string {
	left, right := r.info.Types[x], r.info.Types[y]
	switch {
	case left.IsNil() || right.IsNil() || isCode(left.Type) || isCode(right.Type):
		return nil
	case left.Value != nil:
		return r.words(x)
	case right.Value != nil:
		return r.words(y)
	}
	of := r.object(x)
	if of != nil && of == r.object(y) {
		return nil
	}
	return append(r.words(x), r.words(y)...)
}

// isCode reports whether a type is one of its own that is made of strings.
func isCode(t types.Type) bool {
	if t == nil {
		return false
	}
	_, hasName := types.Unalias(t).(*types.Named)
	return hasName && isText(t)
}

// firstPattern returns the index of the first argument that a function looks
// for; n, the number of arguments, if it looks for none.
func firstPattern(pkg, function string, n int) int {
	isOfTexts := pkg == "strings" || pkg == "bytes"
	switch {
	case isOfTexts && slices.Contains(subjectFirst, function):
		return 1
	case pkg == "strings" && function == "NewReplacer":
		return 0
	case pkg == "regexp" && slices.Contains(patternFirst, function), pkg == module+"/internal/memo" && function == "Regexp":
		return 0
	}
	return n
}

func (r *textReader) note(at token.Pos, how string, texts []string) {
	for _, s := range texts {
		d := textDecision{r.set.Position(at), how, s}
		if !slices.Contains(r.found, d) {
			r.found = append(r.found, d)
		}
	}
}

// twoWords are two words that follow each other, with a mark between them at
// most. A verb of fmt counts as a word.
var twoWords = regexp.MustCompile(`(?:[A-Za-z]+|%[a-z])[,:;.]? (?:[A-Za-z]+|%[a-z])`)

// oneWord is a word that begins a sentence or a line, as "recorded: " does.
var oneWord = regexp.MustCompile(`(?:^|[\s(])[A-Za-z]{4,}[:,] $`)

// hasWords reports whether a text has at least two words, or ends where a
// sentence goes on.
func hasWords(s string) bool { return twoWords.MatchString(s) || oneWord.MatchString(s) }

// The finder finds each way to decide by words, and nothing else.
func TestDecisionsByTextAreFound(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ code, found string }{
		{`func f(err error) bool { return strings.Contains(err.Error(), "is partial") }`, "is partial"},
		{`func f(err error) string { return strings.TrimPrefix(err.Error(), "promptecho: ") }`, "promptecho: "},
		{`func f(s string) string { return strings.ReplaceAll(s, "failures", "with failures") }`, "with failures"},
		{`const sameEdit = "the same edit"; func f(s string) bool { return s == sameEdit }`, "the same edit"},
		{`const sameEdit = "the same edit"; func f(s string) { switch s { case "changed": case sameEdit: } }`, "the same edit"},
		{`func f(s string) bool { return strings.Contains(s, " tokens in, ") }`, " tokens in, "},
		{`var labels = strings.NewReplacer(": only in the recording\n", ": only in the snapshot\n")`, ": only in the recording\n"},
		{`func f(s, file string) string {
			for _, c := range []string{"promptecho merge ", "git checkout -- "} { s = strings.ReplaceAll(s, c+file, c) }
			return s
		}`, "promptecho merge "},
		{`const differs = "the question differs"
			func f(s string) bool { return strings.HasPrefix(s, differs) }`, "the question differs"},
		{`var kinds = map[byte]string{'[': "a list"}
			func kindOf(s string) string { return kinds[s[0]] }
			func f(s string) bool { return kindOf(s) == "a list" }`, "a list"},
		{`const callsReason = "tool calls"; func f(why []string) bool { return slices.Contains(why, callsReason) }`, "tool calls"},
		{`func f(s string) bool { return slices.Contains([]string{"API key", "token"}, s) }`, "API key"},
		{`func f(kind string) bool { return kind != "AWS session token" }`, "AWS session token"},
		{`const note = "another file"; func f(s string) bool { return !strings.HasPrefix(s, note+", now of ") }`, "another file, now of "},
		{`var remedies = []struct{ says, do string }{{"asked more often", "x"}, {says: "in another order"}}
			func f(s string) bool { for _, r := range remedies { if strings.Contains(s, r.says) { return true } }; return false }`, "in another order"},
		{`var codes = map[string]int{"not recorded": 1}; func f(s string) int { return codes[s] }`, "not recorded"},
		{`var waited = regexp.MustCompile("waits for .* to end")`, "waits for .* to end"},
		{`func f(b []byte) bool { return bytes.HasPrefix(b, []byte("was not sent")) }`, "was not sent"},
		{`func f(s string) bool { want := "was not sent"; return s == "x" || strings.EqualFold(s, want) }`, "was not sent"},
		{`func f(s string) string { a, _, _ := strings.Cut(s, "0 recorded, "); return a }`, "0 recorded, "},

		{`func f(s string) bool { return strings.Contains(s, "/testdata/") || s == "" || strings.HasPrefix(s, "  ") }`, ""},
		{`func f(s string) string { text := "nothing was sent"; if s == text[:0] || text == "" { return s }; return text }`, ""},
		{`type verdict string; const notSent verdict = "not sent"; func f(v verdict) bool { return v == notSent }`, ""},
		{`var errSent = errors.New("nothing was sent"); func f(err error) bool { return errors.Is(err, errSent) || err == errSent }`, ""},
		{`func f(s string) []string { return strings.Split("one two three", s) }`, ""},
		{`type miss struct{ reason string }; var m = miss{"was not sent"}; func f(a, b miss) bool { return a.reason == b.reason }`, ""},
	} {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, "x.go", `package x; import ("bytes"; "errors"; "regexp"; "slices"; "strings"); `+tt.code, parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("%s: %v", tt.code, err)
			continue
		}
		var found []string
		for _, d := range textDecisions(set, "x", []*ast.File{file}, exports(t, set)) {
			found = append(found, d.text)
		}
		isFound := slices.Contains(found, tt.found) || tt.found == "" && found == nil
		if !isFound {
			t.Errorf("%s: found %q, want %q", tt.code, found, tt.found)
		}
	}
}
