package canon

import (
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
)

// Who is asked is mostly the body's model. Where the path or the host name
// somebody, they decide too, and where no model is named at all, the server does:
// its origin, and all of its path and query.

// prefixes are what can stand before a family's own part of a path, under any
// further prefix, and names who is asked. The first that fits the segments at a
// place is taken; one that names nobody keeps those behind it from a name.
var prefixes = []string{
	"/deployments/v2/llms/{model}",                // Predibase
	"/deployments/{model}",                        // Azure OpenAI, also without /openai; SAP AI Core
	"/azure-openai/{resource}/{model}",            // Azure OpenAI behind Cloudflare's AI gateway
	"/engines/{model}",                            // OpenAI's engines, which LiteLLM has too
	"/endpoints/openapi",                          // all of Vertex's models
	"/endpoints/{model}",                          // one of Vertex's
	"/serving-endpoints/{model}",                  // Databricks
	"/models/{org}/{model}/v1",                    // Hugging Face
	"/v2/{model}/openai",                          // RunPod
	"/publishers/google", "/publishers/mistralai", // what they publish they serve by themselves too
	"/publishers/{publisher}",
	"/api/projects/{project}", "/applications/{application}", "/agents/{agent}", // Azure AI Foundry
	"/accounts/{account}", // Cloudflare
}

// modelHosts are the hosts that serve one model and are named for it, whatever
// the body says ("tgi", "azureai").
var modelHosts = []string{
	"{model}.{region}.models.ai.azure.com",
	"{model}.{region}.inference.ai.azure.com",
	"{model}.{region}.inference.ml.azure.com",
	"{model}.{region}.{cloud}.endpoints.huggingface.cloud",
	"{model}.{region}.prediction.vertexai.goog",
	"{model}.endpoints.kepler.ai.cloud.ovh.net",
	"{model}.ifr.{region}.scaleway.com",
	"{model}.agents.do-ai.run",
	"{model}.api.baseten.co",
	"{model}.proxy.runpod.net",
	"{model}.modal.run",
}

// hostModel tells for what model a host is named, if for any.
var hostModel = memo.Strings[string]{Func: func(host string) string {
	labels := strings.Split(strings.ToLower(strings.TrimSuffix(host, ".")), ".")
	for _, pattern := range modelHosts {
		if names, rest, ok := matchParts(pattern, ".", labels); ok && len(rest) == 0 {
			return names[0].value
		}
	}
	return ""
}}

// A named is what a placeholder of a pattern stands for.
type named struct{ name, value string }

// prefixNames returns what is named in a part of a path.
func prefixNames(path []string) (names []named) {
next:
	for len(path) > 0 {
		for _, pattern := range prefixes {
			if found, rest, ok := matchParts(pattern[1:], "/", path); ok {
				names, path = append(names, found...), rest
				continue next
			}
		}
		path = path[1:]
	}
	return names
}

// matchSuffix compares the end of a path with a pattern of a [Family], and tells
// where in the path the pattern starts.
func matchSuffix(pattern string, path []string) (names []named, start int, ok bool) {
	if pattern == "" {
		return nil, 0, true
	}
	last := len(path) - strings.Count(pattern, "/")
	first := last
	if strings.HasSuffix(pattern, "...}") {
		first = 0 // the rest starts wherever the segments before it stand first
	}
	for start := max(first, 0); start <= last; start++ {
		if names, _, ok := matchParts(pattern[1:], "/", path[start:]); ok {
			return names, start, true
		}
	}
	return nil, 0, false
}

// matchParts compares the parts of a pattern with the first segments of a path,
// or labels of a host. It returns what is named, and what of the path is left.
func matchParts(pattern, separator string, path []string) (names []named, rest []string, ok bool) {
	for part := range strings.SplitSeq(pattern, separator) {
		if len(path) == 0 {
			return nil, nil, false
		}
		segment := path[0]
		path = path[1:]
		before, placeholder, open := strings.Cut(part, "{")
		if !open {
			if part != segment {
				return nil, nil, false
			}
			continue
		}
		placeholder, after, _ := strings.Cut(placeholder, "}")
		name, takesRest := strings.CutSuffix(placeholder, "...")
		if takesRest {
			segment, path = strings.Join(append([]string{segment}, path...), "/"), nil
		}
		name, word, fixed := strings.Cut(name, "=")
		value, ok1 := strings.CutPrefix(segment, before)
		value, ok2 := strings.CutSuffix(value, after)
		if !ok1 || !ok2 || value == "" || fixed && value != word {
			return nil, nil, false
		}
		names = append(names, named{name, value})
	}
	return names, path, true
}
