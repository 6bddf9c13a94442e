package main

import (
	"bytes"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
)

// inVain has the flags that take a text, with command lines that give a wrong one, and what is said.
var inVain = map[string]struct {
	args []string
	want string
}{
	"diff -git":         {[]string{"-git", "no-such-revision"}, "not a git repository"},
	"view -git":         {[]string{"-git", "no-such-revision"}, "not a git repository"},
	"view -o":           {[]string{"-o", "no-such-folder/x.html", "c.yaml"}, "no-such-folder/x.html: "},
	"view -mutate":      {[]string{"-mutate", "go.mod", "c.yaml"}, "use the output of promptecho mutate -json"},
	"mutate -git":       {[]string{"-git", "no-such-revision"}, "not a git repository"},
	"record -from":      {[]string{"-from", "last"}, "-from last: want the number of a call, or FILE:LINE"},
	"compare -model":    {[]string{"-model", "a b"}, `"a b" is not a model`},
	"compare -provider": {[]string{"-provider", "nowhere"}, "the provider needs an address"},
	"compare -key":      {[]string{"-provider", "https://h", "-key", "a b"}, "the name of an environment variable"},
	"merge -into":       {[]string{"-into", "c.yaml", "c.yaml"}, "c.yaml"},
	"import -o":         {[]string{"-o", "x", "no-such-file"}, "no-such-file"},
	"import -host":      {[]string{"-host", "https://h.example", "x"}, "want the name of a host"},
	"serve -cassette":   {[]string{"-cassette", "go.mod", "--", "true"}, `go.mod:1:1: want a cassette ("version: 1" and "interactions:")`},
	"stdio -cassette":   {[]string{"-cassette", "go.mod", "--", "true"}, `go.mod:1:1: want a cassette ("version: 1" and "interactions:")`},
	"serve -mode":       {[]string{"-mode", "sometimes", "--", "true"}, `-mode: unknown record mode "sometimes"`},
	"serve -options":    {[]string{"-options", "{mask_tims: true}", "--", "true"}, "mask_tims"},
	"serve -cassettes":  {[]string{"-cassettes", "go.mod", "--", "git"}, "go.mod"},
	"serve -listen":     {[]string{"-listen", "nowhere", "--", "true"}, "nowhere"},
	"serve -upstream":   {[]string{"-upstream", "nowhere", "--", "true"}, "it is not VARIABLE=URL"},
	"replay -cassette":  {[]string{"-cassette", "go.mod", "--", "true"}, `go.mod:1:1: want a cassette ("version: 1" and "interactions:")`},
	"demo -dir":         {[]string{"-dir", "go.mod"}, "go.mod: "},
}

// TestFlagsInVain: no verb takes a flag that it does not have, a value that the flag cannot have, or a
// flag twice.
func TestFlagsInVain(t *testing.T) {
	t.Chdir(t.TempDir())
	for file, text := range map[string]string{"go.mod": "module example.com/x\n", "c.yaml": "version: 1\ninteractions: []\n"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	refused := func(want string, args ...string) {
		var out, err bytes.Buffer
		if status := run(args, &out, &err); status == 0 || !strings.Contains(err.String(), want) {
			t.Errorf("promptecho %q: status %d: %s%s, want %q", args, status, out.String(), err.String(), want)
		}
	}
	for _, v := range verbs {
		refused("-no-such-flag", v.name, "-no-such-flag")
		v.flags().VisitAll(func(f *flag.Flag) {
			if _, ok := f.Value.(*onceValue); ok {
				given := "-" + f.Name + "=" + f.DefValue
				refused("it is set twice", v.name, given, given)
			}
			tt, ok := inVain[v.name+" -"+f.Name]
			switch kept := f.Value.String(); {
			case f.Name == "run" || f.Name == "skip":
				refused("-"+f.Name+": error parsing regexp", v.name, "-"+f.Name, "(")
			case ok:
				refused(tt.want, slices.Concat([]string{v.name}, tt.args)...)
			case f.Name == "tags": // go test reads them
			case f.Value.Set("no such value") == nil:
				t.Errorf("%s -%s is missing from the list: what does it say of a wrong text?", v.name, f.Name)
			default:
				_ = f.Value.Set(kept)
			}
		})
	}
}
