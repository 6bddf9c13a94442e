// Package frameworks has a recorder in specs of Ginkgo and in a suite of testify, as
// docs/RECIPES.md says.
package frameworks

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	"github.com/stretchr/testify/suite"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echotest"
)

func TestMain(m *testing.M) { echotest.Main(m) }

// answer is a provider.
type answer struct{}

func (answer) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(`{"choices":[]}`)), Request: r}, nil
}

// ask records into a folder, and says with what status it was answered.
func ask(t testing.TB, dir string) int {
	rec := echotest.Open(t, filepath.Join(dir, "c.yaml"), promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(answer{}))
	resp, err := rec.Client().Post("https://api.openai.com/v1/chat/completions", "application/json", strings.NewReader(`{"model":"m","messages":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

var dir string // that the specs record into

var _ = ginkgo.It("records in a spec", func() {
	gomega.Expect(ask(ginkgo.GinkgoTB(), dir)).To(gomega.Equal(200))
})

func TestSpecs(t *testing.T) {
	t.Setenv("PROMPTECHO_MODE", "all")
	dir = t.TempDir()
	gomega.RegisterFailHandler(ginkgo.Fail)
	ginkgo.RunSpecs(t, "frameworks")
}

type asking struct{ suite.Suite }

func (s *asking) TestRecords() { s.Equal(200, ask(s.T(), s.T().TempDir())) }

func TestSuite(t *testing.T) {
	t.Setenv("PROMPTECHO_MODE", "all")
	suite.Run(t, new(asking))
}
