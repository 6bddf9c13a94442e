package fakeprovider

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"testing"
)

// vector reads an embedding in either encoding.
func vector(t *testing.T, v any) []float64 {
	t.Helper()
	var out []float64
	switch v := v.(type) {
	case string:
		data, err := base64.StdEncoding.DecodeString(v)
		if err != nil {
			t.Fatal(err)
		}
		for ; len(data) >= 4; data = data[4:] {
			out = append(out, float64(math.Float32frombits(binary.LittleEndian.Uint32(data))))
		}
	case []any:
		for _, x := range v {
			f, err := x.(json.Number).Float64()
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, float64(float32(f)))
		}
	}
	return out
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func TestEmbeddingsEncodings(t *testing.T) {
	h := start(t)
	for _, c := range []struct {
		body string
		n    int
		size int
	}{
		{`{"model":"text-embedding-3-small","input":"a cat"}`, 1, 1536},
		{`{"model":"text-embedding-3-large","input":["a","b","a"]}`, 3, 3072},
		{`{"model":"m","input":["a cat",""],"dimensions":7}`, 2, 7},
		{`{"model":"m","input":[1,2,3],"dimensions":4}`, 1, 4},
		{`{"model":"m","input":[[1,2],[3]],"dimensions":4}`, 2, 4},
	} {
		floats := h.ask(embeddingsPath, c.body)
		packed := h.ask(embeddingsPath, `{"encoding_format":"base64",`+c.body[1:])
		if len(floats.list("data")) != c.n {
			t.Fatalf("%s: %d embeddings", c.body, len(floats.list("data")))
		}
		for i := range c.n {
			a := vector(t, at(floats, "data", i, "embedding"))
			b := vector(t, at(packed, "data", i, "embedding"))
			if len(a) != c.size || len(b) != c.size || dot(a, b) != dot(a, a) || math.Abs(dot(a, a)-1) > 1e-5 {
				t.Errorf("%s %d: %d and %d numbers, product %v", c.body, i, len(a), len(b), dot(a, b))
			}
			if at(floats, "data", i, "index") != json.Number(string(encode(i))) {
				t.Errorf("%s: index of %d", c.body, i)
			}
		}
	}
}

func TestEmbeddingsAreNearByWords(t *testing.T) {
	cat, cats, car := embed("the cat sat on the mat", 256), embed("a cat on the mat", 256), embed("fast red motor vehicles", 256)
	near := func(a, b []float32) (sum float32) {
		for i := range a {
			sum += a[i] * b[i]
		}
		return sum
	}
	if near(cat, cats) < 0.5 || near(cat, car) > 0.3 {
		t.Errorf("near %v, far %v", near(cat, cats), near(cat, car))
	}
}
