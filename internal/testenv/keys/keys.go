// Package keys knows the environment variables from which SDKs of model providers read
// credentials.
package keys

import (
	"maps"
	"slices"
)

// hosts has the host that a credential is for, by the variable. It is empty for the names that
// several services share.
var hosts = map[string]string{
	"ANTHROPIC_API_KEY":        "api.anthropic.com",
	"ANTHROPIC_AUTH_TOKEN":     "api.anthropic.com",
	"AWS_BEARER_TOKEN_BEDROCK": "bedrock-runtime.REGION.amazonaws.com",
	"AWS_SECRET_ACCESS_KEY":    "bedrock-runtime.REGION.amazonaws.com",
	"AZURE_OPENAI_API_KEY":     "",
	"CO_API_KEY":               "api.cohere.com",
	"COHERE_API_KEY":           "api.cohere.com",
	"DEEPSEEK_API_KEY":         "api.deepseek.com",
	"GEMINI_API_KEY":           "generativelanguage.googleapis.com",
	"GOOGLE_API_KEY":           "generativelanguage.googleapis.com",
	"GROQ_API_KEY":             "api.groq.com",
	"MISTRAL_API_KEY":          "api.mistral.ai",
	"OLLAMA_API_KEY":           "ollama.com",
	"OPENAI_ADMIN_KEY":         "api.openai.com",
	"OPENAI_API_KEY":           "api.openai.com",
	"OPENROUTER_API_KEY":       "openrouter.ai",
	"PERPLEXITY_API_KEY":       "api.perplexity.ai",
	"TOGETHER_API_KEY":         "api.together.xyz",
	"XAI_API_KEY":              "api.x.ai",
}

// Names returns the variables, in alphabetical order.
func Names() []string { return slices.Sorted(maps.Keys(hosts)) }

// Host returns the host that the credential of a variable is for; "" if it is not known.
func Host(name string) string { return hosts[name] }
