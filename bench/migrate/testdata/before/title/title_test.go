package title

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"example.com/app/chat"
	"example.com/app/internal/httprr"
)

func TestTitle(t *testing.T) {
	rr, err := httprr.Open("testdata/title.httprr", http.DefaultTransport)
	if err != nil {
		t.Fatal(err)
	}
	defer rr.Close()
	rr.ScrubReq(func(req *http.Request) error {
		req.Header.Del("Authorization")
		body := req.Body.(*httprr.Body)
		body.Data = regexp.MustCompile(`\d{4}-\d\d-\d\d`).ReplaceAll(body.Data, []byte("TODAY"))
		return nil
	})
	key := "unused"
	if rr.Recording() {
		key = os.Getenv("OPENAI_API_KEY")
	}
	got, err := Of(t.Context(), &chat.Client{HTTP: rr.Client(), Key: key}, "a letter about rain")
	if err != nil || !strings.Contains(got, "a letter about rain") {
		t.Errorf("%q, %v", got, err)
	}
}
