package report

import (
	"fmt"
	"mime"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/chance"
	"github.com/promptecho/promptecho/internal/canon/fieldpath"
	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/finding/advice"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/tape"
)

// maxOptions is how many options a hint gives at most.
const maxOptions = 3

// maxHintBytes is how many bytes the bodies of two requests may have together for a hint to be
// tried. Masks take a second for each MB of text, and a miss that answers after ten is worse
// than one without a hint.
const maxHintBytes = 256 << 10

// hint returns the options to add so that a request matches the nearest recording. It returns
// none in these cases:
//   - A difference is neither text that changes from run to run nor a field that only tells
//     calls apart.
//   - With the options, another recording would match, too.
//   - The requests are long.
func (r *Run) hint(
	edits []diff.Edit, recs []*tape.Recording, nearest *tape.Recording, asked *interaction.Request,
) (hint []advice.Option) {
	request := nearest.Request()
	options := *r.Tape.Config.Options
	if len(request.Body)+len(asked.Body) > maxHintBytes {
		return nil
	}
	for _, e := range edits {
		added := addOptions(&options, &e)
		if len(added) == 0 {
			return nil
		}
		for _, option := range added {
			isSame := func(o advice.Option) bool { return reflect.DeepEqual(o, option) }
			if !slices.ContainsFunc(hint, isSame) {
				hint = append(hint, option)
			}
		}
	}
	keyOf := func(req *interaction.Request) string { return options.Form(req).Key() }
	key := keyOf(&request)
	if len(hint) == 0 || len(hint) > maxOptions || key != keyOf(asked) {
		return nil
	}
	matchesToo := func(rec *tape.Recording) bool {
		form := rec.Peek()
		if form.Text() == nearest.Form().Text() || !mayEqual(&options, form, nearest.Form()) {
			return false
		}
		other := rec.Request()
		return keyOf(&other) == key
	}
	if slices.ContainsFunc(recs, matchesToo) {
		return nil
	}
	return hint
}

// setHint sets the options that would make a request match.
func (m *missing) setHint(options []advice.Option, words *advice.Words) {
	m.options = options
	m.Hint = words.Code(options...)
	m.Instead = ""
	var values []advice.Value
	for _, o := range options {
		switch o.Name {
		case advice.MaskTimes:
			values = append(values, advice.Time)
		case advice.MaskUUIDs:
			values = append(values, advice.Random)
		}
	}
	if len(values) > 0 {
		m.Instead = words.TakeValue(values...)
	}
}

// mayEqual reports whether two forms, which were made with other options, may be equal with
// these. It spares the caller from making both forms again: it stops at the first field that
// the options neither ignore nor mask into the same text.
func mayEqual(options *canon.Options, a, b *canon.Form) bool {
	if a.Endpoint != b.Endpoint {
		return false
	}
	isIgnored := func(l canon.Line) bool {
		matches := func(pattern string) bool { return fieldpath.Match(pattern, l.Path) }
		return slices.ContainsFunc(options.Ignore, matches)
	}
	linesA := slices.DeleteFunc(slices.Clone(a.Lines()), isIgnored)
	linesB := slices.DeleteFunc(slices.Clone(b.Lines()), isIgnored)
	return slices.EqualFunc(linesA, linesB, func(a, b canon.Line) bool {
		if a.Path != b.Path {
			return false
		}
		if a.Value == b.Value {
			return true
		}
		textA, textB := aroundDifference(a.Value, b.Value)
		return options.Masked(a.Path, textA) == options.Masked(a.Path, textB)
	})
}

// addOptions adds the options by which a field may match, and returns them. There are none if
// only the meaning of the field can have changed.
func addOptions(options *canon.Options, e *diff.Edit) (added []advice.Option) {
	recorded, ok := exactjson.Unquote(e.Recorded)
	incoming, isText := exactjson.Unquote(e.Incoming)
	isConversation := fieldpath.Selector(e.List()) == "messages" // which has an order
	areTimes := chance.IsUnixTime(e.Recorded) && chance.IsUnixTime(e.Incoming)
	areRandom := chance.Random(recorded) && chance.Random(incoming)
	switch {
	case e.Path == "endpoint" || e.Path == "stream" || isConversation:
		return nil
	case canon.OfOneCall(e.Path),
		strings.HasPrefix(e.Path, "header/"),
		strings.HasPrefix(e.Path, "query/") && areRandom,
		areTimes:
		path := fieldpath.Selector(e.Path)
		options.Ignore = append(slices.Clip(options.Ignore), path)
		return []advice.Option{advice.New(advice.Ignore, path)}
	case e.List() != "":
		path := fieldpath.Selector(e.List())
		options.Unordered = append(slices.Clip(options.Unordered), path)
		return []advice.Option{advice.New(advice.Unordered, path)}
	case !ok || !isText:
		recorded, incoming = e.Recorded, e.Incoming // a list of texts, for instance
	}
	for _, text := range kindsExplaining(aroundDifference(recorded, incoming)) {
		masks := text.Masks()
		options.Masks = append(slices.Clip(options.Masks), masks...)
		option := advice.New(advice.Name(text.Option))
		if text.Option == "" {
			option = advice.New(advice.Mask, masks[0].Regexp.String(), masks[0].Placeholder)
		}
		added = append(added, option)
	}
	return added
}

// kindsExplaining returns the kinds of changing text, such as a time or a UUID, that have to be
// masked so that two texts are equal: one kind if one is enough, or else as few as possible. It
// returns none if the texts differ in something else.
func kindsExplaining(recorded, incoming string) []chance.Changing {
	equal := func(kinds []chance.Changing) bool {
		var o canon.Options
		for _, kind := range kinds {
			o.Masks = append(o.Masks, kind.Masks()...)
		}
		return o.Masked("", recorded) == o.Masked("", incoming)
	}
	kinds := chance.ChangingTexts
	if !equal(kinds) { // the most frequent case, so it is checked first
		return nil
	}
	for i := range kinds {
		if one := kinds[i : i+1]; equal(one) {
			return one
		}
	}
	for i := len(kinds) - 1; i >= 0; i-- {
		if fewer := slices.Concat(kinds[:i], kinds[i+1:]); equal(fewer) {
			kinds = fewer
		}
	}
	return kinds
}

// aroundDifference cuts off the beginning and the end that two texts have in common, since
// prompts are long. It leaves 128 bytes on each side: a changing text, such as a UUID, may begin
// with bytes that are equal by chance.
func aroundDifference(a, b string) (string, string) {
	const margin = 128
	i, j := diff.FirstDifference(a, b), 0
	for j < min(len(a), len(b))-i && a[len(a)-1-j] == b[len(b)-1-j] {
		j++
	}
	i, j = max(0, i-margin), max(0, j-margin)
	return a[i : len(a)-j], b[i : len(b)-j]
}

// remarks returns lines with the likely cause of edits, and with a remedy that is not an option.
// It returns "" for edits of any other cause. aliases are the names of servers in the cassette.
// mayBeUnset says that an environment variable of the test may be unset.
func (r *Run) remarks(
	edits []diff.Edit, rec, asked *interaction.Request, aliases []string, mayBeUnset bool,
) string {
	if len(edits) != 1 {
		return ""
	}
	e := &edits[0]
	recorded, wasText := exactjson.Unquote(e.Recorded)
	incoming, isText := exactjson.Unquote(e.Incoming)
	areTexts := wasText && isText
	isField := e.Path != "endpoint" && e.Path != "stream"
	alias := r.Words.Name(advice.Alias)
	switch {
	case e.Path == "host" && slices.Contains(aliases, recorded) && slices.Contains(aliases, incoming):
		return fmt.Sprintf("  if these are nodes of one service and the client picks one of them, "+
			"give both the same name with the option %s: %q, and not %q, and record again\n",
			alias, min(recorded, incoming), max(recorded, incoming))
	case e.Path == "host" && (slices.Contains(aliases, recorded) || slices.Contains(aliases, incoming)):
		return "  one of the two has its name from the option " + alias + ": if the recording was " +
			"made before that option was set, record again\n"
	case e.Path == "host":
		return fmt.Sprintf("  if these are addresses of one service and the client picks one of "+
			"them, give them the same name and record again: %s\n",
			r.Words.Code(
				advice.New(advice.Alias, originOf(rec.URL), "service"),
				advice.New(advice.Alias, originOf(asked.URL), "service")))
	case e.Path == "body" && !utf8.Valid(asked.Body):
		return "  the body is " + binaryForm(asked) + ", compared as bytes: an id, a time, or a map " +
			"in another order makes it differ from run to run. If " +
			"the client can send JSON, fields are compared instead; " +
			r.Words.Code(advice.New(advice.Ignore, "body")) + " ignores the whole body\n"
	case mayBeUnset && isField && areTexts && lacksOneValue(recorded, incoming):
		return "  the incoming text lacks a value: is an environment variable unset here? " + r.Words.SetVariable + "\n"
	}
	return ""
}

// originOf returns the scheme and the host of a URL.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Scheme + "://" + u.Host
}

// lacksOneValue reports whether the incoming text is the recorded one without a value, with the text
// around the value unchanged: "region " for "region eu-west-1", but not "one sentence" for "one
// short sentence".
func lacksOneValue(recorded, incoming string) bool {
	const around = " \n\t/=:,.;\"'()[]{}<>@"
	i := diff.FirstDifference(recorded, incoming)
	value, ok := strings.CutSuffix(recorded[i:], incoming[i:])
	if !ok || strings.Trim(value, around) == "" || strings.ContainsAny(value, around[:3]) {
		return false
	}
	beginsWord := i == 0 || strings.ContainsAny(incoming[i-1:i], around)
	endsWord := i == len(incoming) || strings.ContainsAny(incoming[i:i+1], around)
	return beginsWord && endsWord
}

// binaryForm names the type of a body that is not a text.
func binaryForm(req *interaction.Request) string {
	media, _, _ := mime.ParseMediaType(req.Headers.Get("content-type"))
	if strings.Contains(media, "protobuf") || strings.Contains(media, "grpc") {
		return "protobuf (" + media + ")"
	}
	if media == "" {
		return "binary"
	}
	return "binary (" + media + ")"
}
