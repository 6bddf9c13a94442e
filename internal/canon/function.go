package canon

import (
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// describeFunction describes the call of a function: its name and its argument decide.
func (r *request) describeFunction(req *interaction.Request, traced bool) {
	r.Function, r.Endpoint, r.Wire, r.encoding = true, req.Function, "whole", jsonBody
	body, err := exactjson.ParseEscaped(string(req.Body))
	if err != nil { // by hand, or what the user redacts has broken it
		body, r.encoding = digestOf(req.Body), opaqueBody
	}
	if r.body = body; traced {
		r.sources = pathsByID(&r.body)
	}
}
