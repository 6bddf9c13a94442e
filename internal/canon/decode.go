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

// An encoding is the encoding of a body's fields.
type encoding string

const (
	noBody        encoding = "none"
	opaqueBody    encoding = "opaque" // has no fields, and matches by its SHA-256
	jsonBody      encoding = "json"
	multipartBody encoding = "multipart"
	formBody      encoding = "form"
)

// decode reads the body of a request, or the argument of a function, into
// fields. JSON is recognized by its bytes, since some SDKs send it as
// application/octet-stream or without a type.
func decode(req *interaction.Request) (exactjson.Value, encoding) {
	if req.Function != "" {
		v, err := exactjson.ParseEscaped(string(req.Body))
		if err != nil { // the cassette was edited by hand, or redaction by the user broke the JSON
			return digestOf(req.Body), opaqueBody
		}
		return v, jsonBody
	}
	if req.IsForProcess() {
		return decodeLine(req)
	}
	if len(req.Body) == 0 {
		return exactjson.Value{}, noBody
	}

	contentType := contentTypeOf(req.Headers)
	body := upload.Reduce(contentType, req.Body)
	if v, ok := parseJSON(string(body)); ok {
		return v, jsonBody
	}
	mediaType, params, err := mime.ParseMediaType(contentType)
	isOneUpload := upload.Is(body) // Reduce replaced the whole body by a placeholder
	if err != nil || isOneUpload {
		return digestOf(body), opaqueBody
	}
	switch mediaType {
	case "multipart/form-data", "multipart/related", "multipart/mixed":
		if v, ok := decodeParts(body, mediaType, params["boundary"]); ok {
			return v, multipartBody
		}
	case "application/x-www-form-urlencoded":
		if utf8.Valid(body) {
			return decodeForm(string(body)), formBody
		}
	}
	return digestOf(body), opaqueBody
}

// contentTypeOf returns the first value of the last Content-Type header, or "".
func contentTypeOf(headers interaction.Headers) (contentType string) {
	for _, h := range headers {
		if strings.EqualFold(h.Name, "content-type") && len(h.Values) > 0 {
			contentType = h.Values[0]
		}
	}
	return contentType
}

// digestOf returns the value of a body without fields: its digest.
func digestOf(body []byte) exactjson.Value {
	_, sum := upload.Sum(body)
	return exactjson.Value{Kind: digest, Text: "sha256:" + sum}
}

// parseJSON reads a JSON object or array. It returns false for any other text.
func parseJSON(text string) (v exactjson.Value, ok bool) {
	v, err := exactjson.ParseEscaped(text)
	isContainer := v.Kind == exactjson.Object || v.Kind == exactjson.Array
	return v, err == nil && isContainer
}

// decodeParts reads a multipart body. For a form (RFC 7578) it returns the list
// of values of each name. For any other type (RFC 2387; RFC 2046, section
// 5.1.3), such as Google's uploads, it returns the list of parts as a member
// with the name of the media type. The boundary does not matter, nor do most
// headers of parts.
func decodeParts(body []byte, mediaType, boundary string) (v exactjson.Value, ok bool) {
	if boundary == "" {
		return v, false
	}
	isForm := mediaType == "multipart/form-data"
	v.Kind = exactjson.Object
	if !isForm {
		set(&v, mediaType, exactjson.Value{Kind: exactjson.Array})
	}

	reader := multipart.NewReader(bytes.NewReader(body), boundary)
	for {
		part, err := reader.NextRawPart()
		if err != nil {
			return v, err == io.EOF
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return v, false
		}
		switch {
		case !isForm:
			appendTo(&v, mediaType, decodePart(part, data))
		case part.FileName() != "":
			appendTo(&v, part.FormName(), fileValue(part, data))
		default:
			appendTo(&v, part.FormName(), decodeText(part, data))
		}
	}
}

// decodeText returns the content of a part as a string, or as a file if it is
// no text.
func decodeText(part *multipart.Part, data []byte) exactjson.Value {
	if !utf8.Valid(data) || upload.Is(data) {
		return fileValue(part, data)
	}
	return stringValue(string(data))
}

// partHeaders are the headers that say what the content of a part means.
var partHeaders = []string{
	"content-type", "content-transfer-encoding", "content-encoding", "content-disposition",
}

// decodePart returns a part of a body that is not a form: its content, and its
// partHeaders.
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

// digest is the kind of a text that is the digest of content that the form does
// not have. No mask changes it: two files could become equal.
const digest = exactjson.Kind(0xff)

// fileValue returns the size and the digest of a file, and the extension of its
// name. The rest of the name is often that of a temporary file.
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

// decodeForm returns the list of values for each name in a URL-encoded form or
// a query. It keeps invalid escapes and ";" as they are. [url.ParseQuery] drops
// such pairs, and two requests that differ in them would be equal.
func decodeForm(text string) exactjson.Value {
	form := exactjson.Value{Kind: exactjson.Object}
	for pair := range strings.SplitSeq(text, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		appendTo(&form, coding.UnescapeQuery(name), stringValue(coding.UnescapeQuery(value)))
	}
	return form
}
