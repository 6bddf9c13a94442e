package mutation

import (
	"slices"
	"strconv"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// geminiLive is Gemini's Live API (https://ai.google.dev/api/live). An answer is a turn of the
// model, with the calls in it. Its text is written, or it is the transcript of what is spoken. It
// has no reason for its end, and no message for an error.
type geminiLive struct{ noRepeat }

const (
	livePart       = "serverContent/modelTurn/parts/*/thought!=true/text"
	liveTranscript = "serverContent/outputTranscription/text"
	liveCalls      = "toolCall/functionCalls"
)

func (geminiLive) read(d *document) *answer {
	a := &answer{document: d}
	for _, path := range []string{livePart, liveTranscript} {
		t := new(text)
		for _, p := range d.payloads {
			p.value.Each(path, func(v *exactjson.Value) {
				if v.Kind == exactjson.String && v.Text != "" {
					t.add(0, v)
				}
			})
		}
		if t.copies != nil {
			a.texts = append(a.texts, t)
		}
	}
	for i, p := range d.payloads {
		p.value.Each(liveCalls+"/*", func(v *exactjson.Value) {
			c := &call{key: strconv.Itoa(i) + "/" + v.Member("id").Scalar()}
			if name := v.Member("name"); name != nil {
				c.names = append(c.names, name)
			}
			if args := v.Member("args"); args != nil {
				c.args.add(0, args)
			}
			a.calls = append(a.calls, c)
		})
	}
	return a
}

func (geminiLive) end(_ *answer, e ending) bool { return e == stopped }

// clear removes the pieces of the text, and the messages that have only them.
func (geminiLive) clear(a *answer) {
	a.clearTexts()
	for _, p := range a.document.payloads {
		content := p.value.Member("serverContent")
		parts := content.Member("modelTurn").Member("parts")
		hasText := false
		p.value.Each(livePart, func(*exactjson.Value) { hasText = true })
		p.value.Each(liveTranscript, func(*exactjson.Value) { hasText = true })
		isAlone := len(p.value.Elems) == 1 && len(elems(content)) == 1 && len(elems(parts)) <= 1
		if hasText && isAlone {
			p.isDropped = true
		}
	}
}

// drop removes a call. The turn is complete if none is left, since the client sends no response.
func (g geminiLive) drop(a *answer, dropped *call) {
	a.calls = slices.DeleteFunc(a.calls, func(other *call) bool { return other == dropped })
	for i, p := range a.document.payloads {
		p.value.Each(liveCalls, func(list *exactjson.Value) {
			list.Elems = slices.DeleteFunc(list.Elems, func(v exactjson.Value) bool {
				return strconv.Itoa(i)+"/"+v.Member("id").Scalar() == dropped.key
			})
		})
		list := p.value.Member("toolCall").Member("functionCalls")
		if list != nil && len(list.Elems) == 0 {
			set(&p.value, parsed(`{"serverContent":{"turnComplete":true}}`))
		}
	}
}

func (geminiLive) errorEvent(*document, *payload) bool { return false }

// sonic is Amazon's Nova Sonic
// (https://docs.aws.amazon.com/nova/latest/userguide/output-events.html). A text of the model comes
// twice: before it is spoken, and as it was spoken. Calls stay as they are: a client that gets none
// leaves the session waiting.
type sonic struct{ noRepeat }

func (sonic) read(d *document) *answer {
	a := &answer{document: d}
	roles := map[string]string{} // by the ID of the content
	texts := map[string]*text{}
	for _, p := range d.payloads {
		p.value.Each("event/contentStart", func(start *exactjson.Value) {
			roles[start.Member("contentId").Scalar()] = start.Member("role").Scalar()
		})
		p.value.Each("event/textOutput", func(output *exactjson.Value) {
			id := output.Member("contentId").Scalar()
			v := output.Member("content")
			isOfUser := roles[id] == "USER" || output.Member("role").Scalar() == "USER"
			if isOfUser || v == nil || v.Kind != exactjson.String {
				return
			}
			if texts[id] == nil {
				texts[id] = new(text)
				a.texts = append(a.texts, texts[id])
			}
			texts[id].add(0, v)
		})
	}
	a.texts = joinEqual(a.texts)
	return a
}

// joinEqual joins texts that are equal to one text with several copies.
func joinEqual(texts []*text) []*text {
	var joined []*text
	for _, t := range texts {
		i := slices.IndexFunc(joined, func(other *text) bool { return other.String() == t.String() })
		if i < 0 {
			joined = append(joined, t)
			continue
		}
		joined[i].copies = append(joined[i].copies, t.copies...)
	}
	return joined
}

func (sonic) end(*answer, ending) bool { return false }

// clear removes the messages with texts.
func (sonic) clear(a *answer) {
	a.clearTexts()
	for _, p := range a.document.payloads {
		p.value.Each("event/textOutput/content", func(v *exactjson.Value) {
			p.isDropped = v.Scalar() == ""
		})
	}
}

func (sonic) drop(*answer, *call) {}

func (sonic) errorEvent(*document, *payload) bool { return false }
