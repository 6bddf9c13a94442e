package cassette

import (
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/yaml"
)

// Parse reads the cassette data. name is the file's name for messages; asset
// returns the content of an asset by its file name and may be nil if there are
// none. Nothing that Parse cannot give its exact meaning is accepted: the error
// is a *SyntaxError then, whose message says what to do.
func Parse(name string, data []byte, asset func(name string) ([]byte, error)) (*File, error) {
	f, _, err := parse(name, data, asset)
	return f, err
}

// parse is Parse. It also returns the line of the first edit that the seals tell of,
// 0 if there is none.
func parse(name string, data []byte, asset func(name string) ([]byte, error)) (f *File, edited int, err error) {
	d := newDecoder(name, data, asset)
	f = new(File)
	root := d.yaml()
	if d.err == nil {
		d.countAssets(&root)
		f = d.cassette(&root)
	}
	if d.checkWhole(); d.err != nil {
		return nil, 0, d.err
	}
	return f, d.unseal(f), nil
}

func newDecoder(name string, data []byte, asset func(name string) ([]byte, error)) *decoder {
	text := strings.TrimSuffix(strings.TrimPrefix(string(data), "\ufeff"), "\r") // cut within a line end
	d := decoder{asset: asset, mentions: map[string]int{}, assets: map[string][]byte{}}
	d.file, d.text = name, strings.ReplaceAll(text, "\r\n", "\n")
	return &d
}

// yaml reads the text into nodes.
func (d *decoder) yaml() yaml.Node {
	d.checkConflict()
	if d.err != nil {
		return yaml.Node{}
	}
	root, err := format.Parse(d.text)
	if err != nil {
		d.fail(err.Offset, "", "%s", err.Msg)
	} else if root.Pos == len(d.text) {
		d.fail(root.Pos, "", "the file is empty; restore it, or delete it and record again")
	}
	return root
}

// format is the YAML of a cassette.
var format = yaml.Format{Name: "a cassette", Tags: []string{"!asset", "!!binary", "!!str"}}

// checkConflict finds the marks that git leaves in a file with a merge conflict.
func (d *decoder) checkConflict() {
	for _, m := range []string{"<<<<<<<", "=======", ">>>>>>>"} {
		for at := 0; ; {
			i := strings.Index(d.text[at:], m)
			if i < 0 {
				break
			}
			i += at
			at = i + len(m)
			if (i == 0 || d.text[i-1] == '\n') && (at == len(d.text) || d.text[at] == ' ' || d.text[at] == '\n') {
				d.fail(i, "", "a merge conflict (%q); keep both sides where each added interactions, also below \"seals:\", or take one side and record again what is missing", m)
				return
			}
		}
	}
}

// decoder turns nodes into the data model. After the first error what it
// returns is worthless.
type decoder struct {
	source
	asset func(name string) ([]byte, error)
	seals []seal // at the end of the file

	mentions        map[string]int    // of each asset
	assets          map[string][]byte // that were read, by name
	distinct, named int               // their lengths in bytes, once and as often as they are named
	indentation     int               // of the JSON that was made, in bytes
}

// badf records that n, which is the field, is wrong.
func (d *decoder) badf(n *yaml.Node, field, format string, args ...any) {
	d.fail(n.Pos, field, format, args...)
}

// want records that n is not what the field takes.
func (d *decoder) want(n *yaml.Node, field, what string) {
	d.badf(n, field, "want %s, found %s", what, describe(n))
}

// each calls set for every member of the mapping n. Its keys must be known.
func (d *decoder) each(n *yaml.Node, field, known string, set func(key string, v *yaml.Node)) {
	if n.Kind != yaml.Mapping || n.Tag != "" {
		d.want(n, field, "a mapping with the keys "+known)
		return
	}
	for i := range n.Elems {
		if d.err != nil {
			return
		}
		key := d.key(&n.Keys[i], field)
		if !oneOf(key, known) {
			d.badf(&n.Keys[i], field, "unknown key %q; known are %s", yaml.Clip(key), known)
			return
		}
		set(key, &n.Elems[i])
	}
}

// oneOf reports whether key is in the list known, separated by commas.
func oneOf(key, known string) bool {
	for k := range strings.SplitSeq(known, ", ") {
		if k == key {
			return true
		}
	}
	return false
}

// key returns the text of a mapping's key.
func (d *decoder) key(n *yaml.Node, field string) string {
	if k := d.resolve(n, field); k != exactjson.String || n.Tag == "!asset" {
		d.badf(n, field, "the key %s is not text; put it in quotes", yaml.Clip(n.Text))
	}
	return d.decoded(n, field)
}

// list returns the elements of the sequence n.
func (d *decoder) list(n *yaml.Node, field, of string) []yaml.Node {
	if n.Kind != yaml.Sequence || n.Tag != "" {
		d.want(n, field, "a list of "+of)
		return nil
	}
	return n.Elems
}

func (d *decoder) cassette(n *yaml.Node) *File {
	f := new(File)
	if n.Kind != yaml.Mapping {
		d.want(n, "", "a cassette (\"version: 1\" and \"interactions:\")")
		return f
	}
	d.version(n)
	list := false
	d.each(n, "", "version, pinned, partial, interactions, seals", func(key string, v *yaml.Node) {
		switch key {
		case "pinned":
			f.Pinned = d.boolean(v, key)
		case "partial":
			f.Partial = d.boolean(v, key)
		case "interactions":
			list = true
			f.Interactions = d.interactions(v)
		case "seals":
			d.readSeals(v)
		}
	})
	if !list {
		d.badf(n, "interactions", "is missing; write \"interactions: []\" if there are none")
	}
	return f
}

// readSeals reads the seals at the end. One that was edited is none.
func (d *decoder) readSeals(n *yaml.Node) {
	for i := range d.list(n, "seals", "seals") {
		if s, ok := parseSeal(d.str(&n.Elems[i], "seals")); ok {
			d.seals = append(d.seals, s)
		}
	}
}

// version checks the version before anything that may depend on it.
func (d *decoder) version(n *yaml.Node) {
	for i := range n.Keys {
		if n.Keys[i].Text != "version" {
			continue
		}
		v := d.integer(&n.Elems[i], "version", 1)
		if d.err == nil && v != Version {
			d.badf(&n.Elems[i], "version", "this is version %d, and this promptecho reads version %d; update it, or record again", v, Version)
		}
		return
	}
	d.badf(n, "version", "is missing; a cassette starts with \"version: %d\"", Version)
}

func (d *decoder) interactions(n *yaml.Node) []*interaction.Interaction {
	elems := d.list(n, "interactions", "interactions")
	its := make([]*interaction.Interaction, 0, len(elems))
	line, at := 1, 0
	for i := range elems {
		e := &elems[i]
		start := e.Item
		if start == 0 {
			start = e.Pos // in a flow sequence
		}
		line += strings.Count(d.text[at:start], "\n")
		at = start
		it := d.interaction(e)
		if d.err != nil {
			return nil
		}
		it.Line = line
		its = append(its, it)
	}
	return its
}

func (d *decoder) interaction(n *yaml.Node) *interaction.Interaction {
	it := new(interaction.Interaction)
	var request, response bool
	const known = "kind, boundary, request, response, usage, latency_ms, concurrent"
	d.each(n, "interaction", known, func(key string, v *yaml.Node) {
		switch key {
		case "kind":
			it.Kind = d.str(v, key)
		case "boundary":
			it.Boundary = d.str(v, key)
		case "request":
			request = true
			it.Request = d.request(v)
		case "response":
			response = true
			it.Response = d.response(v)
		case "usage":
			it.Usage = d.usage(v)
		case "latency_ms":
			it.LatencyMS = d.integer(v, key, minInt64)
		case "concurrent":
			it.Concurrent = d.boolean(v, key)
		}
	})
	d.need(n, "request", request)
	d.need(n, "response", response)
	return it
}

const minInt64 = -1 << 63

// need records that a field of n is missing.
func (d *decoder) need(n *yaml.Node, field string, there bool) {
	if !there {
		d.badf(n, field, "is missing; restore it, or record again")
	}
}

func (d *decoder) usage(n *yaml.Node) *interaction.Usage {
	u := new(interaction.Usage)
	d.each(n, "usage", "input_tokens, output_tokens", func(key string, v *yaml.Node) {
		i := d.integer(v, "usage."+key, minInt64)
		if key == "input_tokens" {
			u.InputTokens = i
		} else {
			u.OutputTokens = i
		}
	})
	return u
}

func (d *decoder) request(n *yaml.Node) interaction.Request {
	var r interaction.Request
	var b bodyNodes
	d.each(n, "request", "method, url, headers, layout, body, body_base64, body_file", func(key string, v *yaml.Node) {
		switch key {
		case "method":
			r.Method = d.str(v, "request.method")
		case "url":
			r.URL = d.str(v, "request.url")
		case "headers":
			r.Headers = d.headers(v, "request.headers")
		default:
			b.set(key, v)
		}
	})
	d.need(n, "request.method", r.Method != "")
	d.need(n, "request.url", r.URL != "")
	r.Body = d.body(&b, "request")
	return r
}

func (d *decoder) response(n *yaml.Node) interaction.Response {
	var r interaction.Response
	var b bodyNodes
	var s streamNodes
	const known = "status, proto, headers, trailers, stream, events_layout, events, events_padding, chunks, delays_ms, " +
		"layout, body, body_base64, body_file, end, error"
	d.each(n, "response", known, func(key string, v *yaml.Node) {
		field := "response." + key
		switch key {
		case "status":
			r.Status = int(d.integer(v, field, 0))
			if r.Status > 999 {
				d.want(v, field, "a status (100 to 999)")
			}
		case "proto":
			r.Proto = d.str(v, field)
		case "headers":
			r.Headers = d.headers(v, field)
		case "trailers":
			r.Trailers = d.headers(v, field)
		case "stream":
			r.Stream = d.str(v, field)
		case "events_layout":
			s.layout = v
		case "events":
			s.events = v
		case "events_padding":
			s.padding = v
		case "chunks":
			s.chunks = v
		case "delays_ms":
			r.Delays = d.delays(v)
		case "end":
			r.End = d.end(v)
		case "error":
			r.Error = d.str(v, field)
		default:
			b.set(key, v)
		}
	})
	d.need(n, "response.status", r.Status != 0 || r.End == interaction.EndError || r.End == interaction.EndCanceled)
	r.Body = d.body(&b, "response")
	d.stream(&r, &s, &b)
	return r
}

func (d *decoder) end(n *yaml.Node) string {
	s := d.str(n, "response.end")
	if s != interaction.EndClosed && s != interaction.EndError && s != interaction.EndCanceled {
		d.want(n, "response.end", "closed, error or canceled (leave it out if the body is whole)")
	}
	return s
}

func (d *decoder) headers(n *yaml.Node, field string) interaction.Headers {
	if n.Kind != yaml.Mapping || n.Tag != "" {
		d.want(n, field, "a mapping of names to values")
		return nil
	}
	hs := make(interaction.Headers, 0, len(n.Elems))
	for i := range n.Elems {
		v := &n.Elems[i]
		h := interaction.Header{Name: d.key(&n.Keys[i], field)}
		if v.Kind == yaml.Sequence {
			for j := range d.list(v, field, "values") {
				h.Values = append(h.Values, d.loose(&v.Elems[j], field))
			}
		} else {
			h.Values = []string{d.loose(v, field)}
		}
		hs = append(hs, h)
	}
	return hs
}
