package diff

import (
	"encoding/base64"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/testing/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files of this package")

// TestGolden shows what a person reads: each case is two requests and the
// report of what differs.
func TestGolden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 25 {
		t.Fatalf("found %d golden cases in testdata, want 25 or more", len(files))
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			archive := txtar.Parse(data)
			parts := map[string]string{}
			for _, f := range archive.Files {
				parts[f.Name] = string(f.Data)
			}
			recorded, incoming := formOf(t, parts["recorded"]), formOf(t, parts["incoming"])
			got := Write(Forms(recorded, incoming), "  ", 12)
			if drift := Write(Drift(recorded, incoming), "  ", 12); drift != "" {
				got += "drift:\n" + drift
			}
			if *update {
				archive.Files[len(archive.Files)-1].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != parts["want"] {
				t.Errorf("%s: the report changed\ngot:\n%s\nwant:\n%s\ndiff:\n%s\nrun 'go test ./internal/diff -update' if it is better now", file, got, parts["want"], compareTexts(parts["want"], got).marked())
			}
		})
	}
}

// formOf makes the form of a request written as a URL, headers, an empty line
// and a body. The URL may be left out.
func formOf(t testing.TB, s string) *canon.Form {
	t.Helper()
	req := &interaction.Request{Method: "POST", URL: "https://api.openai.com/v1/chat/completions"}
	if strings.HasPrefix(s, "http") {
		head, body, _ := strings.Cut(s, "\n\n")
		headers := strings.Split(head, "\n")
		req.URL, s = headers[0], body
		for _, h := range headers[1:] {
			name, value, _ := strings.Cut(h, ": ")
			req.Headers = append(req.Headers, interaction.Header{Name: name, Values: []string{value}})
		}
	}
	req.Body = []byte(expand(strings.TrimSuffix(s, "\n")))
	if _, err := exactjson.Parse(req.Body); err != nil && strings.HasPrefix(s, "{") {
		t.Fatalf("bad JSON in a golden case: %v", err)
	}
	return (&canon.Options{}).Form(req)
}

var generator = regexp.MustCompile(`@(prose|base64|lines|cjk|ints)\((\d+),(\d+)\)@`)

// expand replaces @prose(100,1)@ by 100 words from the random source 1, and
// the like.
func expand(s string) string {
	return generator.ReplaceAllStringFunc(s, func(g string) string {
		m := generator.FindStringSubmatch(g)
		n, _ := strconv.Atoi(m[2])
		source, _ := strconv.ParseUint(m[3], 10, 64)
		return generate(m[1], n, source)
	})
}

var vocabulary = strings.Fields(`the a of to and in that is for it with as was on be by at this had not are but from or have an
	they which one you were her all she there would their we him been has when who will more no if out so said what up its about
	into than them can only other new some could time these two may then do first any my now such like our over man me even most
	made after also did many before must through back years where much your way well down should because each just those people
	state good very make world still own see men work long get here between both life being under never day same another know
	while last might us great old year off come since against go came right used take three`)

func generate(kind string, n int, source uint64) string {
	r := rand.New(rand.NewPCG(source, 1))
	var b strings.Builder
	switch kind {
	case "base64":
		raw := make([]byte, n)
		for i := range raw {
			raw[i] = byte(r.Uint32())
		}
		return base64.StdEncoding.EncodeToString(raw)
	case "cjk":
		for range n {
			b.WriteRune(rune(0x4E00 + r.IntN(2000)))
		}
	case "ints":
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strconv.Itoa(r.IntN(50_000)))
		}
	case "lines":
		for i := range n {
			fmt.Fprintf(&b, `%d. %s.\n`, i+1, generate("prose", 6+r.IntN(8), source*1000+uint64(i)))
		}
	default:
		for i := range n {
			switch {
			case i == 0:
			case r.IntN(12) == 0:
				b.WriteString(". ")
			default:
				b.WriteByte(' ')
			}
			b.WriteString(vocabulary[r.IntN(len(vocabulary))])
		}
	}
	return b.String()
}
