// Package transcript tells where the answers of models have what they say, and puts streams
// together: what their events tell becomes the answer that it would be in one piece, as the
// SDKs do it. Where that is for each API is data of package canon.
package transcript

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// A Transcript tells where a whole answer has what it says, by paths of [exactjson.Steps],
// and how the events of a stream make such an answer. Of paths that stand together, each is
// read. Calls and Results must know all blocks that are no text: one of an unknown type is a
// call, since nobody knows that it is not.
type Transcript struct {
	Text      []string
	Reasoning []string
	Calls     []Call // what the model wants done
	Results   []Call // what it was given by tools of the provider, and what it made beside texts
	Finish    []string
	Pieces    []Piece // of a stream; without them each event is read as an answer
}

// A Call tells where an answer has calls of tools, or results: where the blocks are, and below
// them their names and what is wanted. The latter two are paths with a space between them:
// names are joined with a dot, "=name" is one, and "." is that of the member itself; several
// arguments are an object. None are all of the block, and so is "." behind them where it has
// none of these.
type Call [3]string

// At returns where the blocks are.
func (c Call) At() string { return c[0] }

// Name returns the paths of their names.
func (c Call) Name() string { return c[1] }

// Args returns the paths of what is wanted.
func (c Call) Args() string { return c[2] }

// A Piece says what events tell of an answer, and where that stands in a whole one.
type Piece struct {
	At   string   // what is told, "" for all of the event
	To   string   // where it goes: "{a.index}" is the element that the event names by that path, "+" a new one, "type=x" its type
	Grow []string // the members below At whose texts and lists go on, "*" for all; nil takes the place of what was told before
}

// Said is the ID that [Transcript.Mark] gives.
const Said = 1

// Mark marks what a whole answer has as its texts, its calls of tools and results, which come
// and go from answer to answer. Refusals it leaves alone: whoever reads a text finds none.
func (t *Transcript) Mark(answer *exactjson.Value) {
	paths := slices.Concat(t.Text, t.Reasoning)
	for _, c := range t.Calls {
		paths = append(paths, c.At())
	}
	for _, c := range t.Results {
		if c.Args() == "" {
			paths = append(paths, c.At())
		}
		for name := range strings.FieldsSeq(c.Args()) {
			paths = append(paths, c.At()+"/"+name)
		}
	}
	for _, path := range paths {
		steps := exactjson.StepsOf(strings.TrimSuffix(path, "/*")) // where there can be a list, there can be a text
		if last := len(steps) - 1; last >= 0 && steps[last].Values == nil && steps[last].Name != "refusal" {
			steps.Each(answer, func(v *exactjson.Value) { v.ID = Said })
		}
	}
}
