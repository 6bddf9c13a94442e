package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The help of a command names its flags, and no others.
func TestHelpIsTrue(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "COMMAND.md"))
	if err != nil {
		t.Fatal(err)
	}
	known := []string{"N", "AGE", "FLAGS"} // numbers, ages, and flags of go test: nothing completes them
	for what := range argumentKinds {
		known = append(known, what)
	}
	for _, v := range verbs {
		flags := v.flags()
		flags.VisitAll(func(f *flag.Flag) {
			inherited := strings.Contains(v.help, "Flags of go test: as for promptecho record")
			if own := regexp.MustCompile(`(?m)(^  |\W)-` + f.Name + `\b`); !own.MatchString(v.help) && !inherited {
				t.Errorf("the help of %s does not name -%s", v.name, f.Name)
			}
			if value := v.valueOf(f.Name); isBool(f) && value != "" {
				t.Errorf("the help of %s says that -%s has a value, %s", v.name, f.Name, value)
			} else if value != "" && !slices.Contains(known, value) {
				t.Errorf("the help of %s says -%s %s: how is that completed?", v.name, f.Name, value)
			}
		})
		for _, m := range regexp.MustCompile(`(?m)^  -([\w-]+)`).FindAllStringSubmatch(v.help, -1) {
			if flags.Lookup(m[1]) == nil {
				t.Errorf("the help of %s names -%s, which it does not read", v.name, m[1])
			}
		}
		for _, what := range v.arguments() {
			if !slices.Contains(known, what) {
				t.Errorf("the usage of %s has %s: how is that completed?", v.name, what)
			}
		}
		if !strings.Contains(string(page), "\n## "+v.name+": ") {
			t.Errorf("docs/COMMAND.md has no section on %s", v.name)
		}
	}
}

// A word is completed to commands, flags, cassettes, packages and tests, as its place asks for.
func TestComplete(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, file := range []string{
		"bot/testdata/cassettes/TestTrip.yaml", "bot/testdata/cassettes/TestTrip/in paris.yaml", "bot/testdata/cassettes/TestTrip.derived.yaml",
		"bot/bot_test.go", "bot/sub/x_test.go", "bot/testdata/x_test.go", "bot/plain/x.go", "old/a.yaml",
	} {
		text := "package x\n"
		if strings.Contains(file, "cassettes/") {
			text = "version: 1\ninteractions: []\n"
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ line, want string }{
		{"", "help init doctor ls show fake diff view record replay prove mutate compare accept review verify prune mv merge import serve stdio lint observe demo completion version"},
		{"sh", "show"},
		{"help com", "compare completion"},
		{"nothing ", ""},
		{"verify ", "bot/testdata/cassettes/TestTrip/in paris.yaml bot/testdata/cassettes/TestTrip.derived.yaml bot/testdata/cassettes/TestTrip.yaml"},
		{"ls bot/testdata/cassettes/TestTrip/", "bot/testdata/cassettes/TestTrip/in paris.yaml"},
		{"ls ./bot/testdata/cassettes/TestTrip/", "./bot/testdata/cassettes/TestTrip/in paris.yaml"},
		{"ls nowhere/", ""},
		{"show TestT", "TestTrip"},
		{"show -", "-full -json -n -raw -request"},
		{"show --j", "--json"},
		{"show -n ", ""},
		{"show -json TestT", "TestTrip"},
		{"verify -", "-json -max-age -w"},
		{"import -o b", "bot/"},
		{"import -o=b", "-o=bot/"},
		{"import old/", "old/a.yaml"},
		{"record ./", "./... ./bot ./bot/sub"},
		{"record -run TestT", "TestTrip"},
		{"record -up", "-update"},
		{"record ./bot -- ", ""},
		{"compare -tim", "-timeout"},
		{"diff -git H", "HEAD"},
		{"completion ", "bash zsh fish"},
		{"demo ", ""},
	} {
		words := strings.Split(test.line, " ")
		var got []string
		for _, c := range complete(verbs, words[:len(words)-1], words[len(words)-1]) {
			got = append(got, c.word)
		}
		if filepath.ToSlash(strings.Join(got, " ")) != test.want {
			t.Errorf("%q is argumentKinds by %q, want %q", test.line, got, test.want)
		}
	}
}
