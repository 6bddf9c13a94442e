package redact

import (
	"regexp"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/memo"
)

// A holder is a kind of body that has secrets at known places, whatever the secrets look
// like. It is a body of an API that receives or returns secrets, or one of a model API
// with fields for the secrets of other servers.
type holder struct {
	path func() *regexp.Regexp // matches the path of the URL; nil matches any
	mark string                // the body must contain it

	// The places of the secrets: the last names of a path, where "*" is any one name or
	// index.
	places [][]string

	mixed bool // a value at a "*" may also be data, unless its name says that it is a secret
	looks bool // a value is a secret only if it looks like a key, since it may also be a name
}

// holders are split into places on first use, since few programs call these services.
var holders = sync.OnceValue(func() []holder {
	return []holder{
		{mark: `"authorization_token"`, places: places(`mcp_servers/*/authorization_token`)}, // Anthropic, MCP connector
		{mark: `"authorization"`, places: places(`tools/*/authorization`)},                   // OpenAI, Responses' MCP tool
		// The same, vendors' HTTP tools, xAI, Mistral.
		{mark: `"headers"`, places: places(`tools/*/headers/* mcp_servers/*/headers/*`), mixed: true},
		// Azure OpenAI, on your data, and its older spelling; A2A, where an agent is to tell of a task.
		{mark: `"authentication"`, places: places(`data_sources/*/parameters/authentication/* dataSources/*/parameters/authentication/*
		parameters/embedding_dependency/authentication/* authentication/credentials config/token params/token`), mixed: true},
		{mark: `ushNotificationConfig`, places: places(`pushNotificationConfig/token taskPushNotificationConfig/token config/token params/token`)},
		{mark: `"client_secret"`, places: places(`client_secret/value`)}, // OpenAI, realtime sessions
		// Vertex AI, external grounding; Gemini, Google Maps and others.
		{mark: `"apiKeyString"`, places: places(`apiAuth/apiKeyConfig/apiKeyString authConfig/apiKeyConfig/apiKeyString`)},
		// Kubernetes, https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/secret-v1/
		// Google, https://cloud.google.com/secret-manager/docs/reference/rest/v1/projects.secrets.versions/access
		// Azure, https://learn.microsoft.com/rest/api/keyvault/secrets/get-secret/get-secret; Doppler, Infisical.
		{path: memo.Regexp(`/secrets?(?:/|$)`), places: places(`data/* stringData/* payload/data value secretValue secrets/*/raw secrets/*/computed`)},
		// Azure Resource Manager: listKeys, listAdminKeys, regenerateKey, listCredentials and others.
		{path: memo.Regexp(`(?i)/(?:list|regenerate)\w*(?:keys?|secrets|credentials?|connectionstrings|sas)$`), places: places(`key1 key2
		primaryKey secondaryKey keys/*/value passwords/*/value primaryMasterKey secondaryMasterKey primaryReadonlyMasterKey
		secondaryReadonlyMasterKey primaryConnectionString secondaryConnectionString connectionStrings/*/connectionString
		accountSasToken serviceSasToken`)},
		// HashiCorp Vault, https://developer.hashicorp.com/vault/api-docs
		{path: memo.Regexp(`/v1/(?:sys/wrapping|[^s/]|s[^y/])`), mark: `"lease_duration"`, places: places(`data/* data/data/* auth/client_token auth/accessor
		wrap_info/token wrap_info/accessor`)},
		// Who asks for a key gets one: Meilisearch, Typesense, Algolia, Deepgram; tokens of services and of new nodes of
		// Elasticsearch; of sessions of xAI; what Upstash's databases and indexes are opened with.
		{path: keysPath, mark: `"actions"`, places: places("key value results/*/key keys/*/value"), looks: true},
		{path: keysPath, mark: `"scopes"`, places: places("key"), looks: true},
		{path: keysPath, mark: `"createdAt"`, places: places("key keys/*/value"), looks: true},
		{path: keysPath, mark: `"admin_key"`, places: places("admin_key search_only_key"), looks: true},
		{path: memo.Regexp(`/_security/`), places: places("token/value encoded")},
		{path: memo.Regexp(`/realtime/client_secrets$`), places: places("value"), looks: true},
		{path: memo.Regexp(`/v2/(?:vector/index|redis/database|search)`), places: places("token rest_token read_only_token read_only_rest_token readOnlyToken"), looks: true},
		// What agents log in to other servers with: vaults of OpenAI and of Anthropic, Gemini's credentials; containers of OpenAI,
		// jobs of Hugging Face, variables of Vercel's projects, sessions of Snowflake.
		{path: memo.Regexp(`/(?:vaults|credentials)(?:/|$)`), mark: `"static_bearer"`, places: places("auth/token"), looks: true},
		{path: memo.Regexp(`/credentials(?:/|$)`), mark: `"bearer_token"`, places: places("token"), looks: true},
		{path: memo.Regexp(`/credentials(?:/|$)`), mark: `"environment_variable"`, places: places("value"), looks: true},
		{mark: `"domain_secrets"`, places: places("network_policy/domain_secrets/*/value"), looks: true},
		{path: memo.Regexp(`/jobs(?:/|$)`), mark: `"secrets"`, places: places("secrets/*"), looks: true},
		{path: memo.Regexp(`/projects/[^/]+/env(?:/|$)`), mark: `"key"`, places: places("value"), looks: true},
		{path: memo.Regexp(`/session/v1/`), places: places("data/token data/masterToken"), looks: true},
		{path: memo.Regexp(`/transit/export/`), mark: `"lease_duration"`, places: places(`data/keys/*`)},
	}
})

var keysPath = memo.Regexp(`(?:/|api[-_]?)keys(?:/[^/]+)?$`)

func places(list string) [][]string {
	return group.Each(strings.Fields(list), func(place string) []string { return strings.Split(place, "/") })
}

// holdersOf returns the holders that may be in the body of a request to a URL, or in that
// of its response.
func holdersOf(url string) []holder {
	path := splitURL(url).path
	found := make([]holder, 0, 12) // most belong to one service
	for _, h := range holders() {
		if h.path == nil || h.path().MatchString(path) {
			found = append(found, h)
		}
	}
	return found
}
