package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/promptecho/promptecho/internal/cassette"
)

// promptecho version says the version, the commit and its time if they are known, Go, the
// system and the format of cassettes.
func TestVersionSaysWhatWasBuilt(t *testing.T) {
	t.Parallel()
	const revision = "9e107d9d372bb6826bd81d3542a419d6e277252d"
	settings := func(pairs ...string) (all []debug.BuildSetting) {
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, debug.BuildSetting{Key: pairs[i], Value: pairs[i+1]})
		}
		return all
	}
	for _, tt := range []struct {
		name    string
		version string
		stamps  []debug.BuildSetting
		want    string // of the first line, the version; then the line of the commit
		commit  string
	}{
		{
			name:    "built in a clone, at a tag",
			version: "v0.1.0",
			stamps:  settings("vcs", "git", "vcs.revision", revision, "vcs.time", "2026-11-29T17:00:01Z", "vcs.modified", "false"),
			want:    "v0.1.0",
			commit:  "commit 9e107d9d372b of 2026-11-29 17:00:01 UTC\n",
		},
		{
			name:    "built in a clone with changes",
			version: "v0.1.1-0.20261129170001-9e107d9d372b+dirty",
			stamps:  settings("vcs", "git", "vcs.revision", revision, "vcs.time", "2026-11-29T17:00:01Z", "vcs.modified", "true"),
			want:    "v0.1.1-0.20261129170001-9e107d9d372b+dirty",
			commit:  "commit 9e107d9d372b of 2026-11-29 17:00:01 UTC, with changes that are not committed\n",
		},
		{
			name:    "installed at a tag",
			version: "v0.1.0",
			want:    "v0.1.0",
		},
		{
			name:    "installed at a commit before the first tag",
			version: "v0.0.0-20261129170001-9e107d9d372b",
			want:    "v0.0.0-20261129170001-9e107d9d372b",
			commit:  "commit 9e107d9d372b of 2026-11-29 17:00:01 UTC\n",
		},
		{
			name:    "installed at a commit after a tag",
			version: "v0.1.1-0.20261129170001-9e107d9d372b",
			want:    "v0.1.1-0.20261129170001-9e107d9d372b",
			commit:  "commit 9e107d9d372b of 2026-11-29 17:00:01 UTC\n",
		},
		{
			name:    "built with -buildvcs=false",
			version: "(devel)",
			want:    "(devel)",
		},
		{
			name: "built without modules",
			want: "(devel)",
		},
		{
			name:   "a commit without a time",
			stamps: settings("vcs.revision", "9e107d9"),
			want:   "(devel)",
			commit: "commit 9e107d9\n",
		},
	} {
		want := fmt.Sprintf("promptecho %s %s %s/%s\n%scassette format %d\n",
			tt.want, runtime.Version(), runtime.GOOS, runtime.GOARCH, tt.commit, cassette.Version)
		info := &debug.BuildInfo{Main: debug.Module{Version: tt.version}, Settings: tt.stamps}
		if got := describeBuild(info); got != want {
			t.Errorf("%s:\n%swant\n%s", tt.name, got, want)
		}
	}
}
