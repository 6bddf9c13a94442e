package command

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// What one clone pushes, another one pulls, byte for byte.
func TestPushAndPull(t *testing.T) {
	t.Parallel()
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			url, _ := k.make(t)
			a := newClone(t)
			a.git("init", "-q")
			want := map[string]string{}
			for i := range 30 {
				name := fmt.Sprintf("pkg%d/testdata/cassettes/Test%d.yaml", i%3, i)
				want[name] = recording(fmt.Sprint("question ", i), strings.Repeat("answer ", i))
				a.write(name, want[name])
			}
			a.run("init", url)
			t.Log(a.run("push"))
			a.git("add", "-A")
			a.git("commit", "-qm", "1")
			b := newClone(t)
			b.git("clone", "-q", a.dir, ".")
			for name := range want {
				if _, err := os.Stat(b.path(name)); err == nil {
					t.Fatal("git has the cassettes, too")
				}
			}
			b.fails([]string{"missing  pkg0", "30 missing", "promptecho-store pull"}, "status")
			t.Log(b.run("pull"))
			for name, text := range want {
				if b.read(name) != text {
					t.Errorf("%s is another one", name)
				}
			}
			t.Log(b.run("status"), b.run("verify"))
		})
	}
}
