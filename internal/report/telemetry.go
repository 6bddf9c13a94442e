package report

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/memo"
)

// telemetry is where exporters send what a program did, by host and path. No two of them fit.
var telemetry = map[string]func() *regexp.Regexp{
	"OpenAI's tracing": memo.Regexp(`^api\.openai\.com/v1/traces/ingest$`),
	"OpenTelemetry":    memo.Regexp(`^[^/]+/v1/(traces|metrics|logs)$`),                    // https://opentelemetry.io/docs/specs/otlp/#otlphttp-request
	"Langfuse":         memo.Regexp(`/api/public/(ingestion|otel/v1/traces)$`),             // https://langfuse.com/docs/opentelemetry/get-started
	"LangSmith":        memo.Regexp(`/runs/(batch|multipart)$|[^c]/otel/v1/traces$`),       // https://docs.smith.langchain.com/reference/api
	"Sentry":           memo.Regexp(`/api/\d+/(envelope|store)$`),                          // https://develop.sentry.dev/sdk/envelopes/
	"Datadog":          memo.Regexp(`\.datadoghq\.\w+/(api/v2/|v1/input)|/v0\.\d/traces$`), // https://docs.datadoghq.com/api/
	"PostHog":          memo.Regexp(`\.posthog\.com/(batch|capture|i/v0/e)$`),              // https://posthog.com/docs/api/capture
}

// Telemetry says of a request that an exporter sends it, and what to do; "" of any other.
func Telemetry(req *interaction.Request, form *canon.Form) string {
	server := "http/" + form.Origin
	if form.Origin == "api.openai.com" { // the model must not pass
		server += "/v1/traces"
	}
	u, err := url.Parse(req.URL)
	for by, place := range telemetry {
		if err == nil && req.Method == "POST" && place().MatchString(strings.ToLower(u.Hostname())+strings.TrimSuffix(u.Path, "/")) {
			return fmt.Sprintf("an exporter sends it (%s), with new content in each run: add promptecho.PassThrough(%q), or turn the exporter off in tests", by, server)
		}
	}
	return ""
}
