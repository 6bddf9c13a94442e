package serve

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// A provider is a service whose SDKs read a base URL from a variable.
type provider struct {
	variable string

	// The default of the SDK; REGION is replaced. If it is empty, the variable is set
	// only if the user has set it to a gateway, as its presence makes an SDK decide
	// something else, or as the upstream is not known without it.
	upstream string

	// Variables without which the SDK refuses to make a client. They are set with the
	// variable. A key of several providers stands at the first of them.
	keys []string

	// Returns the URL that the SDK makes of a value; nil if the value is the URL.
	parse func(value string) string

	// Endings of hosts that say more to the SDK than where to send requests, such as the
	// region. A value with such a host stays as it is.
	meaningful []string
}

// providers has the services whose SDKs take plain HTTP at the URL of a variable. These
// variables are not in it, because something that works would break:
//
//	AZURE_OPENAI_ENDPOINT  clients of Azure for Go send no key without TLS
//	HF_ENDPOINT            downloads of models would be recorded, too
var providers = []provider{
	{
		variable: "OPENAI_BASE_URL",
		upstream: "https://api.openai.com/v1",
		keys:     []string{"OPENAI_API_KEY"},
	},
	{
		variable: "ANTHROPIC_BASE_URL",
		upstream: "https://api.anthropic.com",
		keys:     []string{"ANTHROPIC_API_KEY"},
	},
	{
		variable: "GOOGLE_GEMINI_BASE_URL",
		upstream: "https://generativelanguage.googleapis.com",
		keys:     []string{"GEMINI_API_KEY"},
	},
	{
		variable: "OLLAMA_HOST",
		upstream: "http://127.0.0.1:11434",
		parse:    ollamaURL,
	},
	{
		variable: "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
		upstream: "https://bedrock-runtime.REGION.amazonaws.com",
		keys:     []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"},
	},
	{
		variable: "AWS_ENDPOINT_URL_BEDROCK_AGENT_RUNTIME",
		upstream: "https://bedrock-agent-runtime.REGION.amazonaws.com",
	},
	{
		variable: "ANTHROPIC_BEDROCK_BASE_URL",
		upstream: "https://bedrock-runtime.REGION.amazonaws.com",
	},
	{
		variable: "ANTHROPIC_BEDROCK_MANTLE_BASE_URL",
		upstream: "https://bedrock-mantle.REGION.api.aws/anthropic",
	},
	{
		variable: "CEREBRAS_BASE_URL",
		upstream: "https://api.cerebras.ai",
		keys:     []string{"CEREBRAS_API_KEY"},
	},
	{
		variable: "CO_API_URL",
		upstream: "https://api.cohere.com",
		keys:     []string{"CO_API_KEY"},
		parse:    cohereURL,
	},
	{
		variable: "GROQ_BASE_URL",
		upstream: "https://api.groq.com",
		keys:     []string{"GROQ_API_KEY"},
	},
	{
		variable: "OPENROUTER_BASE_URL",
		upstream: "https://openrouter.ai/api/v1",
	},
	{
		variable: "PERPLEXITY_BASE_URL",
		upstream: "https://api.perplexity.ai",
		keys:     []string{"PERPLEXITY_API_KEY"},
	},
	{
		variable: "REPLICATE_BASE_URL",
		upstream: "https://api.replicate.com",
	},
	{
		variable: "TOGETHER_BASE_URL",
		upstream: "https://api.together.ai/v1",
		keys:     []string{"TOGETHER_API_KEY"},
	},

	// LangChain prefers OPENAI_API_BASE to OPENAI_BASE_URL.
	{variable: "OPENAI_API_BASE"},
	// OpenAI's SDKs take the endpoint (Mantle or Runtime) and the region from the host.
	{variable: "AWS_BEDROCK_BASE_URL", meaningful: []string{".amazonaws.com", ".api.aws"}},
	// With the variable, Google's SDKs send no project, no location and no credentials.
	{variable: "GOOGLE_VERTEX_BASE_URL", meaningful: []string{".googleapis.com"}},
	// The upstream depends on the location, which most programs have in their code.
	{variable: "ANTHROPIC_VERTEX_BASE_URL"},
	// The SDK refuses the variable next to ANTHROPIC_FOUNDRY_RESOURCE.
	{variable: "ANTHROPIC_FOUNDRY_BASE_URL"},
}

// upstreamFor returns the URL of the service for a value of its variable, which may be
// empty; "" if the variable is to be left as it is.
func (p *provider) upstreamFor(value, region string) string {
	if p.upstream == "" && !p.leadsToGateway(value) {
		return ""
	}
	if value == "" {
		return strings.Replace(p.upstream, "REGION", region, 1)
	}
	if p.parse != nil {
		return p.parse(value)
	}
	return value
}

// leadsToGateway reports whether a value is a base URL whose host the SDK only calls.
func (p *provider) leadsToGateway(value string) bool {
	u, err := url.Parse(value)
	if err != nil || !isUpstream(u) {
		return false
	}
	isMeaningful := func(ending string) bool { return strings.HasSuffix(u.Hostname(), ending) }
	return !slices.ContainsFunc(p.meaningful, isMeaningful)
}

// Env returns environment variables, as "NAME=value", that make the SDKs of a process
// send their requests to listeners. The upstream of a listener is the value that getenv
// returns for the variable, or else the default of the SDK. A variable without a value is
// left out if its provider has no default. key returns the value of an API key; an empty
// one is left out. dummies says that the keys are placeholders: then the SDK of AWS must
// not look for real keys elsewhere.
func (s *Server) Env(getenv, key func(name string) string, dummies bool) (env []string, err error) {
	region := cmp.Or(getenv("AWS_REGION"), getenv("AWS_DEFAULT_REGION"), "us-east-1")
	for _, p := range providers {
		upstream := p.upstreamFor(getenv(p.variable), region)
		if upstream == "" {
			continue
		}
		address, err := s.URL(upstream)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.variable, err)
		}
		env = append(env, p.variable+"="+address)
		for _, name := range p.keys {
			if value := key(name); value != "" {
				env = append(env, name+"="+value)
			}
		}
	}
	env = append(env, "AWS_REGION="+region, "AWS_DEFAULT_REGION="+region)
	if dummies {
		env = append(env, "AWS_SESSION_TOKEN=", "AWS_EC2_METADATA_DISABLED=true")
		// AWS's SDK for JavaScript uses the token if the variable is there, and fails if it is empty.
		if getenv("AWS_BEARER_TOKEN_BEDROCK") != "" {
			env = append(env, "AWS_BEARER_TOKEN_BEDROCK="+key("AWS_BEARER_TOKEN_BEDROCK"))
		}
	} else if token := key("AWS_SESSION_TOKEN"); token != "" {
		env = append(env, "AWS_SESSION_TOKEN="+token)
	}
	// Clients other than Go's use a proxy also for loopback addresses, unless these
	// variables except them. Most clients read no_proxy first, so that each variable
	// gets the value of the other one if it has none.
	upper, lower := getenv("NO_PROXY"), getenv("no_proxy")
	env = append(env, "NO_PROXY="+withLoopback(cmp.Or(upper, lower)))
	env = append(env, "no_proxy="+withLoopback(cmp.Or(lower, upper)))
	return env, nil
}

// withLoopback adds the names of this machine to a list of hosts.
func withLoopback(hosts string) string {
	const loopback = "127.0.0.1,localhost,::1"
	if hosts == "" {
		return loopback
	}
	return hosts + "," + loopback
}

// ollamaURL returns the URL of a value of OLLAMA_HOST, which may have no scheme and no
// port (https://github.com/ollama/ollama/blob/main/envconfig/config.go).
func ollamaURL(host string) string {
	if strings.Contains(host, "://") {
		return host
	}
	name, port, _ := strings.Cut(host, ":")
	return "http://" + cmp.Or(name, "127.0.0.1") + ":" + cmp.Or(port, "11434")
}

// cohereURL returns the URL of a value of CO_API_URL without the version, which the paths
// of Cohere's SDK have. The SDK does the same to a URL of Cohere's
// (https://github.com/cohere-ai/cohere-python/blob/main/src/cohere/client.py).
func cohereURL(value string) string {
	return strings.TrimSuffix(strings.TrimSuffix(value, "/"), "/v1")
}
