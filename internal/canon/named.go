package canon

import (
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
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

// A named is what a placeholder of a pattern stands for.
type named struct{ name, value string }

// prefixNames returns what is named in a part of a path.
func prefixNames(path []string) (names []named) {
	for i := 0; i < len(path); i++ {
		for _, p := range prefixes {
			if found, ok := matchParts(p[1:], "/", path[i:]); ok {
				names = append(names, found...)
				i += strings.Count(p[1:], "/")
				break
			}
		}
	}
	return names
}

// hostModel tells for what model a host is named, if for any.
var hostModel = memo.Strings[string]{Func: func(host string) string {
	labels := strings.Split(strings.ToLower(strings.TrimSuffix(host, ".")), ".")
	for _, p := range modelHosts {
		if names, ok := matchParts(p, ".", labels); ok && strings.Count(p, ".") == len(labels)-1 {
			return names[0].value
		}
	}
	return ""
}}

// named adds who is asked by path and host, and reports whether anybody is, there
// or in the body. No name takes the place of another.
func (b *Body) named(f *Family, names []named) bool {
	org := ""
	for _, n := range names {
		switch n.name {
		case "org":
			org += n.value + "/"
		case "model":
			b.nameModel("path/model", org+n.value)
			org = ""
		default:
			b.call.add(identity, "path/"+n.name, n.value)
		}
	}
	if f.NoModel || f.Server {
		return true
	}
	if model := hostModel.Get(b.url.Hostname()); model != "" {
		b.nameModel("host/model", model)
	}
	return modelOf(b.Value) != ""
}

// nameModel makes a model that stands outside the body the body's if that has
// none. If the body names another, both decide.
func (b *Body) nameModel(path, model string) {
	value := stringValue(model)
	if b.call.encoding != jsonBody {
		value = b.list(value)
	}
	switch m, own := b.Get("model"), modelOf(b.Value); {
	case m == nil || m.Kind == exactjson.Null || isString(m, ""):
		b.Set("model", value)
	case own == model:
	case strings.HasSuffix("/"+own, "/models/"+model): // Google's name of a resource
		replace(m, value)
	default:
		b.call.add(identity, path, model)
		b.call.model = model
	}
}

// within runs rules on an object inside the body, as if it were a body.
func (b *Body) within(v *exactjson.Value, rules []Rewrite) {
	if v == nil || v.Kind != exactjson.Object {
		return
	}
	inner := Body{Value: v, req: b.req, url: b.url, call: b.call}
	dropNull(v)
	for _, rule := range rules {
		rule(&inner)
	}
}
