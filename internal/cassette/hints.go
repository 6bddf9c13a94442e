package cassette

import (
	"github.com/promptecho/promptecho/internal/codec"
	"github.com/promptecho/promptecho/internal/interaction"
)

// What is known of an interaction without reading it.

// GivenUp returns why the request of an interaction was given up before there was an
// answer, as the error of its context says it; "" if it was not.
func (s *Index) GivenUp(i int) (cause string) { return s.items[i].givenUp }

// UnknownHeaders reports whether the request of an interaction may have had headers that
// it does not list.
func (s *Index) UnknownHeaders(i int) bool { return s.items[i].unknown }

// Accepted reports whether promptecho accept has put a later request into an interaction.
func (s *Index) Accepted(i int) bool { return s.items[i].accepted }

// Moments returns when what of an interaction happened among what ran side by side with it;
// nil if it ran alone.
func (s *Index) Moments(i int) *interaction.Moments { return s.items[i].moments }

// Within reports whether a function that was recorded, too, asked for an interaction.
func (s *Index) Within(i int) (within bool) {
	if it := s.items[i].it; it != nil {
		return it.Request.Within != ""
	}
	err := s.textOf(i, func(text []byte) error {
		within = codec.IsWithin(text)
		return nil
	})
	return err == nil && within
}
