package bench

import (
	"net/http"

	"gopkg.in/dnaeon/go-vcr.v4/pkg/recorder"
)

// goVCR is go-vcr with its default matcher, which compares the body too, and
// without the waiting for recorded latencies.
func goVCR() Contender {
	return Contender{
		Name: "go-vcr",
		Record: func(file string, upstream http.RoundTripper) (Session, error) {
			return openVCR(file, recorder.WithMode(recorder.ModeRecordOnly), recorder.WithRealTransport(upstream))
		},
		Replay: func(file string, repeats bool) (Session, error) {
			return openVCR(file, recorder.WithMode(recorder.ModeReplayOnly), recorder.WithReplayableInteractions(repeats))
		},
	}
}

func openVCR(file string, opts ...recorder.Option) (Session, error) {
	r, err := recorder.New(file, append(opts, recorder.WithSkipRequestLatency(true))...)
	if err != nil {
		return nil, err
	}
	return roundTripper{r.RoundTrip, r.Stop}, nil
}
