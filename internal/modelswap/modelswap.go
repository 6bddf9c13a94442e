// Package modelswap says which models take the place of others in a run of promptecho compare
// -model: the command writes that into the environment of go test, and the recorders read it.
package modelswap

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/promptecho/promptecho/internal/memo"
)

// The environment variables. docs/COMPARE.md has them for users.
const (
	ModelVariable    = "PROMPTECHO_MODEL"        // NEW, or OLD=NEW, separated by commas
	ProviderVariable = "PROMPTECHO_PROVIDER"     // the base URL of another provider
	KeyVariable      = "PROMPTECHO_PROVIDER_KEY" // the name of the variable that has its key
	RepeatVariable   = "PROMPTECHO_REPEAT"       // how often each call is asked
)

// Variables are the names of all variables.
var Variables = []string{ModelVariable, ProviderVariable, KeyVariable, RepeatVariable}

// MaxRepeat is how often a call is asked at most. A request costs money, and the share of equal
// answers says no more after so many.
const MaxRepeat = 100

// A Swap says which models take the place of others. A nil Swap changes nothing.
type Swap struct {
	Models []Replacement
	Base   *url.URL // of another provider with the same API; nil for that of the request
	Key    string   // the name of the variable with the key of that provider; "" for no key
	Repeat int      // how often each call is asked; at least 1
}

// A Replacement is a model, and the one that takes its place.
type Replacement struct {
	Old string // "" for the models of all chats that no other replacement names
	New string
}

// New returns a swap. Each of models is a model, or OLD=NEW; base is the address of a provider,
// or "".
func New(models []string, base, key string, repeat int) (*Swap, error) {
	s := &Swap{Key: key, Repeat: repeat}
	for _, text := range models {
		r, err := parseReplacement(text)
		if err != nil {
			return nil, err
		}
		isSame := func(other Replacement) bool { return other.Old == r.Old }
		if slices.ContainsFunc(s.Models, isSame) {
			return nil, fmt.Errorf("%s: another model is named for the same calls already", text)
		}
		s.Models = append(s.Models, r)
	}
	if base != "" {
		u, err := parseBase(base)
		if err != nil {
			return nil, err
		}
		s.Base = u
	}
	switch {
	case len(s.Models) == 0 && s.Base == nil:
		return nil, errors.New("no other model and no other provider is named")
	case key != "" && s.Base == nil:
		return nil, errors.New("the key is for another provider: give the address of the provider, too")
	case key != "" && !variableName().MatchString(key):
		return nil, errors.New("the key needs the name of an environment variable, such as " +
			"GROQ_API_KEY (another text is not shown, since it may be a secret)")
	case key != "" && os.Getenv(key) == "":
		return nil, fmt.Errorf("the environment variable %s is empty: set it to the key of the provider", key)
	case repeat < 1 || repeat > MaxRepeat:
		return nil, fmt.Errorf("%d times: ask each call from 1 to %d times", repeat, MaxRepeat)
	}
	return s, nil
}

var variableName = memo.Regexp(`^[A-Za-z_][A-Za-z0-9_]*$`)

// parseReplacement reads "NEW" or "OLD=NEW".
func parseReplacement(text string) (Replacement, error) {
	old, name, hasOld := strings.Cut(text, "=")
	if !hasOld {
		old, name = "", text
	}
	isBad := func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune(",=", r)
	}
	isEmpty := name == "" || hasOld && old == ""
	if isEmpty || strings.ContainsFunc(old+name, isBad) {
		return Replacement{}, fmt.Errorf("%q is not a model: write NEW or OLD=NEW, as requests name them", text)
	}
	return Replacement{Old: old, New: name}, nil
}

// parseBase reads the base URL of a provider. Errors do not show the text, which may have a key.
func parseBase(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	hasServer := err == nil && u.Host != "" && slices.Contains([]string{"http", "https"}, u.Scheme)
	if !hasServer {
		return nil, errors.New("the provider needs an address, such as https://api.groq.com/openai/v1")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the address of the provider has more than a host and a path: name the " +
			"variable that has the key, and write no key into the address")
	}
	return u, nil
}

// FromEnvironment returns the swap that the variables ask for. It is nil if they name neither a model nor
// a provider; the other two variables alone ask for nothing.
func FromEnvironment() (*Swap, error) {
	model := os.Getenv(ModelVariable)
	base := os.Getenv(ProviderVariable)
	if model == "" && base == "" {
		return nil, nil
	}
	repeat := 1
	if text := os.Getenv(RepeatVariable); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, fmt.Errorf("%s=%q: give a number from 1 to %d", RepeatVariable, text, MaxRepeat)
		}
		repeat = n
	}
	var models []string
	if model != "" {
		models = strings.Split(model, ",")
	}
	s, err := New(models, base, os.Getenv(KeyVariable), repeat)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(Set(), ", "), err)
	}
	return s, nil
}

// Set returns the names of the variables that are set.
func Set() (names []string) {
	for _, name := range Variables {
		if os.Getenv(name) != "" {
			names = append(names, name)
		}
	}
	return names
}

// Environment returns the variables for the swap, as NAME=VALUE. Those without a value are
// empty, so that variables of the user's shell do not count.
func (s *Swap) Environment() []string {
	var models []string
	for _, r := range s.Models {
		if r.Old == "" {
			models = append(models, r.New)
		} else {
			models = append(models, r.Old+"="+r.New)
		}
	}
	base := ""
	if s.Base != nil {
		base = s.Base.String()
	}
	return []string{
		ModelVariable + "=" + strings.Join(models, ","),
		ProviderVariable + "=" + base,
		KeyVariable + "=" + s.Key,
		RepeatVariable + "=" + strconv.Itoa(s.Repeat),
	}
}

// For returns the model to ask in place of a recorded one. isAsked is false if the call is not to be asked
// again: only the calls of chats are, and those whose model a replacement names. If the swap has a provider
// and no model, the model stays the same. With "a=X, NEW", model a is replaced by X, and those of all other
// chats by NEW:
//
//	replacements    a chat of a    a chat of b    an embedding of c
//	NEW             NEW            NEW            not asked
//	a=NEW           NEW            not asked      not asked
//	a=X, NEW        X              NEW            not asked
//	c=NEW           not asked      not asked      NEW
//	none            a              b              not asked
func (s *Swap) For(model string, isChat bool) (other string, isAsked bool) {
	if s == nil {
		return "", false
	}
	for _, r := range s.Models {
		if r.Old == model && model != "" {
			return r.New, true
		}
		if r.Old == "" && isChat {
			other, isAsked = r.New, true
		}
	}
	if len(s.Models) == 0 && isChat {
		return model, true
	}
	return other, isAsked
}

// Names describes the destination in a few words: "gpt-5.4", "gpt-5.4 at api.groq.com".
func (s *Swap) Names() string {
	var names []string
	for _, r := range s.Models {
		if r.Old == "" {
			names = append(names, r.New)
		} else {
			names = append(names, r.New+" for "+r.Old)
		}
	}
	text := strings.Join(names, ", ")
	if s.Base == nil {
		return text
	}
	if text == "" {
		return s.Base.Host
	}
	return text + " at " + s.Base.Host
}
