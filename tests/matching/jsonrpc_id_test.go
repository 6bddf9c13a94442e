package matching_test

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// The id of a JSON-RPC request does not decide, and the replayed answer has the id of its request.
func TestJSONRPCAnswerHasTheIDOfItsRequest(t *testing.T) {
	t.Parallel()
	const url = "http://h/mcp"
	file := filepath.Join(t.TempDir(), "c.yaml")
	call := func(id int, method string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q}`, id, method)
	}
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Func(answerRPC)))
	must.Post(t, r, url, call(1, "tools/list"))
	must.Post(t, r, url, call(2, "stream"))
	must.Close(t, r)

	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	for _, method := range []string{"stream", "tools/list"} { // in another order than recorded
		if _, body := must.Post(t, r, url, call(77, method)); !strings.Contains(body, `"id":77,`) {
			t.Errorf("%s: %s", method, body)
		}
	}
	must.Close(t, r)
}

// answerRPC answers with the id of the request; the method "stream" as a stream of events.
func answerRPC(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	id := regexp.MustCompile(`"id":(\d+)`).FindStringSubmatch(string(body))[1]
	answer := `{"jsonrpc":"2.0","id":` + id + `,"result":{}}`
	mediaType := "application/json"
	if strings.Contains(string(body), "stream") {
		answer = "event: message\ndata: " + answer + "\n\n"
		mediaType = "text/event-stream"
	}
	return &http.Response{
		StatusCode:    http.StatusOK,
		Header:        http.Header{"Content-Type": {mediaType}},
		Body:          io.NopCloser(strings.NewReader(answer)),
		ContentLength: -1,
	}, nil
}
