package promptecho

import (
	"context"
	"reflect"

	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/recorder"
	"github.com/promptecho/promptecho/internal/report"
)

// Wrap returns a function that calls f, and records its argument and its
// result: a tool of an agent, a search, a memory. In replay, f is not called.
// If rec is nil, Wrap returns f, so that a program needs no second path for
// production.
//
// The name is a kind, a slash and a name you choose: "tool/get_weather". The
// kinds are "tool", "retrieval", "memory_read" and "memory_write". The cassette
// and reports use this name, and [Live] and [Frozen] select the function by it.
// Wrap a function of another shape in a closure.
//
// The argument is compared like the JSON body of a request, with the options
// [Ignore], [Mask], [Match], [MatchOnly] and [Redact]. A call that is not
// recorded is a miss: it returns a [*MissError], and the run fails. Calls with
// the same argument play their recordings in recorded order, each once.
//
// The argument and the result pass through encoding/json. The run that records
// gets the result as it was stored, as every replay will: a number in an "any"
// is a float64. A secret is replaced by "[REDACTED]", or in a result by a text
// of the same type, such as another date for a date.
//
// A type that JSON does not store completely is refused: each call returns an
// error that names the field, and the run fails. Such a type has a channel, a
// field of interface type, or a field that is not exported or has the tag
// json:"-". The call and the run also fail if no cassette can hold the JSON of a
// value. Such JSON has a member twice, a name of more than 256 bytes, or more
// than 64 levels.
//
// An error of f is recorded with its text. [errors.Is] still finds in it the
// errors of packages context, errors, io, io/fs and os, and those of
// [Sentinels]. Anything else about it is lost, in the recording run, too. A
// result that comes with an error is kept. Nothing is recorded if f panics, or
// if it returns an error after its context was canceled.
//
// Requests that f sends with its context through the recorder are recorded too,
// as sent by f. They need not be sent in a replay, because f is not called; if
// f is [Live], they are replayed.
func Wrap[In, Out any](
	rec *Recorder, name string, f func(context.Context, In) (Out, error), opts ...WrapOption,
) func(context.Context, In) (Out, error) {
	if rec == nil {
		return f
	}
	var c wrapConfig
	group.Apply(opts, &c)
	w := rec.engine().Wrap(name, reflect.TypeFor[In](), reflect.TypeFor[Out](), c.sentinels)
	return func(ctx context.Context, in In) (Out, error) {
		var out Out
		err := w.Call(ctx, &in, &out, func(ctx context.Context) (err error) {
			out, err = f(ctx, in)
			return err
		})
		if miss, ok := err.(*report.Miss); ok {
			err = (*MissError)(miss)
		}
		return out, err
	}
}

// A WrapOption changes what [Wrap] does.
type WrapOption func(*wrapConfig)

type wrapConfig struct{ sentinels []error }

// Sentinels lists errors that [errors.Is] still finds in a recorded error. If f
// returned one of them, or an error that wraps it, the replay returns an error
// that wraps it, too. A cassette knows them by their texts, so no two may have
// the same.
func Sentinels(errs ...error) WrapOption {
	if len(errs) == 0 {
		errs = []error{nil} // which is refused
	}
	return func(c *wrapConfig) { c.sentinels = append(c.sentinels, errs...) }
}

// WithName returns a context with which requests, and calls of wrapped
// functions, have a name. It is for concurrent requests that are equal and mean
// different things, such as five samples of one prompt that are kept by their
// index. Each gets the answer that was recorded under its name, whichever comes
// first. The name is written to the cassette.
func WithName(ctx context.Context, name string) context.Context {
	return recorder.WithName(ctx, name)
}
