package canon

import (
	"net/url"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// A request is what a form is made of. Its parts are JSON values, whatever they were;
// nothing of them is written or sent. The texts of their strings are escaped; see
// [exactjson.ParseEscaped].
type request struct {
	*Form
	url      *url.URL
	encoding encoding
	body     exactjson.Value
	header   exactjson.Value // lists of values by name
	path     exactjson.Value // what the path tells
	query    exactjson.Value // lists of values by name

	options   *Options
	sources   []string        // see pathsByID; nil if nobody asks
	hostModel exactjson.Value // what the host tells beside the body's model
	anyHost   bool            // the host only chooses, although anybody can have such an endpoint

	family        *Family // nil if none knows the request
	serverDecides bool    // nobody is named, or anybody can have such an endpoint
	local         bool    // the origin is one of those that count as one
}

// addPath adds what the path tells.
func (r *request) addPath(name, value string) {
	r.path.Kind = exactjson.Object
	r.path.Elems = append(r.path.Elems, field(name, stringValue(value)))
}

// addToSet adds values to those of a header whose order and number mean nothing.
func (r *request) addToSet(header string, values ...string) {
	for _, s := range values {
		v := stringValue(strings.TrimSpace(s))
		if list := member(&r.header, header); v.Text == "" {
			continue
		} else if list == nil {
			appendTo(&r.header, header, v)
		} else if i, found := slices.BinarySearchFunc(list.Elems, v, compareTexts); !found {
			list.Elems = slices.Insert(list.Elems, i, v)
		}
	}
}

func compareTexts(a, b exactjson.Value) int { return strings.Compare(a.Text, b.Text) }

// object returns a JSON object of the members.
func (r *request) object(members ...exactjson.Value) exactjson.Value {
	return exactjson.Value{Kind: exactjson.Object, Elems: members}
}

// list returns a JSON array of one value.
func (r *request) list(v exactjson.Value) exactjson.Value {
	return exactjson.Value{Kind: exactjson.Array, Elems: []exactjson.Value{v}}
}

// nameModel makes a model that stands outside the body the body's if that has none. It
// reports whether the body names another: then both decide.
func (r *request) nameModel(model string) (another bool) {
	value := stringValue(model)
	if r.encoding != jsonBody {
		value = r.list(value)
	}
	switch m, own := member(&r.body, "model"), modelOf(&r.body); {
	case r.body.Kind != exactjson.Object: // it has no members
		return true
	case m == nil || m.Kind == exactjson.Null || isString(m, ""):
		set(&r.body, "model", value)
	case own == model:
	case strings.HasSuffix("/"+own, "/models/"+model): // Google's name of a resource
		replace(m, value)
	default:
		return true
	}
	return false
}

// modelOf returns the model that a body names: a member, or a field of a form.
func modelOf(body *exactjson.Value) string {
	m := member(body, "model")
	if list := elems(m); len(list) == 1 {
		m = &list[0]
	}
	if !isKind(m, exactjson.String) {
		return ""
	}
	return exactjson.UnescapeText(m.Text)
}
