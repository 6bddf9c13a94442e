package foreign

import (
	"regexp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/cassette/yaml"
)

// TestAgent is the name of the recorder of DataDog's dd-apm-test-agent.
const TestAgent cassette.Tool = "dd-apm-test-agent"

// oldVCRpy is the format of vcrpy before 1.0, which later versions refuse.
const oldVCRpy cassette.Tool = "vcrpy before 1.0"

// yamlList and jsonList match the beginning of the list of interactions of a cassette, behind its key.
// noList matches the beginning of a file of dd-apm-test-agent or of old vcrpy, which have no such
// list. All of them match some other files, too.
var (
	yamlList = regexp.MustCompile(`^:[ \t]*\r?\n(?:[ \t]*(?:#.*)?\r?\n)*[ \t]*- *(?:request|response|id|recorded_at)\b`)
	jsonList = regexp.MustCompile(`^"\s*:\s*\[\s*\{\s*"(?:request|response|id|recorded_at)"`)
	noList   = regexp.MustCompile(`^(?:\s*\[?\s*\{\s*"request"\s*:|(?:---\r?\n)?- request: *(?:!|\r?\n))`)
)

// beginsAsCassette reports whether yamlList, jsonList or noList matches a text.
func beginsAsCassette(text string) bool {
	const key, window = "interactions", 4096 // the comments in front of a list are not longer
	if noList.MatchString(text[:min(len(text), window)]) {
		return true
	}
	at := 0
	for {
		i := strings.Index(text[at:], key)
		if i < 0 {
			return false
		}
		before := strings.TrimSuffix(text[:at+i], "http_")
		at += i + len(key)
		behind := text[at:min(at+window, len(text))]
		isYAMLKey := before == "" || strings.HasSuffix(before, "\n")
		isJSONKey := strings.HasSuffix(before, `"`)
		if isYAMLKey && yamlList.MatchString(behind) || isJSONKey && jsonList.MatchString(behind) {
			return true
		}
	}
}

// mayBeCassette reports whether a text may be a cassette of another tool, by its beginning. tool is the
// one it looks like, "" if that is not known. certain says that the text is a cassette even if it
// cannot be read.
func mayBeCassette(text string) (tool cassette.Tool, ok, certain bool) {
	if cassette.Recorded(text) {
		return "", false, false
	}
	tool = cassette.Foreign(text)
	begins := beginsAsCassette(text)
	certain = begins || tool == cassette.RubyVCR || tool == cassette.AgentTape
	return tool, tool != "" || begins, certain
}

// toolOf returns the tool that has written a document, by the keys that its reader needs; "" if the
// document is not a cassette. Many other files have a list of interactions, such as contracts of Pact
// and logs of agents. looks is the tool from mayBeCassette.
func toolOf(looks cassette.Tool, root *yaml.Node) cassette.Tool {
	if member(root, "http_interactions") != nil {
		return cassette.RubyVCR
	}
	if root.Kind == yaml.Mapping && has(root, "interactions") && looks == cassette.AgentTape {
		return cassette.AgentTape
	}
	interactions := member(root, "interactions")
	if interactions == nil {
		return toolWithoutList(root)
	}
	for _, n := range interactions.Elems {
		req, resp := member(n, "request"), member(n, "response")
		hasCode := member(resp, "code") != nil
		hasStatus := hasCode || member(resp, "status") != nil && member(n, "id") != nil
		switch {
		case member(n, "kind") != nil:
			return "" // a cassette of promptecho
		case member(req, "uri") != nil:
			return cassette.VCRpy
		case member(req, "url") != nil && hasStatus:
			return cassette.GoVCR
		}
	}
	// No interaction has the members of a tool. The version shows that it is a broken one of go-vcr.
	if len(interactions.Elems) > 0 && member(root, "version") != nil && looks == cassette.GoVCR {
		return cassette.GoVCR
	}
	return ""
}

// toolWithoutList returns the tool that has written a document without a list of interactions.
func toolWithoutList(root *yaml.Node) cassette.Tool {
	if root.Kind == yaml.Sequence && len(root.Elems) > 0 {
		req := member(root.Elems[0], "request")
		if member(req, "protocol") != nil && member(req, "host") != nil {
			return oldVCRpy
		}
		return ""
	}
	req, resp := member(root, "request"), member(root, "response")
	hasCode := member(member(resp, "status"), "code") != nil
	if member(req, "method") != nil && member(req, "url") != nil && hasCode {
		return TestAgent
	}
	return ""
}

// Unsupported describes a file with recordings in a format that import does not read; "" if the format
// is not known.
func Unsupported(data []byte) string {
	head := string(data[:min(len(data), 1<<20)])
	hasAll := func(texts ...string) bool {
		return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(head, text) })
	}
	switch {
	case strings.HasPrefix(head, "version https://git-lfs.github.com/spec/"):
		return "a pointer of Git LFS, not the file itself: run git lfs pull first"
	case hasAll(`"pactSpecification"`) || hasAll(`"consumer"`, `"provider"`, `"interactions"`):
		return "a contract of Pact"
	case hasAll(`"scope"`, `"method"`, `"path"`, `"response"`):
		return "a recording of nock"
	case hasAll(`"request"`, `"response"`) && wireMock.MatchString(head):
		return "stubs of WireMock"
	}
	return ""
}

// wireMock matches keys that stubs of WireMock have.
var wireMock = regexp.MustCompile(`"(?:urlPath|urlPattern|urlPathPattern|bodyPatterns|bodyFileName|mappings)"`)
