package testname

import (
	"path/filepath"
	"strings"
	"testing"
)

// The cassette of a test has its name, in characters that every system takes; a long name ends in a hash.
func TestCassetteHasTheNameOfItsTest(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long", 60)
	tests := []struct{ name, want string }{
		{"TestAgent", "TestAgent.yaml"},
		{"TestAgent/paris_trip", "TestAgent/paris_trip.yaml"},
		{"TestAgent/case#01", "TestAgent/case#01.yaml"},
		{"TestAgent/a=1,b=2", "TestAgent/a=1,b=2.yaml"},
		{`Test/a:b*c?d"e<f>g|h\i`, "Test/a%3Ab%2Ac%3Fd%22e%3Cf%3Eg%7Ch%5Ci.yaml"},
		{"Test/../../etc/passwd", "Test/%2E%2E/%2E%2E/etc/passwd.yaml"},
		{"Test//abs", "Test/%/abs.yaml"},
		{"Test/", "Test/%.yaml"},
		{"Test/.hidden", "Test/%2Ehidden.yaml"},
		{"Test/v1.5", "Test/v1.5.yaml"},
		{"Test/end.", "Test/end%2E.yaml"},
		{"Test/100%", "Test/100%25.yaml"},
		{"Test/%41", "Test/%2541.yaml"},
		{"Test/émoji😀", "Test/%C3%A9moji%F0%9F%98%80.yaml"},
		{"Test/con", "Test/%63on.yaml"},
		{"Test/COM1.txt", "Test/%43OM1.txt.yaml"},
		{"Test/aux.x/y", "Test/%61ux.x/y.yaml"},
		{"Test/console", "Test/console.yaml"},
		{"Test/x.yaml/y", "Test/x%2Eyaml/y.yaml"},
		{"Test/x.assets", "Test/x%2Eassets.yaml"},
		{"Test/-flag", "Test/%2Dflag.yaml"},
		{"Test/" + long, "Test/" + long[:62] + "-h3a7c5a9c4c4e3b2f.yaml"},
	}
	for _, tt := range tests {
		got := filepath.ToSlash(File(tt.name))
		want := "testdata/cassettes/" + tt.want
		if i := strings.Index(want, "-h3a7c"); i >= 0 {
			// The hash is what it is; its length and place are the contract.
			if len(got) == len(want) && strings.HasPrefix(got, want[:i+2]) {
				continue
			}
		}
		if got != want {
			t.Errorf("File(%q) = %q, want %q", tt.name, got, want)
		}
	}
}

// allowed are the ASCII characters of paths that golang.org/x/mod/module.CheckFilePath
// takes, less the blank and those that a shell takes for something else.
const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/!#$%&()+,-.=@[]^_{}~"

// checkFile holds a cassette's path to what file systems and the go command
// accept. The module scripts has CheckFilePath itself look at paths.
func checkFile(t *testing.T, name string) string {
	t.Helper()
	file := filepath.ToSlash(File(name))
	if !filepath.IsLocal(file) || !strings.HasPrefix(file, "testdata/cassettes/") {
		t.Errorf("File(%q) = %q leaves the folder", name, file)
	}
	if filepath.ToSlash(filepath.Clean(file)) != file {
		t.Errorf("File(%q) = %q is not clean", name, file)
	}
	if strings.Trim(file, allowed) != "" {
		t.Errorf("File(%q) = %q has characters that no module may have", name, file)
	}
	for _, segment := range strings.Split(file, "/") {
		if len(segment) > maxSegment+len(".yaml") {
			t.Errorf("File(%q): segment %q is too long", name, segment)
		}
	}
	return file
}

func FuzzFile(f *testing.F) {
	f.Add("TestA/b", "TestA/B")
	f.Add("Test/../..", "Test/%2E%2E")
	f.Add("Test/con.x", "Test//\x00")
	f.Add("Test/"+strings.Repeat("a", 200), "Test/"+strings.Repeat("a", 201))
	f.Add("Test/x", "Test/x.yaml/y")
	f.Fuzz(func(t *testing.T, a, b string) {
		fa, fb := checkFile(t, a), checkFile(t, b)
		if a != b && fa == fb {
			t.Errorf("%q and %q share %s", a, b, fa)
		}
		// No cassette is a folder that another needs.
		if strings.HasPrefix(fa, fb+"/") || strings.HasPrefix(fb, fa+"/") {
			t.Errorf("%s and %s are in each other's way", fa, fb)
		}
	})
}
