package urls

import (
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
)

// Who is asked is mostly the body's model. Where the path or the host name
// somebody, they decide too, and where no model is named at all, the server does:
// its origin, and all of its path and query.

// Prefixes are what can stand before a family's own part of a path, under any
// further prefix, and names who is asked. The first that fits the segments at a
// place is taken; one that names nobody keeps those behind it from a name.
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
	"/publishers/google", "/publishers/mistralai", // what they publish they serve by themselves too
	"/publishers/{publisher}",
	"/api/projects/{project}", "/applications/{application}", "/agents/{agent}", // Azure AI Foundry
	"/accounts/{account}", // Cloudflare
}

// ModelHosts are the hosts that serve one model and are named for it, whatever
// the body says ("tgi", "azureai").
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

// HostModel tells for what model a host is named, if for any.
var HostModel = memo.Strings[string]{Func: func(host string) string {
	labels := strings.Split(strings.ToLower(strings.TrimSuffix(host, ".")), ".")
	for _, pattern := range ModelHosts {
		if names, rest, ok := MatchParts(pattern, ".", labels); ok && len(rest) == 0 {
			return names[0].Value
		}
	}
	return ""
}}

// PrefixNames returns what is named in a part of a path.
func PrefixNames(path []string) (names []Named) {
next:
	for len(path) > 0 {
		for _, pattern := range Prefixes {
			if found, rest, ok := MatchParts(pattern[1:], "/", path); ok {
				names, path = append(names, found...), rest
				continue next
			}
		}
		path = path[1:]
	}
	return names
}
