package group

import (
	"reflect"
	"slices"
	"testing"
)

func TestEach(t *testing.T) {
	t.Parallel()
	length := func(s string) int { return len(s) }
	if got := Each([]string{"plum", "", "fig"}, length); !reflect.DeepEqual(got, []int{4, 0, 3}) {
		t.Errorf("Each = %v", got)
	}
	if got := Each(nil, length); got != nil {
		t.Errorf("Each of none = %#v, want nil", got)
	}
}

func TestWith(t *testing.T) {
	t.Parallel()
	if got := With(With(With(nil, "a"), "b"), "a"); !reflect.DeepEqual(got, []string{"a", "b"}) {
		t.Errorf("With = %q", got)
	}
}

func TestApply(t *testing.T) {
	t.Parallel()
	type option func(*string)
	add := func(s string) option { return func(to *string) { *to += s } }
	got := ""
	if Apply([]option{add("a"), nil, add("b")}, &got); got != "ab" {
		t.Errorf("Apply = %q", got)
	}
}

func TestBy(t *testing.T) {
	t.Parallel()
	firstByte := func(s string) (byte, bool) {
		if s == "" {
			return 0, false
		}
		return s[0], true
	}
	for _, tt := range []struct {
		list []string
		want [][]string
	}{
		{nil, nil},
		{[]string{"", ""}, nil},
		{[]string{"plum", "pear"}, [][]string{{"plum", "pear"}}},
		{[]string{"plum", "", "apple", "pear", "fig", "apple"}, [][]string{{"plum", "pear"}, {"apple", "apple"}, {"fig"}}},
	} {
		if got := By(tt.list, firstByte); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("By(%q) = %q, want %q", tt.list, got, tt.want)
		}
	}
}

func TestSortKeepsTheOrderOfEqualElements(t *testing.T) {
	t.Parallel()
	type element struct {
		key  int
		name string
	}
	list := []element{{2, "a"}, {1, "b"}, {2, "c"}, {1, "d"}, {0, "e"}}
	Sort(list, func(a, b element) int { return a.key - b.key })
	want := []element{{0, "e"}, {1, "b"}, {1, "d"}, {2, "a"}, {2, "c"}}
	if !slices.Equal(list, want) {
		t.Errorf("Sort = %v, want %v", list, want)
	}
}
