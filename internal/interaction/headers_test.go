package interaction

import (
	"reflect"
	"testing"
)

func TestHeaders(t *testing.T) {
	t.Parallel()
	m := map[string][]string{
		"X-Two":        {"c", "d"},
		"x-two":        {"a"},
		"Content-Type": {"text/plain"},
		"X-Never-Came": nil,
		"ETag":         {""},
	}
	h := HeadersOf(m)
	want := Headers{{"content-type", []string{"text/plain"}}, {"etag", []string{""}}, {"x-two", []string{"c", "d", "a"}}}
	if !reflect.DeepEqual(h, want) {
		t.Errorf("%q, want %q", h, want)
	}
	if h.Get("x-two") != "c" || h.Get("x-three") != "" {
		t.Errorf("Get gives %q and %q", h.Get("x-two"), h.Get("x-three"))
	}
	back := h.Map()
	wantMap := map[string][]string{"Content-Type": {"text/plain"}, "Etag": {""}, "X-Two": {"c", "d", "a"}}
	if !reflect.DeepEqual(back, wantMap) {
		t.Errorf("%q, want %q", back, wantMap)
	}
	back["X-Two"][0] = "changed"
	m["X-Two"][0] = "changed"
	if h.Get("x-two") != "c" {
		t.Error("headers share their values with a map")
	}
}
