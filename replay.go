package promptecho

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"sync"

	"github.com/promptecho/promptecho/internal/answer"
	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/stream"
)

// replay answers a request with a recorded interaction; clean is the request as it is
// matched, nil if it is the recorded one byte for byte.
func (r *Recorder) replay(req *http.Request, clean *interaction.Request, s *slot) (*http.Response, error) {
	if !s.sealed {
		r.warn(s)
	}
	rec, err := r.recording(s, clean)
	if errors.Is(err, fs.ErrClosed) {
		return nil, r.tooLate(req.Method, req.URL.Redacted())
	}
	if err != nil {
		return nil, err
	}
	if rec.End != interaction.EndCanceled && (rec.Status >= 400 || rec.Status == 0) {
		r.log.Replayed(s.line(), &rec.Response)
	}
	player := answer.Player{Pace: r.cfg.pace, Note: r.log.Note, Pending: &r.pending}
	resp, err := player.Play(req, rec)
	if errors.Is(err, answer.ErrClosed) {
		return nil, r.tooLate(req.Method, req.URL.Redacted())
	}
	if err != nil {
		return nil, err
	}
	r.cfg.addressed(resp.Header)
	return resp, nil
}

// A playable is a recording in memory that the next one can use when it was played.
type playable struct {
	answer.Recording
	in     cassette.Scratch
	framer stream.Framer
}

var playables = sync.Pool{New: func() any { return new(playable) }}

func (p *playable) free() {
	if cap(p.Body) > 1<<20 {
		return
	}
	p.Recording = answer.Recording{}
	playables.Put(p)
}

// recording returns what a slot holds, ready to be played; clean is as for replay.
func (r *Recorder) recording(s *slot, clean *interaction.Request) (*answer.Recording, error) {
	if clean != nil && s.form().Linked() {
		it := s.it()
		rec := &answer.Recording{Response: *relinked(s, clean), LatencyMS: it.LatencyMS}
		return rec, r.prepare(rec, s)
	}
	p := playables.Get().(*playable)
	p.in.Framer = &p.framer
	p.Release = p.free
	var err error
	if p.LatencyMS, err = s.response(&p.Response, &p.in); errors.Is(err, fs.ErrClosed) {
		return nil, err
	} else if err != nil {
		return nil, r.unreadable(err)
	}
	p.Ends = p.in.Ends
	return &p.Recording, r.prepare(&p.Recording, s)
}

// prepare completes rec, whose response was read.
func (r *Recorder) prepare(rec *answer.Recording, s *slot) (err error) {
	rec.File, rec.Line = r.file, s.line()
	rec.Error = redact.Printable(rec.Error)
	if rec.Ends != nil {
		return nil // a stream that was put together while it was read
	}
	if rec.Body, rec.Ends, err = answer.Join(&rec.Response); err != nil {
		return fmt.Errorf("promptecho: %s:%d: response: %w", r.file, s.line(), err)
	}
	return nil
}

// warn notes, once per recording, that it holds what looks like a secret: it was
// edited, or made by something else.
func (r *Recorder) warn(s *slot) {
	r.mu.Lock()
	first := !s.looked
	s.looked = true
	r.mu.Unlock()
	if !first {
		return
	}
	if found := redact.Findings(s.it()); len(found) > 0 {
		r.log.Notef("%s:%d: %s: looks like a secret; promptecho verify names all", r.file, s.it().Line, found[0])
	}
}

// relinked returns the recorded response with the ids that link it to its
// request replaced by those of the request that is answered now.
func relinked(s *slot, clean *interaction.Request) *interaction.Response {
	if !s.form().Linked() {
		return &s.it().Response
	}
	rec := s.it().Response
	rec.Body = s.form().Relink(rec.Body, &s.it().Request, clean)
	rec.Events = make([]interaction.Event, len(s.it().Response.Events))
	for i, event := range s.it().Response.Events {
		rec.Events[i] = slices.Clone(event)
		for j, f := range event {
			if canon.IsPayload(f.Name) {
				rec.Events[i][j].Value = string(s.form().Relink([]byte(f.Value), &s.it().Request, clean))
			}
		}
	}
	return &rec
}
