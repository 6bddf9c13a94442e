package redact

import (
	"regexp"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
)

// A service gives and takes secrets, whatever these look like: on some paths, in bodies that have
// a text in them, at places like those of secretPaths.
type service struct {
	path   func() *regexp.Regexp
	mark   string
	places [][]string
}

var services = []service{
	// Kubernetes, https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/secret-v1/
	// Google, https://cloud.google.com/secret-manager/docs/reference/rest/v1/projects.secrets.versions/access
	// Azure, https://learn.microsoft.com/rest/api/keyvault/secrets/get-secret/get-secret; Doppler, Infisical.
	{memo.Regexp(`/secrets?(?:/|$)`), "", places(`data/* stringData/* payload/data value secretValue secrets/*/raw secrets/*/computed`)},
	// Azure Resource Manager: listKeys, listAdminKeys, regenerateKey, listCredentials and others.
	{memo.Regexp(`(?i)/(?:list|regenerate)\w*(?:keys?|secrets|credentials?|connectionstrings|sas)$`), "", places(`key1 key2
		primaryKey secondaryKey keys/*/value passwords/*/value primaryMasterKey secondaryMasterKey primaryReadonlyMasterKey
		secondaryReadonlyMasterKey primaryConnectionString secondaryConnectionString connectionStrings/*/connectionString
		accountSasToken serviceSasToken`)},
	// HashiCorp Vault, https://developer.hashicorp.com/vault/api-docs
	{memo.Regexp(`/v1/(?:sys/wrapping|[^s/]|s[^y/])`), `"lease_duration"`, places(`data/* data/data/* auth/client_token auth/accessor
		wrap_info/token wrap_info/accessor`)},
	{memo.Regexp(`/transit/export/`), `"lease_duration"`, places(`data/keys/*`)},
}

func places(list string) (all [][]string) {
	for place := range strings.FieldsSeq(list) {
		all = append(all, strings.Split(place, "/"))
	}
	return all
}

// secureStrings find parameters of AWS Systems Manager that are such,
// https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_Parameter.html
var secureStrings = [...]func() *regexp.Regexp{
	memo.Regexp(`"Type"\s*:\s*"SecureString"[^{}]*?"Value"\s*:\s*"((?:[^"\\]|\\.)*)"`),
	memo.Regexp(`"Value"\s*:\s*"((?:[^"\\]|\\.)*)"[^{}"]*(?:"[^{}"]*"\s*:\s*(?:"[^{}"]*"|[^{}",]*),?\s*)*?"Type"\s*:\s*"SecureString"`),
}

// servicesOf returns those that a request goes to.
func servicesOf(url string) (found []service) {
	path := cut(url).path
	for _, s := range services {
		if s.path().MatchString(path) {
			found = append(found, s)
		}
	}
	return found
}
