package canon

import "github.com/promptecho/promptecho/internal/interaction"

// describeFunction describes the call of a function: its name and its argument decide.
func (c *call) describeFunction(req *interaction.Request, traced bool) {
	c.Function, c.Endpoint, c.Wire, c.encoding = true, req.Function, "whole", jsonBody
	body, err := c.parser.Parse(string(req.Body))
	if err != nil { // by hand, or what the user redacts has broken it
		body, c.encoding = digestOf(req.Body), opaqueBody
	}
	if c.body = body; traced {
		c.sources = pathsByID(&c.body)
	}
}
