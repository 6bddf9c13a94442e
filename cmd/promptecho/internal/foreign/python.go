package foreign

import (
	"strings"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
)

// PyYAML writes an object of Python by what makes it again: "!!python/object/new:CLASS" or
// "!!python/object/apply:FUNCTION" over its arguments, with its state behind them. vcrpy gives it
// such objects for the names of headers (aiohttp), bodies that were files, and bodies that were
// iterators.

const (
	pyObject = "!!python/object"
	pyNew    = "!!python/object/new:"
	pyApply  = "!!python/object/apply:"
)

// plainObjects puts the value into the place of an object that stands for one value, such as the
// name of a header, and the members into the place of an ordered dictionary.
func plainObjects(n *yaml.Node) {
	for _, e := range n.Elems {
		plainObjects(e)
	}
	if !strings.HasPrefix(n.Tag, pyNew) && !strings.HasPrefix(n.Tag, pyApply) {
		return
	}
	args := pyArguments(n)
	switch class := className(n.Tag); {
	case class == "collections.OrderedDict" && len(args) == 1 && len(pairsOf(args[0])) == len(args[0].Elems):
		*n = yaml.Node{Kind: yaml.Mapping, Elems: pairsOf(args[0]), Pos: n.Pos, Key: n.Key, Item: n.Item}
	case class == "collections.defaultdict" && member(n, "dictitems") != nil:
		items := member(n, "dictitems")
		*n = yaml.Node{Kind: items.Kind, Elems: items.Elems, Pos: n.Pos, Key: n.Key, Item: n.Item}
	case len(args) == 1 && args[0].Kind == yaml.Scalar: // a subclass of str or int, a member of an enum
		value := *args[0]
		value.Key, value.Item = n.Key, n.Item
		*n = value
	}
}

// className returns what a tag of an object names, as Python 3 names it.
func className(tag string) string {
	name := tag[strings.LastIndexByte(tag, ':')+1:]
	return strings.Replace(name, "__builtin__.", "builtins.", 1)
}

// pyArguments returns the arguments of a class or function: they are all that there is, or are
// the member args.
func pyArguments(n *yaml.Node) []*yaml.Node {
	if n.Kind == yaml.Sequence {
		return n.Elems
	}
	if args := member(n, "args"); args != nil {
		return args.Elems
	}
	return nil
}

// pyBytes returns the bytes that an object has which was the body of a request. ok is false if it
// is another object than those whose bytes are in the file.
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
