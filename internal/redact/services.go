package redact

import (
	"regexp"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/memo"
)

// A secretBody is a kind of body that has secrets at known places, whatever the secrets
// look like. It is a body of an API that receives or returns secrets, or one of a model
// API with fields for the secrets of other servers. A body is of this kind if both the
// path of the URL and the text of the body match.
type secretBody struct {
	urlPath  func() *regexp.Regexp // nil matches any path
	contains string                // a text that the body contains; "" matches any body

	// The places of the secrets. A place is the last names of the path of a field; "*" is
	// any one name or index.
	places [][]string

	// A value whose name is only matched by "*" may also be data, unless the name says
	// that the value is a secret.
	mayHaveData bool

	// A value at a place is a secret only if it looks like a key: it may also be a name.
	onlyKeys bool
}

// secretBodies are the kinds of bodies that have secrets at known places. The first kind
// that has a secret at the place of a value decides. The places are split on first use,
// since few programs call these services.
var secretBodies = sync.OnceValue(func() []secretBody {
	return []secretBody{
		// Anthropic, MCP connector.
		{
			contains: `"authorization_token"`,
			places:   places("mcp_servers/*/authorization_token"),
		},

		// OpenAI, the MCP tool of the Responses API.
		{
			contains: `"authorization"`,
			places:   places("tools/*/authorization"),
		},

		// The same tool, HTTP tools of other vendors, xAI, Mistral.
		{
			contains:    `"headers"`,
			places:      places("tools/*/headers/*", "mcp_servers/*/headers/*"),
			mayHaveData: true,
		},

		// Azure OpenAI On Your Data, in both spellings; A2A: how the agent authenticates
		// when it sends a notification about a task.
		{
			contains: `"authentication"`,
			places: places(
				"data_sources/*/parameters/authentication/*",
				"dataSources/*/parameters/authentication/*",
				"parameters/embedding_dependency/authentication/*",
				"authentication/credentials",
				"config/token",
				"params/token",
			),
			mayHaveData: true,
		},

		// A2A: "pushNotificationConfig" and "taskPushNotificationConfig".
		{
			contains: `ushNotificationConfig`,
			places: places(
				"pushNotificationConfig/token",
				"taskPushNotificationConfig/token",
				"config/token",
				"params/token",
			),
		},

		// OpenAI, realtime sessions.
		{
			contains: `"client_secret"`,
			places:   places("client_secret/value"),
		},

		// Vertex AI, external grounding; Gemini, Google Maps and others.
		{
			contains: `"apiKeyString"`,
			places: places(
				"apiAuth/apiKeyConfig/apiKeyString",
				"authConfig/apiKeyConfig/apiKeyString",
			),
		},

		// Kubernetes, Google, Azure, Doppler and Infisical:
		// https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/secret-v1/
		// https://cloud.google.com/secret-manager/docs/reference/rest/v1/projects.secrets.versions/access
		// https://learn.microsoft.com/rest/api/keyvault/secrets/get-secret/get-secret
		{
			urlPath: memo.Regexp(`/secrets?(?:/|$)`),
			places: places(
				"data/*",
				"stringData/*",
				"payload/data",
				"value",
				"secretValue",
				"secrets/*/raw",
				"secrets/*/computed",
			),
		},

		// Azure Resource Manager: listKeys, listAdminKeys, regenerateKey, listCredentials
		// and others.
		{
			urlPath: memo.Regexp(`(?i)/(?:list|regenerate)\w*` +
				`(?:keys?|secrets|credentials?|connectionstrings|sas)$`),
			places: places(
				"key1",
				"key2",
				"primaryKey",
				"secondaryKey",
				"keys/*/value",
				"passwords/*/value",
				"primaryMasterKey",
				"secondaryMasterKey",
				"primaryReadonlyMasterKey",
				"secondaryReadonlyMasterKey",
				"primaryConnectionString",
				"secondaryConnectionString",
				"connectionStrings/*/connectionString",
				"accountSasToken",
				"serviceSasToken",
			),
		},

		// HashiCorp Vault, https://developer.hashicorp.com/vault/api-docs
		{
			urlPath:  memo.Regexp(`/v1/(?:sys/wrapping|[^s/]|s[^y/])`),
			contains: `"lease_duration"`,
			places: places(
				"data/*",
				"data/data/*",
				"auth/client_token",
				"auth/accessor",
				"wrap_info/token",
				"wrap_info/accessor",
			),
		},

		// APIs that create, return or list API keys: Meilisearch, Typesense, Algolia and
		// Deepgram, by the members of a key.
		{
			urlPath:  keysPath,
			contains: `"actions"`,
			places:   places("key", "value", "results/*/key", "keys/*/value"),
			onlyKeys: true,
		},
		{
			urlPath:  keysPath,
			contains: `"scopes"`,
			places:   places("key"),
			onlyKeys: true,
		},
		{
			urlPath:  keysPath,
			contains: `"createdAt"`,
			places:   places("key", "keys/*/value"),
			onlyKeys: true,
		},
		{
			urlPath:  keysPath,
			contains: `"admin_key"`,
			places:   places("admin_key", "search_only_key"),
			onlyKeys: true,
		},

		// Elasticsearch, tokens of services and of new nodes.
		{
			urlPath: memo.Regexp(`/_security/`),
			places:  places("token/value", "encoded"),
		},

		// Realtime sessions of OpenAI and xAI.
		{
			urlPath:  memo.Regexp(`/realtime/client_secrets$`),
			places:   places("value"),
			onlyKeys: true,
		},

		// Upstash, the tokens of databases and indexes.
		{
			urlPath: memo.Regexp(`/v2/(?:vector/index|redis/database|search)`),
			places: places(
				"token",
				"rest_token",
				"read_only_token",
				"read_only_rest_token",
				"readOnlyToken",
			),
			onlyKeys: true,
		},

		// Secrets with which agents log in to other servers: vaults of OpenAI and of
		// Anthropic, credentials of Gemini.
		{
			urlPath:  memo.Regexp(`/(?:vaults|credentials)(?:/|$)`),
			contains: `"static_bearer"`,
			places:   places("auth/token"),
			onlyKeys: true,
		},
		{
			urlPath:  memo.Regexp(`/credentials(?:/|$)`),
			contains: `"bearer_token"`,
			places:   places("token"),
			onlyKeys: true,
		},
		{
			urlPath:  memo.Regexp(`/credentials(?:/|$)`),
			contains: `"environment_variable"`,
			places:   places("value"),
			onlyKeys: true,
		},

		// OpenAI, containers.
		{
			contains: `"domain_secrets"`,
			places:   places("network_policy/domain_secrets/*/value"),
			onlyKeys: true,
		},

		// Hugging Face, jobs.
		{
			urlPath:  memo.Regexp(`/jobs(?:/|$)`),
			contains: `"secrets"`,
			places:   places("secrets/*"),
			onlyKeys: true,
		},

		// Vercel, environment variables of a project.
		{
			urlPath:  memo.Regexp(`/projects/[^/]+/env(?:/|$)`),
			contains: `"key"`,
			places:   places("value"),
			onlyKeys: true,
		},

		// Snowflake, sessions.
		{
			urlPath:  memo.Regexp(`/session/v1/`),
			places:   places("data/token", "data/masterToken"),
			onlyKeys: true,
		},

		// HashiCorp Vault, exported keys of the transit engine.
		{
			urlPath:  memo.Regexp(`/transit/export/`),
			contains: `"lease_duration"`,
			places:   places("data/keys/*"),
		},
	}
})

// keysPath matches the path of API keys, such as "/v1/keys" and "/1/api_keys/7".
var keysPath = memo.Regexp(`(?:/|api[-_]?)keys(?:/[^/]+)?$`)

// places splits places such as "tools/*/authorization" into names.
func places(list ...string) [][]string {
	return group.Each(list, func(place string) []string {
		return strings.Split(place, "/")
	})
}

// secretBodiesOf returns the kinds of bodies with secrets that a request to a URL, or its
// response, may have.
func secretBodiesOf(url string) []secretBody {
	path := splitURL(url).path
	found := make([]secretBody, 0, 12) // most belong to one service
	for _, body := range secretBodies() {
		if body.urlPath == nil || body.urlPath().MatchString(path) {
			found = append(found, body)
		}
	}
	return found
}
