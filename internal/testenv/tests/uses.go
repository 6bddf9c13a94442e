package tests

import (
	"go/token"
	"slices"
	"strings"
)

// Uses says what a function does with a testing parameter (t, b or tb), as
// far as its text shows. It is what decides whether a test that is there can
// have opened a cassette with its own name, or with that of a subtest.
type Uses struct {
	// Runs: it starts subtests by t.Run.
	Runs bool

	// Opens: it may open a recorder with the parameter, but starts no
	// subtests by that.
	Opens bool

	// News: it hands the parameter to echotest.New, which opens the cassette with
	// the name of the test. That cassette must exist, unless the function sets a
	// mode without cassettes.
	News bool

	// Unknown: it hands the parameter to code that is not in the test files
	// of the package, or does with it what is not known.
	Unknown bool
}

func (u Uses) or(other Uses) Uses {
	return Uses{
		Runs:    u.Runs || other.Runs,
		Opens:   u.Opens || other.Opens,
		News:    u.News || other.News,
		Unknown: u.Unknown || other.Unknown,
	}
}

// A scope is a function, or a function literal in it, with a testing parameter
// of its own.
type scope struct {
	Uses
	level     int      // 0 for the function, 1 for a literal in it, and so on
	parameter string   // its name; "" if it has none
	helpers   []string // functions of the package that get the parameter
	redefined bool     // the name of the parameter is that of something else, too
	closing   int      // the number of open brackets at which the body ends
}

// harmless are the methods of a testing parameter that neither start a subtest
// nor tell the name of the test.
var harmless = []string{
	"Attr", "Chdir", "Cleanup", "Context", "Deadline", "Error", "Errorf", "Fail", "FailNow",
	"Failed", "Fatal", "Fatalf", "Helper", "Log", "Logf", "Output", "Parallel", "Setenv",
	"Skip", "SkipNow", "Skipf", "Skipped", "TempDir",
	"Loop", "ReportAllocs", "ReportMetric", "ResetTimer", "SetBytes", "StartTimer", "StopTimer",
}

// harmlessPackages only fail the test to whose functions it is handed.
var harmlessPackages = []string{"assert", "require"}

// ourPackages open recorders, and start no subtests.
var ourPackages = []string{"echotest", "echoexec", "echosnap", "promptecho"}

// A word is a token of a test file.
type word struct {
	tok token.Token
	lit string
}

// at returns the word with this index, or an illegal one beyond the end.
func at(words []word, i int) word {
	if i < 0 || i >= len(words) {
		return word{}
	}
	return words[i]
}

// readScopes returns the scopes of a top-level function; words are all of its
// declaration, from func to the last bracket. If the text is not understood,
// one of them is unknown.
func readScopes(words []word) []*scope {
	r := &scopeReader{words: words}
	if !r.read() || r.hasHelperAsValue() {
		r.all = append(r.all, &scope{Uses: Uses{Unknown: true}})
	}
	setsMode := slices.ContainsFunc(words, func(w word) bool {
		return w.lit == "ModeLive" || w.lit == `"PROMPTECHO_MODE"`
	})
	for _, s := range r.all {
		s.News = s.News && !setsMode && !s.redefined
	}
	return r.all
}

// A scopeReader reads one function.
type scopeReader struct {
	words   []word
	all     []*scope
	open    []*scope // those whose bodies are not closed yet, the innermost last
	callees []string // for each open bracket, the function that is called there; "" if none
}

func (r *scopeReader) read() (ok bool) {
	const name = 1 // of the function, behind func
	i, ok := r.enter(name + 1)
	if !ok {
		return false
	}
	for ; i < len(r.words); i++ {
		switch r.words[i].tok {
		case token.FUNC:
			next, ok := r.enter(i + 1)
			if !ok {
				return false
			}
			i = next - 1 // what comes next is the bracket of the body, or behind a type
		case token.LPAREN, token.LBRACE, token.LBRACK:
			r.callees = append(r.callees, r.calleeAt(i))
		case token.RPAREN, token.RBRACE, token.RBRACK:
			r.leave()
		case token.IDENT:
			r.use(i)
		}
	}
	return true
}

// hasHelperAsValue reports whether the name of a function that gets a testing
// parameter stands anywhere else than in a call: it may be that of a variable.
func (r *scopeReader) hasHelperAsValue() bool {
	for i, w := range r.words {
		isName := w.tok == token.IDENT && at(r.words, i-1).tok != token.PERIOD
		if !isName || at(r.words, i+1).tok == token.LPAREN {
			continue
		}
		for _, s := range r.all {
			if slices.Contains(s.helpers, w.lit) {
				return true
			}
		}
	}
	return false
}

// enter reads the parameters and results of a function that begin at i. If the
// function has a body and a testing parameter, its scope is open then. It
// returns where the body begins, or where a function type ends. A result that
// has brackets of its own is not understood.
func (r *scopeReader) enter(i int) (next int, ok bool) {
	if at(r.words, i).tok == token.LBRACK { // type parameters
		i = r.behind(i)
	}
	if at(r.words, i).tok != token.LPAREN {
		return 0, false
	}
	end := r.behind(i)
	parameter := testingParameter(r.words[i:min(end, len(r.words))])
	if at(r.words, end).tok == token.LPAREN { // several results
		end = r.behind(end)
	}
	for ; end < len(r.words); end++ {
		switch r.words[end].tok {
		case token.LBRACE:
			r.push(parameter)
			return end, true
		case token.STRUCT, token.INTERFACE, token.FUNC:
			return 0, false
		case token.COMMA, token.SEMICOLON, token.ASSIGN, token.COLON,
			token.RPAREN, token.RBRACE, token.RBRACK:
			return end, true // a type
		case token.LBRACK, token.LPAREN:
			end = r.behind(end) - 1
		}
	}
	return end, true
}

// push opens the scope of a function whose body begins next. The function
// itself has a scope also without a parameter.
func (r *scopeReader) push(parameter string) {
	if parameter == "" && len(r.all) > 0 {
		return
	}
	s := &scope{level: len(r.open), parameter: parameter, closing: len(r.callees)}
	r.all = append(r.all, s)
	r.open = append(r.open, s)
}

// leave closes a bracket, and the scope whose body it ends.
func (r *scopeReader) leave() {
	if len(r.callees) == 0 {
		return
	}
	r.callees = r.callees[:len(r.callees)-1]
	innermost := len(r.open) - 1
	if innermost >= 0 && r.open[innermost].closing == len(r.callees) && len(r.callees) > 0 {
		r.open = r.open[:innermost]
	}
}

// behind returns the index behind the bracket that closes the one at i.
func (r *scopeReader) behind(i int) int {
	depth := 0
	for ; i < len(r.words); i++ {
		switch r.words[i].tok {
		case token.LPAREN, token.LBRACE, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACE, token.RBRACK:
			depth--
		}
		if depth == 0 {
			return i + 1
		}
	}
	return i
}

// calleeAt returns the function that is called at the bracket at i, as
// "package.Name" or "name"; "" if the bracket is none of a plain call.
func (r *scopeReader) calleeAt(i int) string {
	if r.words[i].tok != token.LPAREN || at(r.words, i-1).tok != token.IDENT {
		return ""
	}
	name := r.words[i-1].lit
	if at(r.words, i-2).tok != token.PERIOD {
		return name
	}
	isQualified := at(r.words, i-3).tok == token.IDENT && at(r.words, i-4).tok != token.PERIOD
	if !isQualified {
		return ""
	}
	return r.words[i-3].lit + "." + name
}

// use notes what the identifier at i does with the parameter of a scope, if it
// is one.
func (r *scopeReader) use(i int) {
	isField := at(r.words, i-1).tok == token.PERIOD
	s := r.scopeOf(r.words[i].lit)
	if isField || s == nil {
		return
	}

	before, after := at(r.words, i-1).tok, at(r.words, i+1).tok
	isCallOfMethod := after == token.PERIOD && at(r.words, i+3).tok == token.LPAREN
	isArgument := (before == token.LPAREN || before == token.COMMA) &&
		(after == token.COMMA || after == token.RPAREN)
	switch {
	case isCallOfMethod && at(r.words, i+2).lit == "Run":
		s.Runs = true
	case isCallOfMethod && slices.Contains(harmless, at(r.words, i+2).lit):
	case isArgument && len(r.callees) > 0:
		s.handTo(r.callees[len(r.callees)-1])
	default:
		s.Unknown = true
		isAssigned := after == token.DEFINE || after == token.ASSIGN || after == token.COMMA
		s.redefined = s.redefined || isAssigned
	}
}

// handTo notes that a function gets the parameter.
func (s *scope) handTo(callee string) {
	pkg, _, isQualified := strings.Cut(callee, ".")
	switch {
	case callee == "":
		s.Unknown = true
	case !isQualified:
		s.helpers = append(s.helpers, callee)
	case slices.Contains(ourPackages, pkg):
		s.Opens = true
		s.News = s.News || callee == "echotest.New"
	case !slices.Contains(harmlessPackages, pkg):
		s.Unknown = true
	}
}

// scopeOf returns the innermost open scope whose parameter has this name.
func (r *scopeReader) scopeOf(name string) *scope {
	for _, s := range slices.Backward(r.open) {
		if s.parameter == name {
			return s
		}
	}
	return nil
}

// testingParameter returns the name of the parameter of type *testing.T,
// *testing.B, *testing.F or testing.TB; "" if there is none.
func testingParameter(parameters []word) string {
	for i, w := range parameters {
		isType := w.tok == token.IDENT && w.lit == "testing" && at(parameters, i+1).tok == token.PERIOD
		if !isType {
			continue
		}
		name := at(parameters, i-1)
		if name.tok == token.MUL {
			name = at(parameters, i-2)
		}
		if name.tok == token.IDENT && name.lit != "_" {
			return name.lit
		}
	}
	return ""
}
