package trip

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/fakeprovider"
)

const key = "sk-demo-0123456789abcdefghijklmnop"

// TestMain stands in for the provider, so that the demo needs no network and no key of yours.
// If PROVIDER is off, it is shut down before the tests begin. Your package needs none of this.
func TestMain(m *testing.M) {
	var model fakeprovider.Server
	requests, keys := 0, 0 // the test asks one after the other
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		keys += strings.Count(r.Header.Get("Authorization"), key)
		model.ServeHTTP(w, r)
	}))
	state := "on"
	if os.Getenv("PROVIDER") == "off" {
		state = "shut down"
		provider.Close()
	}
	os.Setenv("OPENAI_BASE_URL", provider.URL+"/v1")
	os.Setenv("OPENAI_API_KEY", key)
	status := m.Run()
	fmt.Printf("provider: %s, %d requests, key sent %d times\n", state, requests, keys)
	os.Exit(status)
}
