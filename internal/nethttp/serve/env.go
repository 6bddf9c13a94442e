package serve

import (
	"cmp"
	"fmt"
	"strings"
)

// providers are those whose SDKs read their base URL from a variable.
var providers = []struct {
	variable string
	upstream string   // if the environment names none
	keys     []string // without which an SDK makes no client
}{
	{"OPENAI_BASE_URL", "https://api.openai.com/v1", []string{"OPENAI_API_KEY"}},
	{"ANTHROPIC_BASE_URL", "https://api.anthropic.com", []string{"ANTHROPIC_API_KEY"}},
	{"GOOGLE_GEMINI_BASE_URL", "https://generativelanguage.googleapis.com", []string{"GEMINI_API_KEY"}},
	{"OLLAMA_HOST", "http://127.0.0.1:11434", nil},
	{"AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "https://bedrock-runtime.REGION.amazonaws.com", []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}},
}

// Env returns environment variables, as "NAME=value", that lead the SDKs of a process to
// listeners. The upstream of each is what getenv returns for the variable, else the
// provider's own. The keys are what key returns for their names; empty ones are left out. If
// dummies says that these are none, AWS's SDK is kept from looking for others.
func (s *Server) Env(getenv, key func(name string) string, dummies bool) (env []string, err error) {
	region := cmp.Or(getenv("AWS_REGION"), getenv("AWS_DEFAULT_REGION"), "us-east-1")
	for _, p := range providers {
		upstream := cmp.Or(getenv(p.variable), strings.Replace(p.upstream, "REGION", region, 1))
		if p.variable == "OLLAMA_HOST" {
			upstream = ollamaURL(upstream)
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
		env = append(env, "AWS_SESSION_TOKEN=", "AWS_BEARER_TOKEN_BEDROCK=", "AWS_EC2_METADATA_DISABLED=true")
	} else if token := key("AWS_SESSION_TOKEN"); token != "" {
		env = append(env, "AWS_SESSION_TOKEN="+token)
	}
	// Go's clients ask loopback addresses without a proxy anyway; others want to be told.
	// Most read no_proxy first, so what stands in one of the two goes into the other.
	for _, names := range [][2]string{{"NO_PROXY", "no_proxy"}, {"no_proxy", "NO_PROXY"}} {
		direct := "127.0.0.1,localhost,::1"
		if others := cmp.Or(getenv(names[0]), getenv(names[1])); others != "" {
			direct = others + "," + direct
		}
		env = append(env, names[0]+"="+direct)
	}
	return env, nil
}

// ollamaURL returns the URL that a value of OLLAMA_HOST means: scheme and port may be
// missing (https://github.com/ollama/ollama/blob/main/envconfig/config.go).
func ollamaURL(host string) string {
	if strings.Contains(host, "://") {
		return host
	}
	name, port, _ := strings.Cut(host, ":")
	return "http://" + cmp.Or(name, "127.0.0.1") + ":" + cmp.Or(port, "11434")
}
