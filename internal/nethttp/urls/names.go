package urls

import (
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
)

// A request is answered by a model. In most requests the body names the model. The path
// and the host may name it as well, or a deployment or an agent; this file has the
// patterns for both. Without any name, the server itself stands for the model: its
// origin, path and query.

// Prefixes are patterns for the part of a path that comes before the part of the API,
// and names what answers. The first pattern that matches the segments at a place is
// used. A pattern without a name keeps later patterns from taking its words for a name.
var Prefixes = []string{
	"/deployments/v2/llms/{model}",                       // Predibase
	"/deployments/{model}",                               // Azure OpenAI, also without /openai; SAP AI Core
	"/azure-openai/{resource}/{model}",                   // Azure OpenAI behind Cloudflare's AI gateway
	"/engines/v1", "/engines/llama.cpp", "/engines/vllm", // Docker Model Runner
	"/engines/{model}",                            // OpenAI's engines, which LiteLLM has too
	"/endpoints/openapi",                          // all of Vertex's models
	"/endpoints/{model}",                          // one of Vertex's
	"/serving-endpoints/{model}",                  // Databricks
	"/models/{org}/{model}/v1",                    // Hugging Face
	"/v2/{model}/openai",                          // RunPod
	"/publishers/google", "/publishers/mistralai", // they serve the same models elsewhere, too
	"/publishers/{publisher}",
	"/api/projects/{project}", "/applications/{application}", "/agents/{agent}", // Azure AI Foundry
	"/accounts/{account}", // Cloudflare
}

// ModelHosts are patterns for hosts that serve one model and have its name, whatever
// model the body names ("tgi", "azureai").
var ModelHosts = []string{
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

// HostModel returns the model in the name of a host, and "" if there is none.
var HostModel = memo.Strings[string]{Func: func(host string) string {
	labels := strings.Split(strings.ToLower(strings.TrimSuffix(host, ".")), ".")
	for _, pattern := range ModelHosts {
		if names, rest, ok := MatchParts(pattern, ".", labels); ok && len(rest) == 0 {
			return names[0].Value
		}
	}
	return ""
}}

// PrefixNames returns the names that Prefixes find in the segments of a path.
func PrefixNames(path []string) []Named {
	var names []Named
	for len(path) > 0 {
		found, rest, ok := matchPrefix(path)
		if !ok {
			path = path[1:]
			continue
		}
		names = append(names, found...)
		path = rest
	}
	return names
}

// matchPrefix matches the beginning of a path with Prefixes.
func matchPrefix(path []string) (names []Named, rest []string, ok bool) {
	for _, pattern := range Prefixes {
		names, rest, ok = MatchParts(pattern[1:], "/", path)
		if ok {
			return names, rest, true
		}
	}
	return nil, nil, false
}
