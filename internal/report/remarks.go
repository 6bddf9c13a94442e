package report

import (
	"fmt"
	"mime"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// unset says why a text most likely lacks a value that the recorded one has, and what helps.
const unset = "  the incoming text lacks a value: is a variable unset here? rec.Env(NAME) gives the test the value that was recorded\n"

// remarks says what most likely lies behind edits, and what helps, where no option does; in lines
// of their own.
func remarks(edits []diff.Edit, rec, asked *interaction.Request) string {
	if len(edits) != 1 {
		return ""
	}
	e := &edits[0]
	recorded, wasText := exactjson.Unquote(e.Recorded)
	incoming, isText := exactjson.Unquote(e.Incoming)
	switch {
	case e.Path == "host":
		return fmt.Sprintf("  if these are addresses of one service and the client picks one of them, give them the same name and record again: promptecho.Alias(%q, \"service\"), promptecho.Alias(%q, \"service\")\n", originOf(rec.URL), originOf(asked.URL))
	case e.Path == "body" && !utf8.Valid(asked.Body):
		return "  the body is " + binaryForm(asked) + ", compared as bytes: ids, times and maps in it differ in each run. If the client can send JSON, fields are compared instead; promptecho.Ignore(\"body\") ignores the whole body\n"
	case e.Path != "endpoint" && e.Path != "wire" && wasText && isText && lost(recorded, incoming):
		return unset
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

// lost reports whether a text is another one without a value in it, where what stood around the
// value is still there: "region " for "region eu-west-1", and not "one sentence" for "one short
// sentence".
func lost(recorded, incoming string) bool {
	const around = " \n\t/=:,.;\"'()[]{}<>@"
	i := diff.FirstDifference(recorded, incoming)
	value, ok := strings.CutSuffix(recorded[i:], incoming[i:])
	return ok && value != "" && !strings.ContainsAny(value, around[:3]) && strings.Trim(value, around) != "" &&
		(i == 0 || strings.ContainsAny(incoming[i-1:i], around)) && (i == len(incoming) || strings.ContainsAny(incoming[i:i+1], around))
}

// binaryForm names what a body is that is no text.
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
