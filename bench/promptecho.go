package bench

import (
	"net/http"

	"github.com/promptecho/promptecho"
)

func promptEcho() Contender {
	return Contender{
		Name: "promptecho",
		Record: func(file string, upstream http.RoundTripper) (Session, error) {
			return promptecho.Open(file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(upstream))
		},
		Replay: func(file string, repeats bool) (Session, error) {
			opts := []promptecho.Option{promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused()}
			if repeats {
				opts = append(opts, promptecho.AllowRepeats())
			}
			return promptecho.Open(file, opts...)
		},
	}
}
