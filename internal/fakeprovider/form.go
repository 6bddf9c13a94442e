package fakeprovider

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
)

// decodeForm reads a multipart form as an object: texts are strings, and a file is
// an object with its name, type, and size. A name that ends in [] has a list, and
// so has a name that occurs more than once.
func decodeForm(contentType string, body []byte) (object, *Problem) {
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil || kind != "multipart/form-data" {
		return nil, badForm("expected multipart/form-data, got " + contentType)
	}
	form := object{}
	parts := multipart.NewReader(bytes.NewReader(body), params["boundary"])
	for {
		p, err := parts.NextPart()
		if err == io.EOF {
			return form, nil
		}
		if err != nil {
			return nil, badForm(err.Error())
		}
		content, err := io.ReadAll(p)
		if err != nil {
			return nil, badForm(err.Error())
		}
		form = form.addPart(p.FormName(), partValue(p, content))
	}
}

// decodeFormOrJSON reads a multipart form, or a JSON object, as xAI takes it
// (https://docs.x.ai/docs/guides/image-generations).
func decodeFormOrJSON(contentType string, body []byte) (object, *Problem) {
	kind, _, _ := mime.ParseMediaType(contentType)
	if kind != "application/json" {
		return decodeForm(contentType, body)
	}
	v, err := decode(body)
	o, ok := v.(object)
	if err != nil || !ok {
		p := openai.badJSON(err)
		return nil, &p
	}
	return o, nil
}

func badForm(why string) *Problem {
	return &Problem{
		Status:  http.StatusBadRequest,
		Kind:    "invalid_request_error",
		Message: fmt.Sprintf("Could not parse multipart form: %s", why),
	}
}

// partValue is the value of a part of a form.
func partValue(p *multipart.Part, content []byte) any {
	if p.FileName() == "" {
		return string(content)
	}
	return object{
		{"type", cmp.Or(p.Header.Get("Content-Type"), "application/octet-stream")},
		{"filename", p.FileName()},
		{"size", json.Number(strconv.Itoa(len(content)))},
	}
}

// addPart adds a value of a form.
func (o object) addPart(name string, value any) object {
	name, isList := strings.CutSuffix(name, "[]")
	for i := range o {
		if o[i].name != name {
			continue
		}
		list, ok := o[i].value.([]any)
		if !ok {
			list = []any{o[i].value}
		}
		o[i].value = append(list, value)
		return o
	}
	if isList {
		value = []any{value}
	}
	return append(o, field{name, value})
}

// formFlag reads a flag of a form or of JSON.
func formFlag(body object, name string) bool {
	return body.flag(name) || body.text(name) == "true"
}

// formNumber reads a number of a form or of JSON.
func formNumber(body object, name string) int {
	n, err := strconv.Atoi(body.text(name))
	if err != nil {
		return body.number(name)
	}
	return n
}
