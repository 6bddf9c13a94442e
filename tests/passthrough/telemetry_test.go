package passthrough_test

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A request of a telemetry exporter is reported with the PassThrough for it, when recorded and when missed.
func TestTelemetryIsReportedWithItsPassThrough(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ address, exporter string }{
		{address: "http://127.0.0.1:4318/v1/traces", exporter: "OpenTelemetry"},
		{address: "https://cloud.langfuse.com/api/public/ingestion", exporter: "Langfuse"},
		{address: "https://cloud.langfuse.com/api/public/otel/v1/traces", exporter: "Langfuse"},
		{address: "https://api.smith.langchain.com/runs/multipart", exporter: "LangSmith"},
		{address: "https://api.smith.langchain.com/otel/v1/traces", exporter: "LangSmith"},
		{address: "https://o1.ingest.sentry.io/api/42/envelope/?sentry_key=0001", exporter: "Sentry"},
		{address: "https://api.datadoghq.eu/api/v2/series", exporter: "Datadog"},
		{address: "https://eu.i.posthog.com/batch/", exporter: "PostHog"},
		{address: "https://api.openai.com/v1/traces/ingest", exporter: "OpenAI's tracing"},
	} {
		t.Run(tt.address, func(t *testing.T) {
			t.Parallel()
			u, err := url.Parse(tt.address)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "c.yaml")
			ask := func(mode promptecho.Mode) report.Report {
				r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(provider.Says("{}")))
				must.Post(t, r, tt.address, fmt.Sprintf(`{"spans":[{"id":"%s"}]}`, mode))
				rep := must.Finish(r, report.Outcome{})
				text := strings.Join(append(rep.Notes, rep.Errors...), "\n")
				for _, want := range []string{
					fmt.Sprintf(`this request is telemetry (%s)`, tt.exporter),
					`promptecho.PassThrough("http/` + u.Host,
				} {
					if !strings.Contains(text, want) {
						t.Errorf("mode %s: the report lacks %q:\n%s", mode, want, text)
					}
				}
				return rep
			}
			ask(promptecho.ModeAll)
			missed := ask(promptecho.ModeNone)

			// A cause without details is one that echotest.Main reports once for all tests.
			if len(missed.Problems) != 1 || len(missed.Problems[0].Causes) != 1 {
				t.Fatalf("problems %+v", missed.Problems)
			}
			cause := missed.Problems[0].Causes[0]
			if cause.Detail != "" || !strings.Contains(cause.Reason, "PassThrough") {
				t.Errorf("cause %+v", cause)
			}
		})
	}
}
