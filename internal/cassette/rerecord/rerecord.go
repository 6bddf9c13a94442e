// Package rerecord keeps the diff small of a cassette that is recorded again. Where an
// answer says what it said before, what differs by chance stays as it was: ids, times,
// latencies and delays.
package rerecord

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon/chance"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/form"
)

// A Keeper goes through the recordings of one cassette in the order asked. Its zero
// value is ready to use.
type Keeper struct {
	ids map[string]string // those of new answers, and the old ones that took their place
}

// Keep changes a new recording to what the old one of the same request has, as far as
// both say the same, and reports whether it changed anything. old is nil if there is none.
func (k *Keeper) Keep(old, fresh *interaction.Interaction) (changed bool) {
	changed = k.useOldIDs(&fresh.Request)
	if old == nil {
		return changed
	}
	changed = useOldBoundary(&old.Request, &fresh.Request) || changed
	was, is := &old.Response, &fresh.Response
	c := comparison{ids: map[string]string{}}
	if !c.sameResponse(was, is) {
		return changed
	}
	is.Headers, is.Chunks, is.Delays, fresh.LatencyMS = was.Headers, was.Chunks, was.Delays, old.LatencyMS
	if fresh.Concurrent == nil && old.Concurrent != nil {
		fresh.Concurrent = new(interaction.Moments) // one of the two is chance
	}
	if !c.differs || !slices.Contains(conversations, fresh.Boundary) {
		return true
	}
	is.Body, is.Events, is.Text = was.Body, was.Events, was.Text
	if k.ids == nil {
		k.ids = map[string]string{}
	}
	maps.Copy(k.ids, c.ids)
	return true
}

// conversations are the endpoints whose ids refer to nothing outside of a conversation:
// those of answers and of their tool calls. They stay as they were, in the requests that
// follow as well. An id that a client may send to anywhere (a stored response, a file) is
// always the new one: another cassette may have it.
var conversations = []string{
	"anthropic.messages", "bedrock.converse", "bedrock.invoke", "cohere.chat", "gemini.generateContent", "ollama.chat", "ollama.generate",
	"openai.chat", "openai.completions", "writer.chat",
}

// useOldIDs puts the old ids into a request that was made with new ones.
func (k *Keeper) useOldIDs(r *interaction.Request) (changed bool) {
	var pairs []string
	// A longer one first: an id may begin as another does.
	longestFirst := func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) }
	for _, id := range slices.SortedFunc(maps.Keys(k.ids), longestFirst) {
		pairs = append(pairs, id, k.ids[id])
	}
	replacer := strings.NewReplacer(pairs...)
	body, url := replacer.Replace(string(r.Body)), replacer.Replace(r.URL)
	changed = body != string(r.Body) || url != r.URL
	if changed {
		r.Body, r.URL = []byte(body), url
	}
	return changed
}

// useOldBoundary gives a multipart body the boundary that it had (RFC 2046, section 5.1.1):
// clients draw one for each request.
func useOldBoundary(was, is *interaction.Request) (changed bool) {
	after, _ := form.KindOf(is.Headers)
	before, _ := form.KindOf(was.Headers)
	from, to := after.Boundary, before.Boundary
	if from == "" || to == "" || from == to || bytes.Contains(is.Body, []byte(to)) {
		return false
	}
	is.Body = bytes.ReplaceAll(is.Body, []byte("--"+from), []byte("--"+to))
	is.Headers = slices.Clone(is.Headers)
	for i, h := range is.Headers {
		if h.Name == "content-type" {
			is.Headers[i].Values = []string{strings.ReplaceAll(h.Values[0], from, to)}
		}
	}
	return true
}

// A comparison of two answers collects what differs by chance.
type comparison struct {
	ids     map[string]string // new to old
	differs bool              // in anything, that is: in an id, a time or noise
}

// sameResponse reports whether two responses say the same.
func (c *comparison) sameResponse(was, is *interaction.Response) bool {
	return was.Status == is.Status && was.Proto == is.Proto && was.Stream == is.Stream && was.End == is.End && was.Error == is.Error &&
		sameHeaders(was.Headers, is.Headers) && sameHeaders(was.Trailers, is.Trailers) &&
		c.sameText(string(was.Body), string(is.Body)) &&
		slices.EqualFunc(was.Events, is.Events, func(a, b interaction.Event) bool {
			return slices.EqualFunc(a, b, func(a, b interaction.Field) bool { return a.Name == b.Name && c.sameText(a.Value, b.Value) })
		})
}

func sameHeaders(was, is interaction.Headers) bool {
	return slices.EqualFunc(was, is, func(a, b interaction.Header) bool {
		return a.Name == b.Name && (slices.Equal(a.Values, b.Values) || chance.AnswerHeaders(a.Name))
	})
}

// sameText reports whether two texts are equal, or JSON that says the same.
func (c *comparison) sameText(was, is string) bool {
	if was == is {
		return true
	}
	a, err1 := exactjson.Parse([]byte(was))
	b, err2 := exactjson.Parse([]byte(is))
	return err1 == nil && err2 == nil && c.sameValue("", &a, &b)
}

// sameValue compares the values of members of one name.
func (c *comparison) sameValue(name string, was, is *exactjson.Value) bool {
	if was.Kind != is.Kind || was.Name != is.Name || len(was.Elems) != len(is.Elems) {
		return false
	}
	for i := range was.Elems {
		member := name
		if was.Kind == exactjson.Object {
			member = was.Elems[i].Name
		}
		if !c.sameValue(member, &was.Elems[i], &is.Elems[i]) {
			return false
		}
	}
	if was.Text == is.Text {
		return true
	}
	c.differs = true
	switch {
	case chance.Noise(name):
		return true
	case chance.IDs(name) && was.Kind == exactjson.String && len(is.Text) >= minID:
		if other, ok := c.ids[is.Text]; ok && other != was.Text {
			return false // one id for what were two
		}
		c.ids[is.Text] = was.Text
		return true
	}
	return false
}

// minID is the length from which an id is none but by chance a part of another text.
const minID = 8
