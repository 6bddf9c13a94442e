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

	text string
	pos  int
	ends []byte // the closing brackets of the arrays and objects that pos is in
	now  state
	want string // what was wanted at pos, where it is not JSON
	form form   // of the string
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

// state is what may come next.
type state uint8

const (
	atValue  state = iota
	atOpened       // behind an opening bracket
	atNamed        // behind a name
	atEnd          // behind a value within an array or object
)

// form is how the text of a string is written.
type form uint8

const (
	withEscapes form = 1 << iota // those that AppendEscaped writes
	unlike                       // it has something that AppendEscaped does not write
)

// Scan returns a Scanner of text, which holds one JSON value or several, one behind the
// other.
func Scan(text string) Scanner { return Scanner{text: text} }

// Next finds the next token. It returns false at the end of the text, and where it can
// be no JSON; then nothing more is found.
func (s *Scanner) Next() bool {
	c := s.peek()
	end := byte(0)
	if n := len(s.ends); n > 0 {
		end = s.ends[n-1]
	}
	switch {
	case (s.now == atOpened || s.now == atEnd) && c == end:
		return s.close()
	case s.now == atNamed:
		if c != ':' {
			return s.fail(`":"`)
		}
		s.pos++
		return s.value(s.peek())
	case s.now == atEnd:
		if c != ',' {
			return s.fail(`"," or "` + string(rune(end)) + `"`)
		}
		s.pos++
		c = s.peek()
	}
	if end == '}' {
		return s.name(c)
	}
	return s.value(c)
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

// What is wanted where something else is wrong than what is found there.
const (
	tooDeep = "less nesting"
	unended = "the end of a string"
)

// fail ends the scan: what is wanted is not at pos.
func (s *Scanner) fail(want string) bool {
	s.want = want
	s.text = s.text[:s.pos]
	return false
}

// found is the token from pos to end, after which now is the state.
func (s *Scanner) found(t Token, k Kind, end int, now state) bool {
	s.Token, s.Kind, s.Start, s.End = t, k, s.pos, end
	s.pos, s.now = end, now
	return true
}

// behind is the state behind a value.
func (s *Scanner) behind() state {
	if len(s.ends) == 0 {
		return atValue
	}
	return atEnd
}

func (s *Scanner) value(c byte) bool {
	switch c {
	case '{':
		return s.open(Object, '}')
	case '[':
		return s.open(Array, ']')
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
	return s.found(Scalar, Number, end, s.behind())
}

func (s *Scanner) word(w string, k Kind) bool {
	if !strings.HasPrefix(s.text[s.pos:], w) {
		return s.fail("a value")
	}
	return s.found(Scalar, k, s.pos+len(w), s.behind())
}

func (s *Scanner) open(k Kind, end byte) bool {
	if len(s.ends) == MaxDepth {
		return s.fail(tooDeep)
	}
	s.found(Open, k, s.pos+1, atOpened)
	s.ends, s.Path = append(s.ends, end), append(s.Path, "")
	return true
}

func (s *Scanner) close() bool {
	k := Array
	if s.text[s.pos] == '}' {
		k = Object
	}
	last := len(s.ends) - 1
	s.ends, s.Path = s.ends[:last], s.Path[:last]
	return s.found(Close, k, s.pos+1, s.behind())
}

func (s *Scanner) name(c byte) bool {
	if c != '"' {
		return s.fail("a member name")
	}
	if !s.str(Name) {
		return false
	}
	s.now = atNamed
	s.Path[len(s.Path)-1] = s.text[s.Start+1 : s.End-1]
	return true
}

// str finds the string whose opening quote is at pos.
func (s *Scanner) str(t Token) bool {
	s.form = 0
	for i := s.pos + 1; ; i++ {
		i += plain(s.text[i:])
		switch {
		case i >= len(s.text):
			return s.fail(unended)
		case s.text[i] == '"':
			return s.found(t, String, i+1, s.behind())
		case s.text[i] != '\\':
			s.form |= unlike
		case i+1 < len(s.text):
			i++
			if strings.IndexByte(letters[:always], s.text[i]) >= 0 {
				s.form |= withEscapes
			} else {
				s.form |= unlike
			}
		}
	}
}

// ScanNumber returns the end of the JSON number that starts at s[i], or the
// offset at which it stops being one.
func ScanNumber(s string, i int) (end int, ok bool) {
	at := func(i int) byte {
		if i < len(s) {
			return s[i]
		}
		return 0
	}
	digits := func(i int) int {
		for at(i) >= '0' && at(i) <= '9' {
			i++
		}
		return i
	}
	if at(i) == '-' {
		i++
	}
	j := digits(i)
	if j == i {
		return i, false
	}
	if at(i) == '0' {
		j = i + 1
	}
	if at(j) == '.' {
		k := digits(j + 1)
		if k == j+1 {
			return k, false
		}
		j = k
	}
	if at(j) == 'e' || at(j) == 'E' {
		j++
		if at(j) == '+' || at(j) == '-' {
			j++
		}
		k := digits(j)
		if k == j {
			return k, false
		}
		j = k
	}
	return j, true
}
