package exactjson

import "strings"

// Kind is the kind of a JSON value.
type Kind uint8

// The kinds of JSON values.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// MaxDepth is the greatest depth of nested arrays and objects.
const MaxDepth = 1000

// A Scanner finds the tokens of JSON text (RFC 8259). It does not check the content of strings,
// which may have invalid escapes and invalid UTF-8.
//
//	for s := exactjson.Scan(text); s.Next(); {
//		if s.Token == exactjson.Scalar && s.Kind == exactjson.String {
//			fmt.Println(s.Path, text[s.Start+1:s.End-1])
//		}
//	}
type Scanner struct {
	Token      Token
	Kind       Kind // of the value; that of a name is String
	Start, End int  // the offsets of the token, with its quotes

	// Path has an entry for each open array and object: "" for an array, and for an object the
	// name of the current member, as it is written between the quotes. It is valid until Next
	// is called.
	Path []string

	text       string
	pos        int
	openKinds  []Kind // the open arrays and objects at pos
	hasEscapes bool   // the string found has escapes, or characters that must be escaped
	differs    bool   // the string is not written as EscapeText writes it
	fault      fault  // the error that ended the scan
	want       string // for the fault unexpected, the token that is missing at pos
}

// Token is a kind of token.
type Token uint8

// The tokens. Colons and commas are not tokens.
const (
	Scalar Token = iota // a null, bool, number or string
	Open                // the opening bracket of an array or object
	Close               // its closing bracket
	Name                // the name of a member
)

// Scan returns a Scanner of text, which has any number of JSON values, one after the other.
func Scan(text string) Scanner { return Scanner{text: text} }

// Reset makes a Scanner scan another text.
func (s *Scanner) Reset(text string) {
	*s = Scanner{Path: s.Path[:0], text: text, openKinds: s.openKinds[:0]}
}

// Next finds the next token. It returns false at the end of the text, and at a syntax error.
// After that, no more tokens are found.
func (s *Scanner) Next() bool {
	c := s.peek()
	if s.Token == Name {
		if c != ':' {
			return s.fail(`":"`)
		}
		s.pos++
		return s.scanValue(s.peek())
	}
	if len(s.openKinds) == 0 {
		return s.scanValue(c)
	}
	last := len(s.openKinds) - 1
	innermost := s.openKinds[last]
	end := "]}"[innermost-Array]
	if c == end {
		s.openKinds = s.openKinds[:last]
		s.Path = s.Path[:last]
		return s.found(Close, innermost, s.pos+1)
	}
	if s.Token != Open { // the previous token ends an element
		if c != ',' {
			return s.fail(`"," or "` + string(end) + `"`)
		}
		s.pos++
		c = s.peek()
	}
	if innermost == Array {
		return s.scanValue(c)
	}
	if c != '"' {
		return s.fail("a member name")
	}
	found := s.scanString(Name)
	if found {
		s.Path[len(s.Path)-1] = s.text[s.Start+1 : s.End-1]
	}
	return found
}

// peek skips white space and returns the byte after it, or 0 at the end of the text.
func (s *Scanner) peek() byte {
	for s.pos < len(s.text) {
		if c := s.text[s.pos]; !IsSpace(c) {
			return c
		}
		s.pos++
	}
	return 0
}

// IsSpace reports whether c is white space in JSON.
func IsSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r'
}

// A fault is the kind of error that ends a scan.
type fault uint8

const (
	noFault    fault = iota
	unexpected       // the wanted token is not at pos
	tooDeep          // the array or object at pos is nested too deeply
	unended          // the string at pos has no end
)

// fail ends the scan, because the wanted token is not at pos.
func (s *Scanner) fail(want string) bool {
	s.want = want
	return s.stop(unexpected)
}

// stop ends the scan at pos.
func (s *Scanner) stop(f fault) bool {
	s.fault = f
	s.text = s.text[:s.pos]
	return false
}

// found sets the token that was found, which is the text from pos to end.
func (s *Scanner) found(t Token, k Kind, end int) bool {
	s.Token = t
	s.Kind = k
	s.Start = s.pos
	s.End = end
	s.pos = end
	return true
}

// scanValue finds the first token of the value at pos, which starts with c.
func (s *Scanner) scanValue(c byte) bool {
	switch c {
	case '{':
		return s.scanOpen(Object)
	case '[':
		return s.scanOpen(Array)
	case '"':
		return s.scanString(Scalar)
	case 'n':
		return s.scanWord("null", Null)
	case 't':
		return s.scanWord("true", Bool)
	case 'f':
		return s.scanWord("false", Bool)
	}
	end, ok := ScanNumber(s.text, s.pos)
	if !ok {
		s.pos = end
		return s.fail("a value")
	}
	return s.found(Scalar, Number, end)
}

// scanWord finds null, true or false.
func (s *Scanner) scanWord(w string, k Kind) bool {
	if !strings.HasPrefix(s.text[s.pos:], w) {
		return s.fail("a value")
	}
	return s.found(Scalar, k, s.pos+len(w))
}

// scanOpen finds the opening bracket at pos.
func (s *Scanner) scanOpen(k Kind) bool {
	if len(s.openKinds) == MaxDepth {
		return s.stop(tooDeep)
	}
	s.openKinds = append(s.openKinds, k)
	s.Path = append(s.Path, "")
	return s.found(Open, k, s.pos+1)
}

// scanString finds the string whose opening quote is at pos.
func (s *Scanner) scanString(t Token) bool {
	s.hasEscapes, s.differs = false, false
	for i := s.pos + 1; ; i++ {
		i += plain(s.text[i:])
		switch {
		case i >= len(s.text):
			return s.stop(unended)
		case s.text[i] == '"':
			return s.found(t, String, i+1)
		case s.text[i] == '\\' && i+1 < len(s.text):
			i++
			s.differs = s.differs || strings.IndexByte(letters[:oneLineLetters], s.text[i]) < 0
		default:
			s.differs = true
		}
		s.hasEscapes = true
	}
}

// ScanNumber returns the end of the JSON number that starts at s[i], or the
// offset of the syntax error in it.
func ScanNumber(s string, i int) (end int, ok bool) {
	skip := func(bytes string) bool {
		found := i < len(s) && strings.IndexByte(bytes, s[i]) >= 0
		if found {
			i++
		}
		return found
	}
	skipDigits := func() bool {
		start := i
		for i < len(s) && '0' <= s[i] && s[i] <= '9' {
			i++
		}
		return i > start
	}
	skip("-")
	if !skip("0") && !skipDigits() {
		return i, false
	}
	if skip(".") && !skipDigits() {
		return i, false
	}
	if skip("eE") {
		skip("+-")
		ok = skipDigits()
		return i, ok
	}
	return i, true
}
