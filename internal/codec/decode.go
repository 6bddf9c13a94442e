package codec

import (
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A decoder reads interactions as an encoder writes them: much faster than the parser,
// since it knows where everything stands, and makes JSON text while it reads, without
// the values between. It stops at everything else (failed), also at what is written but
// rarely, such as assets; the parser decides then. It does not look whether all is as
// the encoder writes it: whoever uses it must know that the encoder wrote the text, by
// its seal.
type decoder struct {
	streamDecoder
	scratch *Buffer // if the answer is read for a replay
}

// Decode reads the text of an interaction that Encode wrote: fast, and with the parser
// what is rare. The others are as of [ParseItem].
func Decode(name string, text []byte, asset ReadAsset, beyond Beyond) (*interaction.Interaction, error) {
	if it := decode(text, nil); it != nil {
		return it, nil
	}
	return ParseItem(name, text, asset, beyond)
}

// Check makes sure that what Encode wrote of an interaction reads as it again.
func Check(text []byte, assets map[string][]byte, it *interaction.Interaction) error {
	back := decode(text, &comparison{events: it.Response.Events})
	if back == nil {
		var err error
		back, err = ParseItem("cassette", text, func(name string) ([]byte, error) {
			if b, ok := assets[name]; ok {
				return b, nil
			}
			return nil, fs.ErrNotExist
		}, nil)
		if err != nil {
			return fmt.Errorf("promptecho cannot read what it would write; please report this: %w", err)
		}
	}
	if d := it.Difference(back); d != "" {
		return fmt.Errorf("%s would not survive; please report this", d)
	}
	return nil
}

// decode reads the text of an interaction; nil if the decoder cannot. With want, its
// events must be those.
func decode(text []byte, want *comparison) *interaction.Interaction {
	d, it := new(decoder), new(interaction.Interaction)
	d.s, d.indent, d.want = text, itemIndent, want
	if interactionFields(d, it); d.failed || d.pos != len(text) {
		return nil
	}
	return it
}

// A Buffer is memory that answers are read into; it can be used again and again.
// Its zero value is ready to use.
type Buffer struct {
	Framer Framer // puts streams together, if it can; may be nil

	// Ends is where the events of the last answer end in its Body, if Framer has
	// put it together; then it has no Events.
	Ends []int

	decoder    decoder
	answer     interaction.Interaction
	body       []byte
	layout     exactjson.Layout // that layoutLine stands for
	layoutLine string
	names      []string // of the headers of the last answers
	delays     []interaction.Delay
	events     eventList
}

// Response reads what answered the request of an interaction, of whose text Encode wrote
// that, into resp, without what only its readers need (Text), and returns its latency in
// milliseconds; ok is false if the parser has to read it. What resp has is valid until b
// is used again.
func (b *Buffer) Response(text []byte, resp *interaction.Response) (latencyMS int64, ok bool) {
	start := bytes.Index(text, []byte(AnswerStart))
	if start <= 0 {
		return 0, false
	}
	for _, framer := range [...]Framer{b.Framer, nil} {
		d := &b.decoder
		*d = decoder{scratch: b}
		d.s, d.pos, d.indent, d.framer = text, start+1, itemIndent, framer
		b.answer, b.Ends = interaction.Interaction{}, nil
		answerFields(d, &b.answer)
		if *resp, latencyMS = b.answer.Response, b.answer.LatencyMS; !d.failed && d.pos == len(text) {
			return latencyMS, true
		}
	}
	b.Ends = nil
	return 0, false
}

func (d *decoder) part(key string, each func()) {
	if d.has(key) {
		d.expect("\n")
		d.indent += 2
		each()
		d.indent -= 2
	}
}

func (d *decoder) text(key string, s *string) {
	if d.has(key) {
		*s = string(d.string(d.indent + 2))
	}
}

func (d *decoder) status(n *int) {
	if d.has("status") {
		d.expect(" ")
		*n = d.atoi(string(d.line()))
	}
}

func (d *decoder) latency(ms *int64) {
	if d.has("latency_ms") {
		d.expect(" ")
		n, err := strconv.ParseInt(string(d.line()), 10, 64)
		if *ms = n; err != nil {
			d.fail()
		}
	}
}

func (d *decoder) flag(key string, set *bool) {
	if d.has(key) {
		d.expect(" true\n")
		*set = true
	}
}

func (d *decoder) moments(m **interaction.Moments) {
	if !d.has(momentsKey) {
		return
	}
	d.expect(" ")
	line := string(d.line())
	if d.scratch != nil {
		return // they are known without reading the answer; see MomentsOf
	}
	var err error
	if *m, err = interaction.ParseMoments(line); err != nil {
		d.fail()
	}
}

func (d *decoder) usage(u **interaction.Usage) {
	if !d.has("usage") {
		return
	}
	line := d.line()
	if d.scratch != nil {
		return // it is for readers
	}
	*u = new(interaction.Usage)
	names, counts := (*u).Fields()
	text := strings.TrimSuffix(strings.TrimPrefix(string(line), " {"), "}")
	for field := range strings.SplitSeq(text, ", ") {
		name, count, _ := strings.Cut(field, ": ")
		i := slices.Index(names, name)
		n, err := strconv.ParseInt(count, 10, 64)
		if i < 0 || err != nil {
			d.fail()
			return
		}
		*counts[i] = n
	}
}

func (d *decoder) headers(key string, hs *interaction.Headers) {
	switch {
	case !d.has(key):
	case d.skip("\n"):
		for d.indented(d.indent + 2) {
			h := interaction.Header{Name: string(d.flowText())}
			if d.expect(":"); d.at(" [") {
				d.expect(" ")
				h.Values = d.values()
				d.expect("\n")
			} else {
				h.Values = []string{string(d.string(d.indent + 4))}
			}
			*hs = append(*hs, h)
		}
	default:
		d.expect(" {")
		*hs = make(interaction.Headers, 0, 4)
		values := make([]string, 0, 4) // of the headers that have one
		for more := true; more && !d.failed; more = d.skip(", ") {
			h := interaction.Header{Name: d.headerName(len(*hs))}
			if d.expect(": "); d.at("[") {
				h.Values = d.values()
			} else {
				values = append(values, string(d.flowText()))
				h.Values = slices.Clip(values[len(values)-1:])
			}
			*hs = append(*hs, h)
		}
		d.expect("}\n")
	}
}

// headerName reads the name of the i-th header. Mostly it is that of the last answer.
func (d *decoder) headerName(i int) string {
	name := d.flowText()
	b := d.scratch
	if b == nil {
		return string(name)
	}
	if i == len(b.names) {
		b.names = append(b.names, "")
	}
	if b.names[i] != string(name) {
		b.names[i] = string(name)
	}
	return b.names[i]
}

// values reads a list of strings in flow style.
func (d *decoder) values() (values []string) {
	d.expect("[")
	for !d.failed && !d.skip("]") {
		if len(values) > 0 {
			d.expect(", ")
		}
		values = append(values, string(d.flowText()))
	}
	return values
}

// texts reads what encoder.texts writes.
func (d *decoder) texts(key string, list *[]string) {
	if d.has(key) {
		d.expect(" ")
		*list = d.values()
		d.expect("\n")
	}
}

// jsonBody reads JSON of any kind.
func (d *decoder) jsonBody(body *[]byte, _ bool) {
	if d.has("body") {
		*body = d.structure(nil, exactjson.Layout{})
	}
}

// layout has the parser read what encoder.layout writes: it is short, and mostly the same
// as in the last answer.
func (d *decoder) layout(key string) (l exactjson.Layout) {
	if !d.has(key) {
		return l
	}
	line := d.line()
	if b := d.scratch; b != nil && len(line) > 0 && b.layoutLine == string(line) {
		return b.layout
	}
	p := newParser("", string(line), nil)
	root, err := format.Parse(p.src)
	if err == nil {
		l = p.layout(&root, key)
	}
	if err != nil || p.err != nil {
		d.fail()
	} else if b := d.scratch; b != nil {
		b.layoutLine, b.layout = p.src, l
	}
	return l
}

// stream reads what encoder.stream writes.
func (d *decoder) stream(r *interaction.Response) {
	d.text("stream", &r.Stream)
	for d.at(spaces[:d.indent] + "#") {
		d.line()
	}
	l := d.layout("events_layout")
	if d.has("events") {
		d.expect("\n")
		if d.framer != nil && !d.framer.Stream(r.Stream) {
			d.framer = nil
		}
		var dst []byte
		if b := d.scratch; b != nil {
			dst, d.events = b.body[:0], b.events.reset()
		}
		text := d.eventLines(dst, l)
		if b := d.scratch; b != nil {
			b.body, b.events = text, d.events
		}
		switch {
		case d.want != nil:
			r.Events = d.want.events
		case d.framer != nil:
			r.Body, d.scratch.Ends = text, d.events.offsets
		default:
			r.Events = d.events.list(text)
		}
	}
	r.Chunks = d.ints("chunks")
	if d.scratch != nil {
		r.Delays = d.scratch.delays[:0]
	}
	d.list("delays_ms", func(text string) {
		delay, ok := parseDelay(text)
		if !ok {
			d.fail()
		}
		r.Delays = append(r.Delays, delay)
	})
	if d.scratch != nil {
		d.scratch.delays = r.Delays
	}
}

// body reads a body that is structure or text.
func (d *decoder) body(body *[]byte) {
	l := d.layout("layout")
	switch {
	case !d.has("body"):
	case d.at("\n"), d.at(" {"), d.at(" ["):
		var dst []byte
		if b := d.scratch; b != nil {
			dst = b.body[:0]
		}
		*body = d.structure(dst, l)
		if b := d.scratch; b != nil {
			b.body = *body
		}
	default:
		*body = bytes.Clone(d.string(d.indent + 2))
	}
}
