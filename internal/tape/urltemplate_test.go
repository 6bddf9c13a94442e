package tape

import "testing"

// A placeholder in a recorded URL stands for any text there, and the rest of the
// URL has to be equal.
func TestPlaceholdersOfAURLAreFilled(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ recorded, incoming, want string }{
		{"https://<BASE>/x", "http://127.0.0.1:1/v1/x", "https://<BASE>/x"},
		{"https://<BASE>/x", "http://127.0.0.1:1/x?a=b", "https://<BASE>/x?a=b"},
		{"https://<BASE>/x", "https://h.example/xx", ""},
		{"https://a.<REGION>.b/x", "https://A.r-1.b/x", "https://a.<REGION>.b/x"},
		{"https://a.<REGION>.b/x", "https://a/.b/x", ""},
		{"https://a.b/<ID>/x", "https://a.b/1/x", "https://a.b/<ID>/x"},
		{"https://a.b/<ID>/x", "https://a.b/1/2/x", ""},
		{"https://a.b/<ID>/x", "https://axb/1/x", ""},
		{"https://a.b/x?k=[REDACTED]&v=1", "https://c.d/x?v=2&k=3", "https://c.d/x?v=2&k=[REDACTED]"},
		{"https://a.b/x?k=%5BREDACTED%5D", "https://a.b/x?k=3", "https://a.b/x?k=%5BREDACTED%5D"},
		{"https://a.b/x?k=[REDACTED]", "https://a.b/x", ""},
	} {
		tmpl := newURLTemplate(tt.recorded)
		got, ok := tmpl.fill(tt.incoming)
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("%s filled from %s is %q, want %q", tt.recorded, tt.incoming, got, tt.want)
		}
	}
	if tmpl := newURLTemplate("https://a.b/x?k=1"); tmpl.base != nil || tmpl.query != nil {
		t.Errorf("a URL without placeholders is taken for a template: %+v", tmpl)
	}
}
