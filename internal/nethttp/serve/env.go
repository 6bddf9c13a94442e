package serve

import (
	"cmp"
	"fmt"
	"strings"
)

// providers has the services whose SDKs read a base URL from a variable.
var providers = []struct {
	variable string
	upstream string   // the default of the SDK; REGION is replaced
	keys     []string // variables without which the SDK refuses to make a client
}{
	{"OPENAI_BASE_URL", "https://api.openai.com/v1", []string{"OPENAI_API_KEY"}},
	{"ANTHROPIC_BASE_URL", "https://api.anthropic.com", []string{"ANTHROPIC_API_KEY"}},
	{"GOOGLE_GEMINI_BASE_URL", "https://generativelanguage.googleapis.com", []string{"GEMINI_API_KEY"}},
	{"OLLAMA_HOST", "http://127.0.0.1:11434", nil},
	{
		"AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
		"https://bedrock-runtime.REGION.amazonaws.com",
		[]string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"},
	},
}

// Env returns environment variables, as "NAME=value", that make the SDKs of a process
// send their requests to listeners. The upstream of a listener is the value that getenv
// returns for the variable, or else the default of the SDK. key returns the value of an
// API key; an empty one is left out. dummies says that the keys are placeholders: then
// the SDK of AWS must not look for real keys elsewhere.
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
		env = append(env, "AWS_SESSION_TOKEN=", "AWS_EC2_METADATA_DISABLED=true")
		// AWS's SDK for JavaScript uses the token if the variable is there, even if it is empty.
		if getenv("AWS_BEARER_TOKEN_BEDROCK") != "" {
			env = append(env, "AWS_BEARER_TOKEN_BEDROCK=")
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
