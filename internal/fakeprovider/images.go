package fakeprovider

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
)

// imageGeneration is OpenAI's generation of pictures from a text.
var imageGeneration = family{
	name:   "openai.images.generations",
	vendor: openai,
	owns:   suffix("/images/generations"),
	read:   readImage,
	write: func(c *call, p prompt, replies []Reply) *answer {
		return writeImages(c, p, replies, "image_generation")
	},
}

// imageEdit is OpenAI's change of pictures by a text.
var imageEdit = family{
	name:   "openai.images.edits",
	vendor: openai,
	owns:   suffix("/images/edits"),
	decode: decodeFormOrJSON,
	read:   readImageEdit,
	write: func(c *call, p prompt, replies []Reply) *answer {
		return writeImages(c, p, replies, "image_edit")
	},
}

func readImageEdit(c *call) (prompt, *Problem) {
	if c.body.get("image") == nil && c.body.get("images") == nil { // xAI's list
		return prompt{}, missing("image")
	}
	return readImage(c)
}

// readImage reads a request for pictures, which need not name a model.
func readImage(c *call) (prompt, *Problem) {
	if c.body.text("model") == noModel {
		return prompt{}, openaiModel(c)
	}
	text := c.body.text("prompt")
	if text == "" {
		return prompt{}, missing("prompt")
	}
	const most = 10 // https://platform.openai.com/docs/api-reference/images/create
	n := formNumber(c.body, "n")
	if n > most {
		return prompt{}, &Problem{
			Status: http.StatusBadRequest,
			Kind:   "invalid_request_error",
			Message: fmt.Sprintf("Invalid 'n': integer above maximum value. "+
				"Expected a value <= %d, but got %d instead.", most, n),
			Param: "n",
			Code:  "integer_above_max_value",
		}
	}
	return prompt{choices: n, turns: []turn{{role: "user", text: text}}}, nil
}

// writeImages writes the pictures of the replies. The event is the beginning of the
// names of events.
func writeImages(c *call, p prompt, replies []Reply, event string) *answer {
	if formFlag(c.body, "stream") {
		return &answer{events: imageEvents(c, p, replies, event)}
	}
	var data []object
	for _, r := range replies {
		data = append(data, imageData(c, r))
	}
	o := object{{"created", int(c.created().Unix())}, {"data", data}}
	if !isDallE(c) {
		o = append(o, imageSettings(c.body, replies[0].picture())...)
		o = append(o, field{"usage", imageUsage(p, replies)})
	}
	return &answer{body: append(pretty(o, "  "), '\n')}
}

// isDallE reports whether the model is one of those that came before GPT Image.
func isDallE(c *call) bool { return strings.HasPrefix(c.body.text("model"), "dall-e") }

// imageData is a picture. The URL of one is a data URL, since nothing serves it.
func imageData(c *call, r Reply) object {
	picture := r.picture()
	content := base64.StdEncoding.EncodeToString(picture.Data)
	format := c.body.text("response_format")
	asURL := format == "url" || (format == "" && isDallE(c))

	data := object{{"b64_json", content}}
	if asURL {
		data = object{{"url", "data:" + picture.Type + ";base64," + content}}
	}
	if r.Text != "" {
		data = append(data, field{"revised_prompt", r.Text})
	}
	return data
}

func imageEvents(c *call, p prompt, replies []Reply, event string) [][]byte {
	var events [][]byte
	for _, r := range replies {
		picture := r.picture()
		o := object{
			{"type", event + ".partial_image"},
			{"b64_json", base64.StdEncoding.EncodeToString(picture.Data)},
			{"created_at", int(c.created().Unix())},
		}
		o = append(o, imageSettings(c.body, picture)...)
		for i := range formNumber(c.body, "partial_images") {
			events = append(events, namedEvent(append(o, field{"partial_image_index", i})))
		}
		if r.Broken != nil {
			broken := object{{"type", "error"}, {"error", openaiError(c, *r.Broken)}}
			return append(events, namedEvent(broken))
		}
		o[0].value = event + ".completed"
		events = append(events, namedEvent(append(o, field{"usage", imageUsage(p, replies)})))
	}
	return events
}

func imageUsage(p prompt, replies []Reply) object {
	in, out := replies[0].Usage.Input, 0
	for _, r := range replies {
		out += r.Usage.Output
	}
	return object{
		{"input_tokens", in},
		{"input_tokens_details", object{{"image_tokens", 0}, {"text_tokens", in}}},
		{"output_tokens", out},
		{"total_tokens", in + out},
	}
}
