package bench

import (
	"fmt"
	"net/http"

	"github.com/seborama/govcr/v15"
	"github.com/seborama/govcr/v15/cassette"
	"github.com/seborama/govcr/v15/cassette/track"
)

// seborama is github.com/seborama/govcr with its default matchers, which compare method,
// URL, headers, body and trailers.
func seborama() Contender {
	return Contender{
		Name:    "seborama",
		OneShot: true,
		Record: func(file string, upstream http.RoundTripper) (Session, error) {
			return openSeborama(file, govcr.WithLiveOnlyMode(), govcr.WithClient(&http.Client{Transport: upstream}))
		},
		RecordMany: recordTracks,
		Replay: func(file string, _ bool) (Session, error) {
			return openSeborama(file, govcr.WithOfflineMode(), govcr.WithClient(&http.Client{}))
		},
	}
}

// openSeborama opens a cassette; the library panics if it cannot read one.
func openSeborama(file string, settings ...govcr.Setting) (s Session, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("bench: %v", r)
		}
	}()
	vcr := govcr.NewVCR(govcr.NewCassetteLoader(file), settings...)
	return roundTripper{vcr.HTTPClient().Transport.RoundTrip, nothingToClose}, nil
}

// recordTracks makes the cassette that Record makes, with the library's own parts, but
// writes it once. The library writes it anew with each call that is recorded, which takes
// minutes for 1,000 calls of 100 KB and longer for 10,000.
func recordTracks(file string, upstream http.RoundTripper) (Session, error) {
	tape := cassette.NewCassette(file)
	return roundTripper{func(req *http.Request) (*http.Response, error) {
		asked := track.ToRequest(req) // reads the body and puts it back
		resp, err := upstream.RoundTrip(req)
		if err != nil {
			return nil, err
		}
		tape.AddTrack(track.NewTrack(asked, track.ToResponse(resp), nil))
		return resp, nil
	}, func() error { return tape.SetCrypter(nil) }}, nil // this saves, and nothing else does
}
