// Package rerecord keeps the diff small of a cassette that is recorded again. Where a
// response says what it said before, the parts that differ by chance stay as they were:
// IDs, times, latencies and delays.
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

// A Keeper goes through the recordings of one cassette in the order of the requests. Its
// zero value is ready to use.
type Keeper struct {
	oldIDs map[string]string // by the IDs of new responses that they have replaced
}

// Keep changes a new recording to the old one of the same request, as far as both say the
// same, and reports whether it changed anything. old is nil if there is none.
func (k *Keeper) Keep(old, fresh *interaction.Interaction) (changed bool) {
	changed = k.useOldIDs(&fresh.Request)
	if old == nil {
		return changed
	}
	changed = useOldBoundary(&old.Request, &fresh.Request) || changed

	c := comparison{oldIDs: map[string]string{}}
	if !c.sameResponse(&old.Response, &fresh.Response) {
		return changed
	}
	keepTransport(old, fresh)
	hasIDsOfConversation := c.differs && slices.Contains(conversations, fresh.Boundary)
	if hasIDsOfConversation {
		fresh.Response.Body = old.Response.Body
		fresh.Response.Events = old.Response.Events
		fresh.Response.Text = old.Response.Text
		if k.oldIDs == nil {
			k.oldIDs = map[string]string{}
		}
		maps.Copy(k.oldIDs, c.oldIDs)
	}
	return true
}

// keepTransport gives a new recording the headers and the timing of the old one.
func keepTransport(old, fresh *interaction.Interaction) {
	fresh.Response.Headers = old.Response.Headers
	fresh.Response.Chunks = old.Response.Chunks
	fresh.Response.Delays = old.Response.Delays
	fresh.LatencyMS = old.LatencyMS

	// The request overlapped with others in the old run and not in the new one, so it may
	// overlap in a replay. Empty moments say that, without a sequence of the requests.
	if fresh.Concurrent == nil && old.Concurrent != nil {
		fresh.Concurrent = new(interaction.Moments)
	}
}

// conversations are the endpoints whose IDs refer to nothing outside of a conversation:
// those of responses and of their tool calls. Such IDs stay as they were, in the requests
// that follow as well.
//
// An ID that a client may send to another endpoint (of a stored response, of a file) is
// always the new one: another cassette may contain it.
var conversations = []string{
	"anthropic.messages",
	"bedrock.converse",
	"bedrock.invoke",
	"cohere.chat",
	"gemini.generateContent",
	"ollama.chat",
	"ollama.generate",
	"openai.chat",
	"openai.completions",
	"writer.chat",
}

// useOldIDs replaces new IDs in a request by the old ones.
func (k *Keeper) useOldIDs(r *interaction.Request) (changed bool) {
	// The longest first: an ID may begin as another one does.
	longestFirst := func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	}
	var pairs []string
	for _, id := range slices.SortedFunc(maps.Keys(k.oldIDs), longestFirst) {
		pairs = append(pairs, id, k.oldIDs[id])
	}

	replacer := strings.NewReplacer(pairs...)
	body := replacer.Replace(string(r.Body))
	url := replacer.Replace(r.URL)
	changed = body != string(r.Body) || url != r.URL
	if changed {
		r.Body = []byte(body)
		r.URL = url
	}
	return changed
}

// useOldBoundary gives a multipart body the boundary of the old one (RFC 2046, section
// 5.1.1): clients draw a boundary for each request. A body that contains the old boundary
// keeps the new one.
func useOldBoundary(old, fresh *interaction.Request) (changed bool) {
	oldForm, _ := form.KindOf(old.Headers)
	freshForm, _ := form.KindOf(fresh.Headers)
	from, to := freshForm.Boundary, oldForm.Boundary
	isToReplace := from != "" && to != "" && from != to
	if !isToReplace || bytes.Contains(fresh.Body, []byte(to)) {
		return false
	}

	fresh.Body = bytes.ReplaceAll(fresh.Body, []byte("--"+from), []byte("--"+to))
	fresh.Headers = slices.Clone(fresh.Headers)
	for i, h := range fresh.Headers {
		if h.Name == "content-type" {
			fresh.Headers[i].Values = []string{strings.ReplaceAll(h.Values[0], from, to)}
		}
	}
	return true
}

// A comparison compares two responses, and collects what differs by chance.
type comparison struct {
	oldIDs  map[string]string // by the new IDs in the same places
	differs bool              // in an ID, a time or other noise
}

// sameResponse reports whether two responses say the same.
func (c *comparison) sameResponse(old, fresh *interaction.Response) bool {
	sameHead := old.Status == fresh.Status &&
		old.Proto == fresh.Proto &&
		old.Stream == fresh.Stream
	sameEnd := old.End == fresh.End && old.Error == fresh.Error
	return sameHead && sameEnd &&
		sameHeaders(old.Headers, fresh.Headers) &&
		sameHeaders(old.Trailers, fresh.Trailers) &&
		c.sameText(string(old.Body), string(fresh.Body)) &&
		slices.EqualFunc(old.Events, fresh.Events, c.sameEvent)
}

// sameHeaders reports whether headers differ only where those of answers differ by chance.
func sameHeaders(old, fresh interaction.Headers) bool {
	return slices.EqualFunc(old, fresh, func(a, b interaction.Header) bool {
		sameValues := slices.Equal(a.Values, b.Values) || chance.AnswerHeaders(a.Name)
		return a.Name == b.Name && sameValues
	})
}

// sameEvent reports whether two events of a stream say the same.
func (c *comparison) sameEvent(old, fresh interaction.Event) bool {
	return slices.EqualFunc(old, fresh, func(a, b interaction.Field) bool {
		return a.Name == b.Name && c.sameText(a.Value, b.Value)
	})
}

// sameText reports whether two texts are equal, or JSON that says the same.
func (c *comparison) sameText(old, fresh string) bool {
	if old == fresh {
		return true
	}
	a, errOld := exactjson.Parse([]byte(old))
	b, errFresh := exactjson.Parse([]byte(fresh))
	areJSON := errOld == nil && errFresh == nil
	return areJSON && c.sameValue("", &a, &b)
}

// sameValue compares two JSON values. The name is that of the member, or of the member
// whose list contains them.
func (c *comparison) sameValue(name string, old, fresh *exactjson.Value) bool {
	sameShape := old.Kind == fresh.Kind && old.Name == fresh.Name && len(old.Elems) == len(fresh.Elems)
	if !sameShape {
		return false
	}
	for i := range old.Elems {
		member := name
		if old.Kind == exactjson.Object {
			member = old.Elems[i].Name
		}
		if !c.sameValue(member, &old.Elems[i], &fresh.Elems[i]) {
			return false
		}
	}
	if old.Text == fresh.Text {
		return true
	}
	c.differs = true
	if chance.Noise(name) {
		return true
	}
	isID := chance.IDs(name) && old.Kind == exactjson.String && len(fresh.Text) >= minID
	return isID && c.addID(old.Text, fresh.Text)
}

// addID notes that a new ID stands for an old one; ok is false if it stands for another one
// already.
func (c *comparison) addID(old, fresh string) (ok bool) {
	other, isKnown := c.oldIDs[fresh]
	if isKnown && other != old {
		return false
	}
	c.oldIDs[fresh] = old
	return true
}

// minID is the length in bytes of the shortest ID that is replaced. A shorter one could
// be a part of another text by chance.
const minID = 8
