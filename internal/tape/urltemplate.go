package tape

import (
	"regexp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/redact"
)

// A recording that was imported may have placeholders in its URL:
// filter_sensitive_data of ruby VCR, for example, writes "<API_BASE>/chat" for
// "https://api.example.com/v1/chat". Import keeps "<NAME>" in the host and in
// the path, and writes [REDACTED] for such a value of the query.

// urlPlaceholder matches a placeholder in front of the query. No client sends
// these brackets.
var urlPlaceholder = memo.Regexp(`<[^<>/?#]+>`)

// A urlTemplate is the URL of recordings that has placeholders.
type urlTemplate struct {
	url   string
	base  *regexp.Regexp // matches what is in front of the query; nil if that has no placeholder
	query []string       // the parameters whose values are placeholders, as "name=value"
}

// urlTemplatesOf returns the URLs of recordings that have placeholders, each
// once.
func urlTemplatesOf(recs []*Recording) []urlTemplate {
	var templates []urlTemplate
	seen := map[string]bool{}
	for _, rec := range recs {
		rec.viewContent(func(req *interaction.Request, _ *interaction.Response) {
			if seen[req.URL] {
				return
			}
			seen[req.URL] = true
			template := newURLTemplate(req.URL)
			if template.base != nil || len(template.query) > 0 {
				templates = append(templates, template)
			}
		})
	}
	return templates
}

// newURLTemplate finds the placeholders in a recorded URL.
func newURLTemplate(url string) urlTemplate {
	tmpl := urlTemplate{url: url}
	base, query, _ := strings.Cut(url, "?")
	if urlPlaceholder().MatchString(base) {
		tmpl.base = baseExpr(base)
	}
	for parameter := range strings.SplitSeq(query, "&") {
		_, value, _ := strings.Cut(parameter, "=")
		isPlaceholder := strings.Contains(value, redact.Placeholder) ||
			strings.Contains(value, "%5BREDACTED%5D")
		if isPlaceholder {
			tmpl.query = append(tmpl.query, parameter)
		}
	}
	return tmpl
}

// baseExpr returns an expression for the part of a URL in front of the query:
//
//	placeholder                 matches
//	the whole host              host, port and the first segments of the path
//	in the host                 a part of the host
//	in a segment of the path    a part of the segment
//
// The scheme may be http or https.
func baseExpr(base string) *regexp.Regexp {
	_, rest, _ := strings.Cut(base, "://")
	host, path, hasPath := strings.Cut(rest, "/")
	if hasPath {
		path = "/" + path
	}
	hostExpr := exprOf(host, `[^/:]+`)
	isWholeHost := urlPlaceholder().FindString(host) == host
	if isWholeHost {
		hostExpr = `.+`
	}
	return regexp.MustCompile(`^(?i:https?://` + hostExpr + `)` + exprOf(path, `[^/]+`) + `$`)
}

// exprOf returns an expression for a text in which the expression anything
// stands for each placeholder.
func exprOf(text, anything string) string {
	parts := urlPlaceholder().Split(text, -1)
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return strings.Join(parts, anything)
}

// fill returns an incoming URL with the placeholders of the template where it
// has other texts. ok is false if the URL differs elsewhere in front of the
// query, or has no text for a placeholder.
func (tmpl *urlTemplate) fill(url string) (filled string, ok bool) {
	base, query, hasQuery := strings.Cut(url, "?")
	if tmpl.base != nil {
		if !tmpl.base.MatchString(base) {
			return "", false
		}
		base, _, _ = strings.Cut(tmpl.url, "?")
	}
	parameters := strings.Split(query, "&")
	for _, recorded := range tmpl.query {
		name, _, _ := strings.Cut(recorded, "=")
		i := slices.IndexFunc(parameters, func(p string) bool {
			return strings.HasPrefix(p, name+"=")
		})
		if i < 0 {
			return "", false
		}
		parameters[i] = recorded
	}
	if !hasQuery {
		return base, true
	}
	return base + "?" + strings.Join(parameters, "&"), true
}
