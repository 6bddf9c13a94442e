package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"
	"time"
)

// These types are the part of CycloneDX 1.6 that a Go binary fills
// (https://cyclonedx.org/docs/1.6/json/).
type (
	bom struct {
		Schema       string       `json:"$schema"`
		Format       string       `json:"bomFormat"`
		SpecVersion  string       `json:"specVersion"`
		Version      int          `json:"version"`
		Metadata     bomMetadata  `json:"metadata"`
		Components   []component  `json:"components"`
		Dependencies []dependency `json:"dependencies"`
	}
	bomMetadata struct {
		Timestamp  string     `json:"timestamp"`
		Component  component  `json:"component"`
		Properties []property `json:"properties"`
	}
	component struct {
		Type    string    `json:"type"`
		Ref     string    `json:"bom-ref"`
		Name    string    `json:"name"`
		Version string    `json:"version"`
		Scope   string    `json:"scope,omitempty"`
		Hashes  []bomHash `json:"hashes,omitempty"`
		PURL    string    `json:"purl"`
	}
	bomHash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	property struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	dependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn,omitempty"`
	}
)

// billOfMaterials returns the modules of a binary and how it was built, in the format CycloneDX.
// All of it stands in the binary, and the time is that of the commit.
func billOfMaterials(info *debug.BuildInfo, binary file, at time.Time) ([]byte, error) {
	sum := sha256.Sum256(binary.data)
	main := goComponent(info.Main.Path, info.Main.Version)
	main.Type = "application"
	main.PURL += "#" + strings.TrimPrefix(info.Path, info.Main.Path+"/")
	main.Hashes = []bomHash{{"SHA-256", hex.EncodeToString(sum[:])}}
	std := goComponent("std", strings.TrimPrefix(info.GoVersion, "go"))
	std.Scope = "required"

	components := []component{std}
	for _, m := range info.Deps {
		c := goComponent(m.Path, m.Version)
		c.Scope = "required"
		hash, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:"))
		if err != nil || len(hash) != sha256.Size {
			return nil, fmt.Errorf("the binary has no hash of %s", m.Path)
		}
		c.Hashes = []bomHash{{"SHA-256", hex.EncodeToString(hash)}}
		components = append(components, c)
	}
	all := dependency{Ref: main.Ref}
	for _, c := range components {
		all.DependsOn = append(all.DependsOn, c.Ref)
	}
	properties := []property{{"go:version", info.GoVersion}, {"go:binary", binary.name}}
	for _, s := range info.Settings {
		properties = append(properties, property{"go:build:" + s.Key, s.Value})
	}

	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	err := e.Encode(bom{
		Schema:       "http://cyclonedx.org/schema/bom-1.6.schema.json",
		Format:       "CycloneDX",
		SpecVersion:  "1.6",
		Version:      1,
		Metadata:     bomMetadata{at.Format(time.RFC3339), main, properties},
		Components:   components,
		Dependencies: []dependency{all},
	})
	return b.Bytes(), err
}

// goComponent returns a module as a component. Its purl is its reference.
func goComponent(path, version string) component {
	purl := fmt.Sprintf("pkg:golang/%s@%s", path, version)
	return component{Type: "library", Ref: purl, Name: path, Version: version, PURL: purl}
}
