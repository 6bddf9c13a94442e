package provider

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	"image/png"
	"strconv"
	"strings"
)

// images is OpenAI's image generation and editing. Every picture is one pixel,
// whose colour the request decides.
var images = family{
	name:   "openai.images",
	vendor: openai,
	owns:   suffix("/images/generations", "/images/edits", "/images/variations"),
	answer: answerImages,
	form:   true,
}

func answerImages(c *call) (*answer, *problem) {
	if c.body.text("model") == noModel {
		return nil, openaiModel(c)
	}
	prompt := c.body.text("prompt")
	if prompt == "" && !strings.HasSuffix(c.path, "/variations") {
		return nil, missing("prompt")
	}
	edits := !strings.HasSuffix(c.path, "/generations")
	if edits && len(c.files) == 0 && c.body.get("images") == nil {
		return nil, missing("image")
	}
	seed := prompt
	for _, f := range c.files {
		seed += "\x00" + string(f.data)
	}
	if list := c.body.get("images"); list != nil {
		seed += string(encode(list))
	}
	in := len(tokens(prompt))
	usage := object{
		{"input_tokens", in},
		{"input_tokens_details", object{{"image_tokens", 0}, {"text_tokens", in}}},
		{"output_tokens", 1},
		{"total_tokens", in + 1},
	}
	if c.formFlag("stream") {
		kind := "image_generation"
		if edits {
			kind = "image_edit"
		}
		return &answer{events: imageEvents(c, kind, seed, usage)}, nil
	}
	var data []object
	for i := range min(max(1, c.formNumber("n")), 10) {
		if c.body.text("response_format") == "url" {
			data = append(data, object{{"url", fmt.Sprintf("https://images.stand-in.invalid/standin%06d%d.png", c.n, i)}})
			continue
		}
		data = append(data, object{{"b64_json", pixel(seed, i)}})
	}
	return &answer{body: pretty(append(imageBody(c), field{"data", data}, field{"usage", usage}), "  ")}, nil
}

func imageBody(c *call) object {
	return object{
		{"created", int(c.created().Unix())},
		{"background", "opaque"},
		{"output_format", "png"},
		{"quality", "low"},
		{"size", "1024x1024"},
	}
}

// imageEvents is the partial pictures, as many as are wanted, and the last.
func imageEvents(c *call, kind, seed string, usage object) [][]byte {
	var events [][]byte
	body := imageBody(c)
	body[0].name = "created_at"
	n := min(max(0, c.formNumber("partial_images")), 3)
	for i := range n {
		events = append(events, namedEvent(kind+".partial_image", append(object{
			{"partial_image_index", i}, {"b64_json", pixel(seed, i+1)}}, body...)...))
	}
	return append(events, namedEvent(kind+".completed", append(append(object{
		{"b64_json", pixel(seed, 0)}}, body...), field{"usage", usage})...))
}

// pixel is a picture as base64.
func pixel(seed string, i int) string {
	h := fnv.New32a()
	fmt.Fprintf(h, "%d %s", i, seed)
	sum := h.Sum32()
	picture := image.NewNRGBA(image.Rect(0, 0, 1, 1))
	picture.Set(0, 0, color.NRGBA{uint8(sum), uint8(sum >> 8), uint8(sum >> 16), 255})
	var buf bytes.Buffer
	if err := png.Encode(&buf, picture); err != nil {
		panic("provider: internal error: " + err.Error())
	}
	return base64.StdEncoding.EncodeToString(buf.Bytes())
}

// formFlag reads a truth of a JSON body or of a form, where it is a text.
func (c *call) formFlag(name string) bool { return c.body.flag(name) || c.body.text(name) == "true" }

// formNumber reads a number of a JSON body or of a form.
func (c *call) formNumber(name string) int {
	if n, err := strconv.Atoi(c.body.text(name)); err == nil {
		return n
	}
	return c.body.number(name)
}
