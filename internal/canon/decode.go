package canon

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/coding"
	"github.com/promptecho/promptecho/internal/nethttp/upload"
)

// An encoding is how a body holds its fields.
type encoding string

const (
	noBody        encoding = "none"
	opaqueBody    encoding = "opaque" // matches by its SHA-256
	jsonBody      encoding = "json"
	multipartBody encoding = "multipart"
	formBody      encoding = "form"
)

// decode reads a body into fields, or the argument of a function. JSON is recognised by its bytes: SDKs send
// it as application/octet-stream and without a type too.
func decode(req *interaction.Request) (exactjson.Value, encoding) {
	if req.Function != "" {
		if v, err := exactjson.ParseEscaped(string(req.Body)); err == nil {
			return v, jsonBody
		}
		return digestOf(req.Body), opaqueBody // by hand, or what the user redacts has broken it
	}
	if len(req.Body) == 0 {
		return exactjson.Value{}, noBody
	}
	contentType := ""
	for _, h := range req.Headers {
		if strings.EqualFold(h.Name, "content-type") && len(h.Values) > 0 {
			contentType = h.Values[0]
		}
	}
	body := upload.Reduce(contentType, req.Body)
	if v, ok := parseJSON(string(body)); ok {
		return v, jsonBody
	}
	media, params, err := mime.ParseMediaType(contentType)
	switch {
	case err != nil || upload.Is(body):
	case media == "multipart/form-data", media == "multipart/related", media == "multipart/mixed":
		if v, ok := decodeParts(body, media, params["boundary"]); ok {
			return v, multipartBody
		}
	case media == "application/x-www-form-urlencoded" && utf8.Valid(body):
		return decodeForm(string(body)), formBody
	}
	return digestOf(body), opaqueBody
}

// digestOf returns what stands for a body that has no fields.
func digestOf(body []byte) exactjson.Value {
	_, sum := upload.Sum(body)
	return exactjson.Value{Kind: digest, Text: "sha256:" + sum}
}

// parseJSON reads an object or an array.
func parseJSON(text string) (v exactjson.Value, ok bool) {
	v, err := exactjson.ParseEscaped(text)
	return v, err == nil && (v.Kind == exactjson.Object || v.Kind == exactjson.Array)
}

// decodeParts reads a body of several parts. Of a form (RFC 7578) it returns the list of
// values of each name. Of anything else (RFC 2387, and RFC 2046, section 5.1.3), such
// as Google's uploads, it returns the list of parts, by the media type. The boundary and
// what names the parts beyond that say nothing about what is asked.
func decodeParts(body []byte, media, boundary string) (v exactjson.Value, ok bool) {
	if boundary == "" {
		return v, false
	}
	v.Kind = exactjson.Object
	if media != "multipart/form-data" {
		set(&v, media, exactjson.Value{Kind: exactjson.Array})
	}
	for r := multipart.NewReader(bytes.NewReader(body), boundary); ; {
		part, err := r.NextRawPart()
		if err != nil {
			return v, err == io.EOF
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return v, false
		}
		switch {
		case media != "multipart/form-data":
			appendTo(&v, media, decodePart(part, data))
		case part.FileName() != "":
			appendTo(&v, part.FormName(), fileValue(part, data))
		default:
			appendTo(&v, part.FormName(), decodeText(part, data))
		}
	}
}

// decodeText reads what is text, and takes anything else for a file.
func decodeText(part *multipart.Part, data []byte) exactjson.Value {
	if !utf8.Valid(data) || upload.Is(data) {
		return fileValue(part, data)
	}
	return stringValue(string(data))
}

// partHeaders are the headers of a part that say what its content means.
var partHeaders = []string{"content-type", "content-transfer-encoding", "content-encoding", "content-disposition"}

// decodePart reads a part that is no field of a form: its type and its content.
func decodePart(part *multipart.Part, data []byte) (fields exactjson.Value) {
	content, ok := parseJSON(string(data))
	if !ok {
		content = decodeText(part, data)
	}
	appendTo(&fields, "content", content)
	for name, values := range part.Header {
		name = strings.ToLower(name)
		if slices.Contains(partHeaders, name) {
			appendTo(&fields, name, stringValue(strings.Join(values, ",")))
		}
	}
	return fields
}

// digest is the kind of a text that stands for content which the form does not
// have: no mask of a user may rewrite it, or two files would be one.
const digest = exactjson.Kind(0xff)

// fileValue stands for the content of a file. Of its name, which is often that of a
// temporary file, only the extension means something.
func fileValue(part *multipart.Part, data []byte) exactjson.Value {
	length, sum := upload.Sum(data)
	extension := path.Ext(strings.ReplaceAll(part.FileName(), `\`, "/"))
	return exactjson.Value{
		Kind: exactjson.Object,
		Elems: []exactjson.Value{
			{Name: "sha256", Kind: digest, Text: sum},
			{Name: "bytes", Kind: exactjson.Number, Text: length},
			field("ext", stringValue(strings.ToLower(extension))),
		},
	}
}

// decodeForm reads a URL-encoded form, or a query: for each name the list of its values.
// It takes what is escaped wrongly, or separated by ";", as it stands: [url.ParseQuery]
// drops it, and two requests that differ in it would be one.
func decodeForm(text string) exactjson.Value {
	form := exactjson.Value{Kind: exactjson.Object}
	for pair := range strings.SplitSeq(text, "&") {
		if name, value, _ := strings.Cut(pair, "="); pair != "" {
			appendTo(&form, coding.UnescapeQuery(name), stringValue(coding.UnescapeQuery(value)))
		}
	}
	return form
}
