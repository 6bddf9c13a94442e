package bench

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"strings"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"
	"gopkg.in/dnaeon/go-vcr.v4/pkg/cassette"
	"gopkg.in/dnaeon/go-vcr.v4/pkg/recorder"
)

// charmVCR is what charm.land/x/vcr makes of go-vcr: requests whose JSON is equal match,
// nearly all headers are left out, and each recording that does not match is compared with
// the request for the log. The package itself needs a *testing.T, which only a test has;
// TestCharm shows that it reads what this records, and as this does.
func charmVCR() Contender {
	return Contender{
		Name:    "charm",
		OneShot: true, // the package has no setting for repeats
		Record: func(file string, upstream http.RoundTripper) (Session, error) {
			s, err := openCharm(file, recorder.WithMode(recorder.ModeRecordOnly), recorder.WithRealTransport(upstream))
			if err != nil {
				return nil, err
			}
			return roundTripper{func(req *http.Request) (*http.Response, error) {
				// It takes headers out of the request itself, and ours has those of all requests.
				own := *req
				own.Header = req.Header.Clone()
				return s.RoundTrip(&own)
			}, s.Close}, nil
		},
		Replay: func(file string, _ bool) (Session, error) {
			return openCharm(file, recorder.WithMode(recorder.ModeReplayOnly))
		},
	}
}

func openCharm(file string, opts ...recorder.Option) (Session, error) {
	return openVCR(file, append(opts,
		recorder.WithMatcher(sameJSON),
		recorder.WithMarshalFunc(compactYAML),
		recorder.WithHook(dropHeaders, recorder.AfterCaptureHook),
	)...)
}

// sameJSON reports whether a request was recorded: the bytes of the bodies are the same, or
// their JSON is.
func sameJSON(req *http.Request, recorded cassette.Request) bool {
	if req.Method != recorded.Method || req.URL.String() != recorded.URL {
		return false
	}
	body, err := io.ReadAll(req.Body)
	req.Body.Close()
	if err != nil {
		return false
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	asked, stored := unixLines(string(body)), unixLines(recorded.Body)
	if asked == stored {
		return true
	}
	var a, b any
	if json.Unmarshal([]byte(asked), &a) != nil || json.Unmarshal([]byte(stored), &b) != nil || !reflect.DeepEqual(a, b) {
		_, _ = io.WriteString(io.Discard, cmp.Diff(stored, asked)) // which the original logs
		return false
	}
	return true
}

// unixLines makes \n of the ends of lines, also of those that are escaped in JSON.
func unixLines(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), `\r\n`, `\n`)
}

// compactYAML encodes a cassette.
func compactYAML(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	enc.CompactSeqIndent()
	err := enc.Encode(v)
	return b.Bytes(), err
}

// dropHeaders leaves out all headers but three.
func dropHeaders(i *cassette.Interaction) error {
	for _, headers := range []http.Header{i.Request.Headers, i.Response.Headers} {
		for name := range headers {
			switch name {
			case "Accept", "Content-Type", "User-Agent":
			default:
				delete(headers, name)
			}
		}
	}
	return nil
}
