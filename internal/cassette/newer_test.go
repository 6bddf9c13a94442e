package cassette

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// A cassette with a kind or key of a newer version is refused, and the error says what to do. It may be
// sealed or not, and small or large.
func TestOfNewerVersion(t *testing.T) {
	refused := func(what, text string) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "c.yaml")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		index, err := Open(file, 1, nil)
		if err == nil {
			index.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "update promptecho") {
			t.Errorf("%s: %v", what, err)
		}
		if _, err := Load(file); err == nil || !strings.Contains(err.Error(), "update promptecho") {
			t.Errorf("%s, loaded: %v", what, err)
		}
	}
	const argument = 3000 // bytes; few long arguments are quicker than many short ones
	for _, n := range []int{1, maxKept / argument} {
		f := new(File)
		for i := range n {
			f.Interactions = append(f.Interactions, &interaction.Interaction{
				Kind: "tool", Boundary: "x", LatencyMS: 1, Usage: nil,
				Request:  interaction.Request{Function: "tool/x", Body: []byte(`{"a":"` + strings.Repeat("x", argument) + `"}`)},
				Response: interaction.Response{Body: strconv.AppendInt(nil, int64(i), 10)},
			})
		}
		// As a version that knows it would seal it.
		interaction.FunctionKinds, interaction.Kinds = append(slices.Clone(interaction.FunctionKinds), "pubsub"), append(slices.Clone(interaction.Kinds), "pubsub")
		last := f.Interactions[n-1]
		last.Kind, last.Request.Function = "pubsub", "pubsub/x"
		file := filepath.Join(t.TempDir(), "c.yaml")
		if err := Save(file, f); err != nil {
			t.Fatal(err)
		}
		interaction.FunctionKinds, interaction.Kinds = interaction.FunctionKinds[:len(interaction.FunctionKinds)-1], interaction.Kinds[:len(interaction.Kinds)-1]
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n > 1 && len(text) < maxKept {
			t.Fatalf("%d bytes are kept in memory", len(text))
		}
		if !bytes.Contains(text, []byte("\nseals:")) {
			t.Fatal("it is not sealed")
		}
		refused("a kind that was sealed", string(text))
	}
	whole := "version: 1\npinned: false\npartial: false\ntime: 2026-01-02T03:04:05Z\nenv:\n  A: b\ninteractions:\n- kind: http\n  request:\n    method: GET\n    url: https://h/a\n  response:\n    status: 200\n    body: x\n  usage:\n    input_tokens: 1\n    output_tokens: 2\n  latency_ms: 3\n"
	if err := os.WriteFile(filepath.Join(t.TempDir(), "c.yaml"), []byte(whole), 0o666); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(whole) {
		name, _, _ := strings.Cut(strings.TrimLeft(line, " -"), ":")
		if slices.Contains([]string{"version", "A"}, name) {
			continue
		}
		refused(name, strings.Replace(whole, line, strings.Replace(line, name+":", name+"_x: 1\n"+strings.Repeat(" ", len(line)-len(strings.TrimLeft(line, " -")))+name+":", 1), 1))
	}
	refused("a kind", strings.Replace(whole, "kind: http", "kind: session", 1))
	refused("a version", strings.Replace(whole, "version: 1", "version: 2", 1))
}
