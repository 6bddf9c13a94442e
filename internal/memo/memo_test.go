package memo

import (
	"strconv"
	"strings"
	"sync"
	"testing"
)

func TestStrings(t *testing.T) {
	var mu sync.Mutex
	calls := map[string]int{}
	m := Strings[string]{Func: func(s string) string {
		mu.Lock()
		defer mu.Unlock()
		calls[s]++
		return strings.ToLower(s)
	}}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 3 * maxEntries {
				s := "Name-" + strconv.Itoa(i)
				if got := m.Get(s); got != "name-"+strconv.Itoa(i) {
					t.Errorf("Get(%q) = %q", s, got)
				}
			}
		})
	}
	all.Wait()
	if len(m.m) != maxEntries {
		t.Errorf("%d results are remembered, want %d", len(m.m), maxEntries)
	}
	once := func(s string, want int) {
		t.Helper()
		before := calls[s]
		m.Get(s)
		if got := calls[s] - before; got != want {
			t.Errorf("a result that was asked for before was computed %d times, want %d", got, want)
		}
	}
	for s := range m.m {
		once(s, 0)
		break
	}
	once(strings.Repeat("x", maxKeyLen+1), 1) // too long
	once(strings.Repeat("x", maxKeyLen+1), 1)
}
