package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// built are the folders of build: a small test without a library, and with one each.
var built = []string{"none", "promptecho", "go-vcr", "charm", "seborama", "httpreplay"}

// BenchmarkBuildTime builds the binary of a small test: for the first time, when the standard
// library is compiled and no package of the library is, and again after a change to the test.
func BenchmarkBuildTime(b *testing.B) {
	slow(b)
	for _, name := range built {
		b.Run("build=first/contender="+name, func(b *testing.B) {
			std := stdCache(b)
			for b.Loop() {
				b.StopTimer()
				cache := b.TempDir()
				if err := os.CopyFS(cache, os.DirFS(std)); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				buildTest(b, cache, name)
			}
		})
		b.Run("build=again/contender="+name, func(b *testing.B) {
			cache := warmCache(b, name)
			for n := 0; b.Loop(); n++ {
				b.StopTimer()
				overlay := changeTest(b, name, fmt.Sprintf("TestAsk%d%d", os.Getpid(), n))
				b.StartTimer()
				buildTest(b, cache, name, "-overlay", overlay)
			}
		})
	}
}

// BenchmarkBuildSize says how large the binary of a small test is.
func BenchmarkBuildSize(b *testing.B) {
	slow(b)
	for _, name := range built {
		for _, flags := range []string{"", "-s -w"} {
			row := strings.ReplaceAll(strings.TrimSpace("ldflags="+flags), " ", "_")
			b.Run(row+"/contender="+name, func(b *testing.B) {
				cache := warmCache(b, name)
				var size int64
				for b.Loop() {
					size = buildTest(b, cache, name, "-ldflags="+flags)
				}
				b.ReportMetric(float64(size)/1e6, "MB-binary")
			})
		}
	}
}

// buildTest builds the test of a folder of build with the packages that a build cache has,
// and returns the size of the binary.
func buildTest(b *testing.B, cache, name string, flags ...string) int64 {
	b.Helper()
	binary := filepath.Join(b.TempDir(), "build.test")
	goCommand(b, cache, append(append([]string{"test", "-c", "-o", binary}, flags...), "./build/"+name)...)
	info, err := os.Stat(binary)
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}

// stdCache returns a build cache that has what the test without a library needs, and what
// all the others need of the standard library.
func stdCache(b *testing.B) string {
	b.Helper()
	return cacheOf(b, "std", func(cache string) {
		const std = `{{if .Standard}}{{.ImportPath}}{{end}}`
		paths := strings.Fields(goCommand(b, cache, "list", "-deps", "-test", "-f", std, "./build/..."))
		paths = slices.DeleteFunc(paths, func(path string) bool {
			return strings.HasPrefix(path, "vendor/") // those are built with what needs them
		})
		goCommand(b, cache, append([]string{"build"}, paths...)...)
		buildTest(b, cache, "none")
	})
}

// warmCache returns a build cache that has what the test of a folder of build needs.
func warmCache(b *testing.B, name string) string {
	b.Helper()
	return cacheOf(b, name, func(cache string) { buildTest(b, cache, name) })
}

// cacheOf returns the folder of a build cache, which fill fills if it is not there.
func cacheOf(b *testing.B, name string, fill func(cache string)) string {
	b.Helper()
	cache := filepath.Join(fixtures, "build-"+name)
	if _, err := os.Stat(cache); err != nil {
		if err := os.Mkdir(cache, 0o777); err != nil {
			b.Fatal(err)
		}
		fill(cache)
	}
	return cache
}

// changeTest returns an overlay in which the test of a folder of build has another name.
func changeTest(b *testing.B, name, test string) (overlay string) {
	b.Helper()
	file, err := filepath.Abs(filepath.Join("build", name, "build_test.go"))
	if err != nil {
		b.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	changed, overlay := filepath.Join(dir, "build_test.go"), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {file: changed}})
	if err != nil {
		b.Fatal(err)
	}
	for path, text := range map[string][]byte{changed: bytes.Replace(text, []byte("TestAsk"), []byte(test), 1), overlay: replace} {
		if err := os.WriteFile(path, text, 0o666); err != nil {
			b.Fatal(err)
		}
	}
	return overlay
}

// goCommand runs the go command with a build cache and returns what it prints.
func goCommand(b *testing.B, cache string, args ...string) string {
	b.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOCACHE="+cache)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		b.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, errs.Bytes())
	}
	return out.String()
}
