package canon

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"mime"
	"mime/multipart"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/coding"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
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

// decode reads a body into fields. JSON is recognised by its bytes: SDKs send
// it as application/octet-stream and without a type too.
func decode(req *interaction.Request, parser *exactjson.Parser) (exactjson.Value, encoding) {
	if len(req.Body) == 0 {
		return exactjson.Value{}, noBody
	}
	if v, err := parser.Parse(string(req.Body)); err == nil && (v.Kind == exactjson.Object || v.Kind == exactjson.Array) {
		return v, jsonBody
	}
	for _, h := range req.Headers {
		if !strings.EqualFold(h.Name, "content-type") || len(h.Values) == 0 {
			continue
		}
		media, params, err := mime.ParseMediaType(h.Values[0])
		switch {
		case err != nil:
		case media == "multipart/form-data":
			if v, ok := decodeMultipart(req.Body, params["boundary"]); ok {
				return v, multipartBody
			}
		case media == "multipart/related" || media == "multipart/mixed":
			if v, ok := decodeParts(req.Body, media, params["boundary"], parser); ok {
				return v, multipartBody
			}
		case media == "application/x-www-form-urlencoded" && utf8.Valid(req.Body):
			return decodeForm(string(req.Body)), formBody
		}
	}
	return exactjson.Value{}, opaqueBody
}

// decodeMultipart reads a multipart form (RFC 7578): for each name the list of
// its values in order. A file is its content's hash and its extension; the
// boundary, the headers of parts and the rest of file names (which are often
// those of temporary files) say nothing about what is asked.
func decodeMultipart(body []byte, boundary string) (exactjson.Value, bool) {
	form := exactjson.Value{Kind: exactjson.Object}
	ok := eachPart(body, boundary, func(part *multipart.Part, data []byte) {
		value := stringValue(string(data))
		if part.FileName() != "" || !utf8.Valid(data) {
			value = file(data, extension(part))
		}
		addField(&form, part.FormName(), value)
	})
	return form, ok
}

// decodeParts reads a body of several parts that are no form (RFC 2387, and RFC
// 2046, section 5.1.3), as Google's uploads are: the type and the content of
// each in order.
func decodeParts(body []byte, media, boundary string, parser *exactjson.Parser) (exactjson.Value, bool) {
	list := exactjson.Value{Kind: exactjson.Array}
	ok := eachPart(body, boundary, func(part *multipart.Part, data []byte) {
		content, err := parser.Parse(string(data))
		switch {
		case err == nil && (content.Kind == exactjson.Object || content.Kind == exactjson.Array):
		case utf8.Valid(data):
			content = stringValue(string(data))
		default:
			content = file(data, extension(part))
		}
		fields := exactjson.Value{Kind: exactjson.Object}
		for name, values := range part.Header {
			if name = strings.ToLower(name); slices.Contains(partHeaders, name) {
				addField(&fields, name, stringValue(strings.Join(values, ",")))
			}
		}
		addField(&fields, "content", content)
		list.Elems = append(list.Elems, fields)
	})
	return exactjson.Value{Kind: exactjson.Object, Names: []string{media}, Elems: []exactjson.Value{list}}, ok
}

// partHeaders are the headers of a part that say what its content means.
var partHeaders = []string{"content-type", "content-transfer-encoding", "content-encoding", "content-disposition"}

func eachPart(body []byte, boundary string, f func(*multipart.Part, []byte)) bool {
	if boundary == "" {
		return false
	}
	for r := multipart.NewReader(bytes.NewReader(body), boundary); ; {
		part, err := r.NextRawPart()
		if err == io.EOF {
			return true
		}
		if err != nil {
			return false
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return false
		}
		f(part, data)
	}
}

func extension(part *multipart.Part) string {
	return path.Ext(strings.ReplaceAll(part.FileName(), `\`, "/"))
}

// digest is the kind of a text that stands for content which the form does not
// have: no mask of a user may rewrite it, or two files would be one.
const digest = exactjson.Kind(0xff)

// file stands for the content of a file.
func file(data []byte, ext string) exactjson.Value {
	sum := sha256.Sum256(data)
	return exactjson.Value{
		Kind:  exactjson.Object,
		Names: []string{"sha256", "bytes", "ext"},
		Elems: []exactjson.Value{
			{Kind: digest, Text: hex.EncodeToString(sum[:])},
			{Kind: exactjson.Number, Text: strconv.Itoa(len(data))},
			stringValue(strings.ToLower(ext)),
		},
	}
}

// decodeForm reads a URL-encoded form: for each name the list of its values.
func decodeForm(body string) exactjson.Value {
	form := exactjson.Value{Kind: exactjson.Object}
	for pair := range strings.SplitSeq(body, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		addField(&form, coding.UnescapeQuery(name), stringValue(coding.UnescapeQuery(value)))
	}
	return form
}

func addField(form *exactjson.Value, name string, value exactjson.Value) {
	if list := member(form, name); list != nil {
		list.Elems = append(list.Elems, value)
		return
	}
	form.Names = append(form.Names, name)
	form.Elems = append(form.Elems, listOf(value))
}
