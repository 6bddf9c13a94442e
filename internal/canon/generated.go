package canon

import (
	"bytes"
	"strings"

	"github.com/promptecho/promptecho/internal/canon/chance"
	"github.com/promptecho/promptecho/internal/canon/fieldpath"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/memo"
)

// drawnBeside lists what clients draw or count anew for each request of services that no
// family knows, where the request also has the other field.
var drawnBeside = []struct{ field, beside string }{
	{"query/blockid", "query/comp"},                                // azblob stages the blocks of a blob
	{"query/timeout", "query/watch"},                               // client-go watches for 5 to 10 minutes
	{"query/timeoutSeconds", "query/watch"},                        //
	{"body/requestId", "body/query"},                               // BigQuery asks once
	{"body/rows/*/insertId", "body/rows"},                          // and takes a row once
	{"body/jobReference/jobId", "body/configuration"},              // and starts a job once
	{"body/multipart~1related/*/content/*/jobReference/jobId", ""}, // with the data to load
}

// isAnew reports whether the field at a path, outside of functions, holds what a client draws or
// counts for each request: a token by which a service knows a request that is sent again, in
// any place of a request that no family knows and at the top of any other body; or what
// drawnBeside has. v is nil for what is no field.
func (r *request) isAnew(path []byte, v *exactjson.Value) bool {
	if v == nil || r.Function || v.Kind != exactjson.String && v.Kind != exactjson.Number {
		return false
	}
	known := r.family != nil
	if known && (!r.family.anywhere() && bytes.Count(path, []byte("/")) > 1 || !bytes.HasPrefix(path, []byte("body/"))) {
		return false
	}
	p := string(path)
	// What is read needs no token, nor does a tool: there, such a name says which one is meant.
	looksUp := strings.HasPrefix(r.Endpoint, "GET ") || strings.HasPrefix(r.Endpoint, "HEAD ") || known && strings.Contains(p, "/params/arguments/")
	if !looksUp && chance.Tokens(fieldpath.Name(p)) && chance.Random(v.Text) {
		return true
	}
	for _, row := range drawnBeside {
		if !known && fieldpath.Match(row.field, p) && r.has(row.beside) {
			return strings.HasPrefix(p, "query/") || chance.Random(v.Text) || chance.Counted(v.Text)
		}
	}
	return false
}

// has reports whether a request has a field of its query or at the top of its body.
func (r *request) has(field string) bool {
	part, name, _ := strings.Cut(field, "/")
	return part == "query" && member(&r.query, name) != nil || part == "body" && member(&r.body, name) != nil || part == ""
}

// numberBlocks makes the list of the blocks of a blob, which is XML, one in which these have
// numbers: their ids are those of drawnBeside.
func (r *request) numberBlocks(body []byte) {
	if comp := elems(member(&r.query, "comp")); len(comp) != 1 || comp[0].Text != "blocklist" {
		return
	}
	numbers := ordinals{}
	r.body = digestOf(blockID().ReplaceAllFunc(body, func(id []byte) []byte {
		v := exactjson.Value{Kind: exactjson.String, Text: string(id)}
		numbers.call(&v)
		return []byte(v.Text)
	}))
}

var blockID = memo.Regexp(`>[^<>\s]+<`)
