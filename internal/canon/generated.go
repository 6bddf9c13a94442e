package canon

import (
	"bytes"
	"strings"

	"github.com/promptecho/promptecho/internal/canon/chance"
	"github.com/promptecho/promptecho/internal/canon/fieldpath"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/memo"
)

// generatedFields lists fields of services that no family knows, whose values
// clients generate or count for each request. A row with a second field is only
// for requests that have that field, too.
var generatedFields = []struct{ field, with string }{
	// azblob uploads a blob in blocks.
	{"query/blockid", "query/comp"},

	// client-go watches for 5 to 10 minutes.
	{"query/timeout", "query/watch"},
	{"query/timeoutSeconds", "query/watch"},

	// BigQuery runs a query, inserts a row and starts a job only once for each
	// ID. The last field is that of a job with the data to load.
	{"body/requestId", "body/query"},
	{"body/rows/*/insertId", "body/rows"},
	{"body/jobReference/jobId", "body/configuration"},
	{"body/multipart~1related/*/content/*/jobReference/jobId", ""},
}

// isGenerated reports whether a client generates or counts the value of a field
// for each request, so that the value does not match. These are:
//
//   - keys by which a service recognizes a retried request, if their values look
//     random. In a request of a family they are at the top of the body, unless the
//     family takes every path.
//   - generatedFields, in a request that no family knows.
//
// v is nil for the host.
func (r *request) isGenerated(path []byte, v *exactjson.Value) bool {
	if v == nil || v.Kind != exactjson.String && v.Kind != exactjson.Number {
		return false
	}
	if r.Function {
		return false
	}
	if r.family != nil {
		isTop := bytes.Count(path, []byte("/")) == 1
		if !isTop && !r.family.matchesAnyPath() {
			return false
		}
	}

	p := string(path)
	if chance.Tokens(fieldpath.Name(p)) && !r.isLookUp(p) && chance.Random(v.Text) {
		return true
	}
	if r.family != nil {
		return false
	}
	for _, row := range generatedFields {
		if fieldpath.Match(row.field, p) && r.hasField(row.with) {
			isQuery := strings.HasPrefix(p, "query/")
			return isQuery || chance.Random(v.Text) || chance.Counted(v.Text)
		}
	}
	return false
}

// isLookUp reports whether a field with the name of a retry key selects the
// object to read. So does any such field of a GET, which needs no retry key,
// and an argument of an MCP tool.
func (r *request) isLookUp(path string) bool {
	if strings.HasPrefix(r.Endpoint, "GET ") || strings.HasPrefix(r.Endpoint, "HEAD ") {
		return true
	}
	return r.family != nil && strings.Contains(path, "/params/arguments/")
}

// hasField reports whether a request has a field in its query or at the top of
// its body. It reports true for "", which stands for no condition in
// generatedFields.
func (r *request) hasField(field string) bool {
	part, name, _ := strings.Cut(field, "/")
	switch part {
	case "":
		return true
	case "query":
		return member(&r.query, name) != nil
	}
	return member(&r.body, name) != nil
}

// numberBlocks replaces the IDs of blocks by numbers in the list of blocks of
// an Azure blob, which is XML
// (https://learn.microsoft.com/rest/api/storageservices/put-block-list).
// Clients generate the IDs.
func (r *request) numberBlocks(body []byte) {
	comp := elems(member(&r.query, "comp"))
	if len(comp) != 1 || comp[0].Text != "blocklist" {
		return
	}
	numbers := ordinals{}
	numbered := xmlText().ReplaceAllFunc(body, func(id []byte) []byte {
		v := exactjson.Value{Kind: exactjson.String, Text: string(id)}
		numbers.numberCall(&v)
		return []byte(v.Text)
	})
	r.body = digestOf(numbered)
}

// xmlText matches the text of an XML element, with the brackets around it.
var xmlText = memo.Regexp(`>[^<>\s]+<`)
