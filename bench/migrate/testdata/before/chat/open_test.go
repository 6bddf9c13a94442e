package chat

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"gopkg.in/dnaeon/go-vcr.v4/pkg/cassette"
	"gopkg.in/dnaeon/go-vcr.v4/pkg/recorder"
)

// open returns a client for a test. RECORD=1 records its fixture again.
func open(t *testing.T) *Client {
	t.Helper()
	mode := recorder.ModeReplayOnly
	if os.Getenv("RECORD") != "" {
		mode = recorder.ModeRecordOnly
	}
	r, err := recorder.New(filepath.Join("testdata", "fixtures", t.Name()),
		recorder.WithMode(mode),
		recorder.WithSkipRequestLatency(true),
		recorder.WithMatcher(sameQuestion),
		recorder.WithHook(dropKey, recorder.BeforeSaveHook),
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Stop(); err != nil {
			t.Error(err)
		}
	})
	return &Client{HTTP: r.GetDefaultClient(), Key: os.Getenv("OPENAI_API_KEY"), User: rand.Text()}
}

// dropKey keeps the API key out of the fixture.
func dropKey(i *cassette.Interaction) error {
	i.Request.Headers.Del("Authorization")
	return nil
}

// sameQuestion compares bodies, but not the user, who is another one in each run.
func sameQuestion(r *http.Request, recorded cassette.Request) bool {
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var now, then map[string]any
	if err != nil || json.Unmarshal(body, &now) != nil || json.Unmarshal([]byte(recorded.Body), &then) != nil {
		return false
	}
	delete(now, "user")
	delete(then, "user")
	return r.Method == recorded.Method && r.URL.String() == recorded.URL && reflect.DeepEqual(now, then)
}
