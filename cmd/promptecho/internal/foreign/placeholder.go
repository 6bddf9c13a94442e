package foreign

import (
	"regexp"
	"strings"

	"github.com/promptecho/promptecho/internal/redact"
)

// filtered matches a placeholder with which filter_sensitive_data of ruby VCR replaces texts anywhere in
// an interaction. Its documentation recommends a name in angle brackets, that of R in several. A client
// escapes such brackets in a URL, so they are no part of the original.
var filtered = regexp.MustCompile(`<+([A-Za-z][\w .-]*)>+`)

// withPlaceholders returns a URL with placeholders of promptecho, which match any text in a request:
//
//	<API_BASE>/chat            https://<API_BASE>/chat       any server and any prefix
//	https://api.<REGION>.test  as it is                      any text without a slash
//	http://localhost:<PORT>/x  http://localhost/x            the port of a local server is not compared
//	https://h.test/?team=<ID>  https://h.test/?team=[REDACTED]
//
// ok is false for a URL without placeholders.
func withPlaceholders(url string) (kept string, ok bool) {
	if !filtered.MatchString(url) || strings.Contains(url, "<%") {
		return url, false
	}
	base, query, hasQuery := strings.Cut(url, "?")
	base = filtered.ReplaceAllStringFunc(base, func(placeholder string) string {
		name := filtered.FindStringSubmatch(placeholder)[1]
		return "<" + strings.ReplaceAll(name, " ", "_") + ">"
	})
	if strings.HasPrefix(base, "<") {
		base = "https://" + base
	}
	kept = filteredPort.ReplaceAllString(base, "$1$2")
	if hasQuery {
		kept += "?" + filtered.ReplaceAllLiteralString(query, redact.Placeholder)
	}
	return kept, true
}

// filteredValue matches a placeholder that is all of a string of JSON, or of a value of a form.
// In a body a name in lower case may be an element of XML.
var filteredValue = regexp.MustCompile(`["=](?:<|%3C)+[A-Z][A-Z0-9_]+(?:>|%3E)+(?:["&]|$)`)

// filteredPort matches a port that is a placeholder, between what is before it and behind it.
var filteredPort = regexp.MustCompile(`^(https?://[^/?#]+):<[^/>]*>(/|$)`)
