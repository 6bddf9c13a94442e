package main

import (
	"fmt"
	"slices"
	"strings"
)

// A platform is a system that a release has a binary for.
type platform struct{ os, arch string }

var platforms = []platform{
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"linux", "amd64"}, {"linux", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

// env returns the variables that let the go command build for the platform.
func (p platform) env() []string {
	return []string{"CGO_ENABLED=0", "GOOS=" + p.os, "GOARCH=" + p.arch}
}

// choosePlatforms returns the platforms of a list, or all of them for an empty one.
func choosePlatforms(list string) (chosen []platform, err error) {
	if list == "" {
		return platforms, nil
	}
	for name := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(platforms, func(p platform) bool { return p.os+"/"+p.arch == name })
		if i < 0 {
			return nil, fmt.Errorf("a release has no files for %q: -platforms linux/amd64,windows/arm64", name)
		}
		chosen = append(chosen, platforms[i])
	}
	return chosen, nil
}
