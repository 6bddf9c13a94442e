package command

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/store/internal/locks"
)

// A pull with -for fetches what the tests of the packages need, and nothing else.
func TestFor(t *testing.T) {
	t.Parallel()
	url, _ := kinds[0].make(t)
	a := newClone(t)
	a.git("init", "-q")
	a.write("go.mod", "module example.com/m\n\ngo 1.24\n")
	for _, pkg := range []string{"bot", "bot/deep", "other"} {
		a.write(pkg+"/p.go", "package p\n")
		for _, name := range []string{"TestA", "TestB/sub"} {
			a.write(pkg+"/testdata/cassettes/"+name+".yaml", recording(pkg, name))
		}
	}
	a.run("init", url)
	a.run("push")
	all := strings.Fields(strings.ReplaceAll("P/testdata/cassettes/TestA.yaml P/testdata/cassettes/TestB/sub.yaml", "P/", ""))
	for _, tt := range []struct {
		args []string
		want map[string]int // how many cassettes a package has then
	}{
		{[]string{"-for", "./bot/..."}, map[string]int{"bot": 2, "bot/deep": 2}},
		{[]string{"-for", "./other ./bot"}, map[string]int{"bot": 2, "other": 2}},
		{[]string{"TestA"}, map[string]int{"bot": 1, "bot/deep": 1, "other": 1}},
		{[]string{"su*"}, map[string]int{"bot": 1, "bot/deep": 1, "other": 1}},
		{[]string{"bot"}, map[string]int{"bot": 2, "bot/deep": 2}},
		{[]string{"bot/testdata/cassettes/TestA.yaml"}, map[string]int{"bot": 1}},
		{[]string{"bot/testdata/cassettes/TestB", "other/testdata/cassettes"}, map[string]int{"bot": 1, "other": 2}},
		{[]string{"TestNone"}, nil},
	} {
		for _, pkg := range []string{"bot", "bot/deep", "other"} {
			os.RemoveAll(a.path(pkg + "/testdata/cassettes"))
		}
		var got struct{ Fetched int }
		if err := json.Unmarshal([]byte(a.run(append([]string{"pull", "-json"}, tt.args...)...)), &got); err != nil {
			t.Fatal(err)
		}
		sum := 0
		for _, pkg := range []string{"bot", "bot/deep", "other"} {
			n := 0
			for _, name := range all {
				if _, err := os.Stat(a.path(pkg + "/" + name)); err == nil {
					n++
				}
			}
			if n != tt.want[pkg] {
				t.Errorf("pull %v: %d cassettes of %s, want %d", tt.args, n, pkg, tt.want[pkg])
			}
			sum += n
		}
		if got.Fetched != sum {
			t.Errorf("pull %v says %d fetched, and %d are there", tt.args, got.Fetched, sum)
		}
	}
}

// A push that would send a secret sends nothing.
func TestSecretsStay(t *testing.T) {
	t.Parallel()
	key := "sk-proj-" + "Zq8vT1mXw3LrB7nKc5Jd2HfYs9Pg4AeU6iOt0WbN" // made for this
	for name, text := range map[string]string{
		"a secret":       recording("my key is "+key, "a"),
		"partial":        strings.Replace(recording("q", "a"), "interactions:", "partial: true\ninteractions:", 1),
		"no cassette":    "just: yaml\n",
		"a missing part": strings.Replace(recording("q", "a"), "      body:\n        choices", "      body_file: 289c77a179831309.bin\n      other:\n        choices", 1),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, dir := kinds[0].make(t)
			a := newClone(t)
			a.git("init", "-q")
			a.run("init", url)
			a.write("testdata/cassettes/TestBad.yaml", text)
			a.write("testdata/cassettes/TestGood.yaml", recording("q", "a"))
			out := a.fails([]string{"testdata/cassettes/TestBad.yaml:", "nothing was stored: 1 problem"}, "push")
			if strings.Contains(out, key) {
				t.Error("the secret was printed")
			}
			if whole, _ := objectsIn(t, dir); len(whole) > 0 {
				t.Errorf("%d objects were stored", len(whole))
			}
			if _, err := os.Stat(a.path("testdata/cassettes.lock")); err == nil {
				t.Error("there is a lock")
			}
			os.Remove(a.path("testdata/cassettes/TestBad.yaml"))
			// What killed and failed runs left stays, too.
			a.write("testdata/cassettes/TestGood.yaml.partial", text)
			a.write("testdata/cassettes/TestGood.yaml.failed", text)
			a.write("testdata/cassettes/TestGood.derived.yaml", text)
			a.run("push")
			if whole, _ := objectsIn(t, dir); len(whole) != 1 {
				t.Errorf("%d objects were stored, not 1", len(whole))
			}
		})
	}
}

// A cassette that was pushed once is not searched for secrets again. Whatever is to be sent or
// named anew is, also where the same bytes were once stored.
func TestCheckedOnce(t *testing.T) {
	t.Parallel()
	key := "sk-proj-" + "Zq8vT1mXw3LrB7nKc5Jd2HfYs9Pg4AeU6iOt0WbN" // made for this
	text := recording("my key is "+key, "a")
	sum := locks.Of("", []byte(text)).SHA256
	url, dir := kinds[0].make(t)
	a := newClone(t)
	a.git("init", "-q")
	a.run("init", url)
	a.write("testdata/cassettes/TestGood.yaml", recording("q", "a"))
	a.run("push")
	// As a version that knew fewer secrets has pushed it.
	object := filepath.Join(dir, "sha256", sum[:2], sum)
	stored := func() {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(object), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(object, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	stored()
	a.write("testdata/cassettes/TestOld.yaml", text)
	refused := []string{"testdata/cassettes/TestOld.yaml:", "looks like a secret", "nothing was stored: 1 problem"}
	a.fails(refused, "push") // no lock names it
	lock := a.read("testdata/cassettes.lock")
	a.write("testdata/cassettes.lock", strings.Replace(lock, "\n# end", fmt.Sprintf("\ncassettes/TestOld.yaml %d %s\n\n# end", len(text), sum), 1))
	if out := a.run("push"); !strings.Contains(out, "2 files here, 0 of them new to the store") {
		t.Error(out)
	}
	a.fails(refused, "push", "-all")
	a.write("testdata/cassettes/TestCopy.yaml", text)
	a.fails([]string{"testdata/cassettes/TestCopy.yaml:", "nothing was stored: 1 problem"}, "push")
	os.Remove(a.path("testdata/cassettes/TestCopy.yaml"))
	for name, damage := range map[string]func() error{"lost": func() error { return os.Remove(object) }, "cut": func() error { return os.Truncate(object, 100) }} {
		stored()
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		a.write("testdata/cassettes/TestNew.yaml", recording("q", name))
		a.fails(refused, "push")
		if whole, _ := filepath.Glob(filepath.Join(dir, "sha256", "*", "*")); name == "lost" && len(whole) != 1 {
			t.Errorf("stored: %q", whole)
		}
	}
	// What is wrong here is told without a network.
	for i := range 100 {
		a.write(fmt.Sprintf("testdata/cassettes/Test%d.yaml", i), recording("q", fmt.Sprint(i)))
	}
	a.write("testdata/cassettes/TestCopy.yaml", text)
	a.write(".promptecho-store", "url: s3://bucket?endpoint=http://127.0.0.1:1&use_path_style=true&region=us-east-1\nid: x\n")
	if out := a.fails([]string{"testdata/cassettes/TestCopy.yaml:", "nothing was stored: 1 problem"}, "push"); strings.Contains(out, "127.0.0.1") {
		t.Error(out)
	}
}

// A cassette and its assets are pushed and pulled together.
func TestAssets(t *testing.T) {
	t.Parallel()
	url, dir := kinds[0].make(t)
	a := newClone(t)
	a.git("init", "-q")
	a.run("init", url)
	text := recording("q", "a")
	body := text[strings.LastIndex(text, "      body:\n"):]
	a.write("testdata/cassettes/TestA.yaml", strings.Replace(strings.Replace(text, body, "      body_file: 289c77a179831309.bin\n", 1), "Content-Type: application/json\n      body_file", "Content-Type: image/png\n      body_file", 1))
	a.write("testdata/cassettes/TestA.assets/289c77a179831309.bin", "\x89PNG\r\n\x1a\n\x00\x01")
	a.write("testdata/cassettes/TestA.assets/stray.bin", "nobody names it")
	a.run("push")
	if whole, _ := objectsIn(t, dir); len(whole) != 2 {
		t.Errorf("%d objects were stored, not 2", len(whole))
	}
	if err := os.RemoveAll(a.path("testdata/cassettes")); err != nil {
		t.Fatal(err)
	}
	a.run("pull", "TestA")
	if a.read("testdata/cassettes/TestA.assets/289c77a179831309.bin") != "\x89PNG\r\n\x1a\n\x00\x01" {
		t.Error("the asset is another one")
	}
	a.run("status")
	// One that the store has lost is sent again; one that is not the cassette's own any more is not.
	asset := locks.Of("", []byte(a.read("testdata/cassettes/TestA.assets/289c77a179831309.bin"))).SHA256
	if err := os.Remove(filepath.Join(dir, "sha256", asset[:2], asset)); err != nil {
		t.Fatal(err)
	}
	if out := a.run("push"); !strings.Contains(out, "2 files here, 1 of them new to the store") {
		t.Error(out)
	}
	a.write("testdata/cassettes/TestA.assets/289c77a179831309.bin", "another picture")
	a.fails([]string{"testdata/cassettes/TestA.yaml:", "289c77a179831309.bin", "nothing was stored: 1 problem"}, "push")
	// A cassette that does not name it any more takes its line along.
	a.write("testdata/cassettes/TestA.yaml", text)
	a.run("push")
	if strings.Contains(a.read("testdata/cassettes.lock"), ".bin") {
		t.Error("the lock still names the asset")
	}
}
