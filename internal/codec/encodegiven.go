package codec

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
)

// EncodeGiven returns the lines at the top of a cassette with what it gives its test, and
// makes sure that they read as that again. There are none if it gives nothing.
func EncodeGiven(g *interaction.Given) ([]byte, error) {
	text, err := encodeGiven(g)
	if err != nil || len(text) == 0 {
		return nil, err
	}
	back, err := ParseGiven(text)
	if err == nil && !back.Equal(g) {
		err = errors.New("options, time, seed or env reads differently")
	}
	return text, err
}

func encodeGiven(g *interaction.Given) ([]byte, error) {
	var e encoder
	if g.Options != "" {
		e.line("options", g.Options)
	}
	if !g.Time.IsZero() {
		e.line("time", g.Time.UTC().Format(time.RFC3339))
	}
	e.text("seed", &g.Seed)
	var env interaction.Headers
	for _, name := range slices.Sorted(maps.Keys(g.Env)) {
		env = append(env, interaction.Header{Name: name, Values: []string{g.Env[name]}})
	}
	e.headers("env", &env)
	return e.buf, e.err
}

// DecodeGiven reads the lines above the interactions, if they are as EncodeGiven writes
// them, and returns the text of the interactions. ok is false if they are not: then they
// are for the parser.
func DecodeGiven(text []byte) (g interaction.Given, items []byte, ok bool) {
	if items, ok = bytes.CutPrefix(text, []byte(ItemsLine)); ok {
		return g, items, true
	}
	lines, items, found := bytes.Cut(text, []byte("\n"+ItemsLine))
	if !found {
		return g, nil, false
	}
	lines = text[:len(lines)+1]
	g, err := ParseGiven(lines)
	if err != nil {
		return g, nil, false
	}
	again, err := encodeGiven(&g)
	return g, items, err == nil && bytes.Equal(again, lines)
}
