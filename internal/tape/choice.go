package tape

import "github.com/promptecho/promptecho/internal/canon"

// A choice is the recording to play for a request.
type choice struct {
	rule      rule
	recording *Recording // nil if nothing is left
	conflict  *Conflict  // nil if the request reveals none
}

// A rule is a reason to play a recording for a request.
type rule string

const (
	nothingLeft     rule = ""
	canceledInTurn  rule = "canceled in turn"
	byteForByte     rule = "byte for byte"
	sameTraits      rule = "same traits"
	timedOutAgain   rule = "timed out again"
	repeated        rule = "repeated"
	nearest         rule = "nearest"
	nearestRepeated rule = "nearest repeated"
	canceledAnyTime rule = "canceled any time"
)

// A Conflict is a recording that most likely answered the wrong request.
type Conflict struct {
	Recording *Recording

	// Instead is the recording that the request of Recording got; nil if
	// nothing was left for it.
	Instead *Recording

	// PlayedFirst is set if Recording was played out of order: PlayedFirst is
	// of the same request in another spelling, was recorded later and played
	// before. If it is nil, Recording was played for a request that differs
	// from its own, before its own request came.
	PlayedFirst *Recording

	// Field is the most important difference between the request of Recording
	// and the one that got it. It is not set if Recording was played out of
	// order.
	Field canon.Trait
}

// IsOutOfOrder reports whether two recordings of one request in two spellings
// were played in another order than recorded.
func (c *Conflict) IsOutOfOrder() bool { return c.PlayedFirst != nil }

// matters reports whether the request would have got another response without
// the conflict. If nothing was left for it, the miss says so instead.
func (c *Conflict) matters() bool {
	if c.Instead == nil {
		return false
	}
	if c.IsOutOfOrder() {
		return !sameResponse(c.Recording, c.PlayedFirst)
	}
	return !sameResponse(c.Recording, c.Instead)
}
