package foreign

import (
	"strings"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
)

// PyYAML writes an object of Python as the call that makes it: "!!python/object/new:CLASS" or
// "!!python/object/apply:FUNCTION", with the arguments, and then the state of the object. vcrpy writes
// objects for the names of headers (aiohttp), for bodies that were files, and for bodies that were
// iterators.

const (
	pyObject = "!!python/object"
	pyNew    = "!!python/object/new:"
	pyApply  = "!!python/object/apply:"
)

// plainObjects replaces objects that have a single value, such as the name of a header, by that value,
// and dictionaries by mappings.
func plainObjects(n *yaml.Node) {
	for _, e := range n.Elems {
		plainObjects(e)
	}
	if !strings.HasPrefix(n.Tag, pyNew) && !strings.HasPrefix(n.Tag, pyApply) {
		return
	}
	args := pyArguments(n)
	class := className(n.Tag)
	hasOneArgument := len(args) == 1
	hasPairs := hasOneArgument && len(pairsOf(args[0])) == len(args[0].Elems)
	switch {
	case class == "collections.OrderedDict" && hasPairs:
		*n = yaml.Node{Kind: yaml.Mapping, Elems: pairsOf(args[0]), Pos: n.Pos, Key: n.Key, Item: n.Item}
	case class == "collections.defaultdict" && member(n, "dictitems") != nil:
		items := member(n, "dictitems")
		*n = yaml.Node{Kind: items.Kind, Elems: items.Elems, Pos: n.Pos, Key: n.Key, Item: n.Item}
	case hasOneArgument && args[0].Kind == yaml.Scalar: // a subclass of str or int, or a member of an enum
		value := *args[0]
		value.Key = n.Key
		value.Item = n.Item
		*n = value
	}
}

// className returns the class or function in the tag of an object, with its name in Python 3.
func className(tag string) string {
	name := tag[strings.LastIndexByte(tag, ':')+1:]
	return strings.Replace(name, "__builtin__.", "builtins.", 1)
}

// pyArguments returns the arguments of the call that makes an object: a list, or the member args of a
// mapping.
func pyArguments(n *yaml.Node) []*yaml.Node {
	if n.Kind == yaml.Sequence {
		return n.Elems
	}
	if args := member(n, "args"); args != nil {
		return args.Elems
	}
	return nil
}

// pyBytes returns the bytes of an object that was the body of a request. ok is false if the file does
// not have the bytes of such an object.
func (r *reader) pyBytes(n *yaml.Node, field string) (body []byte, ok bool) {
	var chunks []*yaml.Node
	args, state := pyArguments(n), member(n, "state")
	switch className(n.Tag) {
	case "_io.BytesIO", "_io.StringIO", "io.BytesIO", "io.StringIO":
		if state == nil || len(state.Elems) == 0 {
			return nil, n.Kind == yaml.Sequence && len(n.Elems) == 0
		}
		chunks = state.Elems[:1]
	case "StringIO.StringIO": // of Python 2
		chunks = append(chunks, member(n, "buf"))
		if list := member(n, "buflist"); list != nil {
			chunks = append(chunks, list.Elems...)
		}
	case "builtins.iter", "builtins.list_iterator", "builtins.tuple_iterator":
		if len(args) != 1 || args[0].Kind != yaml.Sequence {
			return nil, false
		}
		chunks = args[0].Elems
	case "builtins.bytearray":
		if len(args) != 2 || args[1].Text != "latin-1" {
			return nil, false
		}
		for _, c := range r.string(args[0], field) {
			body = append(body, byte(c))
		}
		return body, true
	default:
		return nil, false
	}
	for _, chunk := range chunks {
		if chunk != nil && chunk.Kind != yaml.Scalar {
			return nil, false
		}
		body = append(body, r.string(chunk, field)...)
	}
	return body, true
}
