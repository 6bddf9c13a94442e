// Package memo remembers what was computed of short strings that come again and
// again, such as names of headers.
package memo

import (
	"regexp"
	"strings"
	"sync"
)

// Regexp returns a function that compiles an expression when it is called first: not every
// program that links a package pays for it.
func Regexp(expr string) func() *regexp.Regexp {
	return (&lazyRegexp{expr: expr}).get
}

// A lazyRegexp is an expression that is compiled on first use. Its method is in a program
// once; a closure would be there once for each expression.
type lazyRegexp struct {
	expr string

	once     sync.Once
	compiled *regexp.Regexp
}

func (r *lazyRegexp) get() *regexp.Regexp {
	r.once.Do(func() { r.compiled = regexp.MustCompile(r.expr) })
	return r.compiled
}

// A Strings remembers up to 1,000 results of a function of strings of up to 256
// bytes; it computes what it does not remember. It may be used concurrently.
type Strings[V any] struct {
	Func func(string) V

	mu sync.RWMutex
	m  map[string]V
}

const (
	maxEntries = 1000
	maxKeyLen  = 256
)

// Get returns Func(s).
func (m *Strings[V]) Get(s string) V {
	m.mu.RLock()
	v, ok := m.m[s]
	m.mu.RUnlock()
	if ok {
		return v
	}
	v = m.Func(s)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.m == nil {
		m.m = map[string]V{}
	}
	if len(s) <= maxKeyLen && len(m.m) < maxEntries {
		m.m[strings.Clone(s)] = v // s may be part of a large text
	}
	return v
}
