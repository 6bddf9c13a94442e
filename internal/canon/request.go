package canon

import (
	"net/url"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// A request has the parts of a request while its form is made. The parts are
// JSON values, whatever their encoding was. They are never written or sent. The
// texts of their strings are escaped; see [exactjson.ParseEscaped].
type request struct {
	*Form
	url      *url.URL
	encoding encoding
	body     exactjson.Value
	header   exactjson.Value // a list of values for each name
	path     exactjson.Value // the texts that the family's pattern found, by placeholder
	query    exactjson.Value // a list of values for each name

	options   *Options
	sources   []string        // see pathsByID; nil if not needed
	hostModel exactjson.Value // the model that the host names, if the body names another
	anyHost   bool            // the host does not match, although Family.Server is set

	// serverMatches is set if the request names no model, or if Family.Server is
	// set. Then the host, the start of the path and the whole query match, since
	// they decide which model answers.
	serverMatches bool

	local bool // the host is a local one, and counts as any other local host

	isHandshake bool // the request opens a WebSocket
}

// addPath adds a name and its value to the path of the form.
func (r *request) addPath(name, value string) {
	r.path.Kind = exactjson.Object
	r.path.Elems = append(r.path.Elems, field(name, stringValue(value)))
}

// addToSet adds values to a header whose values are a set: sorted, each once.
func (r *request) addToSet(header string, values ...string) {
	for _, s := range values {
		v := stringValue(strings.TrimSpace(s))
		if v.Text == "" {
			continue
		}
		list := member(&r.header, header)
		if list == nil {
			appendTo(&r.header, header, v)
			continue
		}
		i, found := slices.BinarySearchFunc(list.Elems, v, compareTexts)
		if !found {
			list.Elems = slices.Insert(list.Elems, i, v)
		}
	}
}

// compareTexts compares two strings as [strings.Compare] does.
func compareTexts(a, b exactjson.Value) int { return strings.Compare(a.Text, b.Text) }

// objectOf returns a JSON object with the members.
func objectOf(members ...exactjson.Value) exactjson.Value {
	return exactjson.Value{Kind: exactjson.Object, Elems: members}
}

// listOf returns a JSON array of one value.
func listOf(v exactjson.Value) exactjson.Value {
	return exactjson.Value{Kind: exactjson.Array, Elems: []exactjson.Value{v}}
}

// setModel sets the body's model to one that the path or the host names. If the
// body names another model, it stays, and setModel returns false: then both
// must match.
func (r *request) setModel(model string) bool {
	if r.body.Kind != exactjson.Object {
		return false
	}
	value := stringValue(model)
	if r.encoding != jsonBody {
		value = listOf(value)
	}
	m := member(&r.body, "model")
	inBody := modelOf(&r.body)
	switch {
	case m == nil || m.Kind == exactjson.Null || isString(m, ""):
		set(&r.body, "model", value)
	case inBody == model:
	case strings.HasSuffix("/"+inBody, "/models/"+model): // Google's name of a resource
		replace(m, value)
	default:
		return false
	}
	return true
}

// modelOf returns the model that a JSON body or a form names, or "".
func modelOf(body *exactjson.Value) string {
	m := singleValue(member(body, "model"))
	if !isKind(m, exactjson.String) {
		return ""
	}
	return exactjson.UnescapeText(m.Text)
}
