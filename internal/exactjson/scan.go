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

// MaxDepth is how deep arrays and objects may nest.
const MaxDepth = 1000

// A Scanner finds the tokens of JSON text (RFC 8259). It does not look at what stands in
// strings: that may be anything, also escapes that are none and invalid UTF-8.
//
//	for s := exactjson.Scan(text); s.Next(); {
//		if s.Token == exactjson.Scalar && s.Kind == exactjson.String {
//			fmt.Println(s.Path, text[s.Start+1:s.End-1])
//		}
//	}
type Scanner struct {
	Token      Token
	Kind       Kind // of the value; that of a name is String
	Start, End int  // where the token stands, with its quotes or as a bracket

	// Path has the name of the member that the token is in for each object that is open,
	// as it is written between the quotes, and "" for each array. It is valid until Next
	// is called.
	Path []string

	text    string
	pos     int
	in      []Kind // the arrays and objects that pos is in
	escapes bool   // the string that was found has some, or what must be
	unlike  bool   // it has something that EscapeText does not write
	fault   fault  // why the scan ended, where it is not JSON
	want    string // what was wanted at pos, if something else is there
}

// Token is what a Scanner found.
type Token uint8

// The tokens. Colons and commas are none.
const (
	Scalar Token = iota // a null, bool, number or string
	Open                // the opening bracket of an array or object
	Close               // its closing bracket
	Name                // the name of a member
)

// Scan returns a Scanner of text, which holds one JSON value or several, one behind the
// other.
func Scan(text string) Scanner { return Scanner{text: text} }

// Reset makes a Scanner one of another text.
func (s *Scanner) Reset(text string) {
	*s = Scanner{Path: s.Path[:0], text: text, in: s.in[:0]}
}

// Next finds the next token. It returns false at the end of the text, and where it can
// be no JSON; then nothing more is found.
func (s *Scanner) Next() bool {
	c := s.peek()
	if s.Token == Name {
		if c != ':' {
			return s.fail(`":"`)
		}
		s.pos++
		return s.value(s.peek())
	}
	if len(s.in) == 0 {
		return s.value(c)
	}
	in := s.in[len(s.in)-1]
	end := "]}"[in-Array]
	if c == end {
		last := len(s.in) - 1
		s.in, s.Path = s.in[:last], s.Path[:last]
		return s.found(Close, in, s.pos+1)
	}
	if s.Token != Open { // it was an element
		if c != ',' {
			return s.fail(`"," or "` + string(end) + `"`)
		}
		s.pos++
		c = s.peek()
	}
	if in == Array {
		return s.value(c)
	}
	if c != '"' {
		return s.fail("a member name")
	}
	found := s.str(Name)
	if found {
		s.Path[len(s.Path)-1] = s.text[s.Start+1 : s.End-1]
	}
	return found
}

// peek passes white space and returns the byte behind it, 0 at the end of the text.
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
	unexpected       // something else is at pos than what is wanted
	tooDeep          // the value there would nest too deep
	unended          // the string there has no end
)

// fail ends the scan: what is wanted is not at pos.
func (s *Scanner) fail(want string) bool {
	s.want = want
	return s.end(unexpected)
}

// end ends the scan at pos.
func (s *Scanner) end(f fault) bool {
	s.fault = f
	s.text = s.text[:s.pos]
	return false
}

// found says that the token reaches from pos to end.
func (s *Scanner) found(t Token, k Kind, end int) bool {
	s.Token, s.Kind, s.Start, s.End = t, k, s.pos, end
	s.pos = end
	return true
}

func (s *Scanner) value(c byte) bool {
	switch c {
	case '{':
		return s.open(Object)
	case '[':
		return s.open(Array)
	case '"':
		return s.str(Scalar)
	case 'n':
		return s.word("null", Null)
	case 't':
		return s.word("true", Bool)
	case 'f':
		return s.word("false", Bool)
	}
	end, ok := ScanNumber(s.text, s.pos)
	if !ok {
		s.pos = end
		return s.fail("a value")
	}
	return s.found(Scalar, Number, end)
}

func (s *Scanner) word(w string, k Kind) bool {
	if !strings.HasPrefix(s.text[s.pos:], w) {
		return s.fail("a value")
	}
	return s.found(Scalar, k, s.pos+len(w))
}

func (s *Scanner) open(k Kind) bool {
	if len(s.in) == MaxDepth {
		return s.end(tooDeep)
	}
	s.in, s.Path = append(s.in, k), append(s.Path, "")
	return s.found(Open, k, s.pos+1)
}

// str finds the string whose opening quote is at pos.
func (s *Scanner) str(t Token) bool {
	s.escapes, s.unlike = false, false
	for i := s.pos + 1; ; i++ {
		i += plain(s.text[i:])
		switch {
		case i >= len(s.text):
			return s.end(unended)
		case s.text[i] == '"':
			return s.found(t, String, i+1)
		case s.text[i] == '\\' && i+1 < len(s.text):
			i++
			s.unlike = s.unlike || strings.IndexByte(letters[:always], s.text[i]) < 0
		default:
			s.unlike = true
		}
		s.escapes = true
	}
}

// ScanNumber returns the end of the JSON number that starts at s[i], or the
// offset at which it stops being one.
func ScanNumber(s string, i int) (end int, ok bool) {
	skip := func(any string) bool {
		there := i < len(s) && strings.IndexByte(any, s[i]) >= 0
		if there {
			i++
		}
		return there
	}
	digits := func() bool {
		start := i
		for i < len(s) && '0' <= s[i] && s[i] <= '9' {
			i++
		}
		return i > start
	}
	skip("-")
	if !skip("0") && !digits() {
		return i, false
	}
	if skip(".") && !digits() {
		return i, false
	}
	if skip("eE") {
		skip("+-")
		ok = digits()
		return i, ok
	}
	return i, true
}
