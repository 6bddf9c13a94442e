package fakeprovider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
)

// A checker compares values with a JSON Schema. It knows the keywords that the
// fake provider heeds when it makes values, and passes over all others.
type checker struct{ root any }

// invalid returns why a value is not valid for the schema that the checker
// begins with, or "" if it is. The place of a value in others is before it.
func invalid(schema, value any) string {
	c := checker{root: schema}
	return c.check(schema, value)
}

func (c *checker) check(schema, value any) string {
	s, ok := schema.(object)
	if !ok {
		if schema == false {
			return "the schema allows no value here"
		}
		return ""
	}
	if ref := s.text("$ref"); ref != "" {
		f := filler{root: c.root}
		return c.check(f.lookup(ref), value)
	}
	for _, part := range s.list("allOf") {
		if why := c.check(part, value); why != "" {
			return why
		}
	}
	if why := c.checkAlternatives(s, value); why != "" {
		return why
	}
	if want := s.get("const"); want != nil && !isEqual(want, value) {
		return fmt.Sprintf("%s is not %s", encode(value), encode(want))
	}
	isListed := func(option any) bool { return isEqual(option, value) }
	if list := s.list("enum"); list != nil && !slices.ContainsFunc(list, isListed) {
		return fmt.Sprintf("%s is none of %s", encode(value), encode(list))
	}
	if why := checkType(s, value); why != "" {
		return why
	}
	return c.checkParts(s, value)
}

// checkAlternatives compares a value with the schemas of anyOf and oneOf.
func (c *checker) checkAlternatives(s object, value any) string {
	for _, name := range []string{"anyOf", "oneOf"} {
		list := s.list(name)
		valid := 0
		for _, part := range list {
			if c.check(part, value) == "" {
				valid++
			}
		}
		isAmbiguous := name == "oneOf" && valid > 1
		if list != nil && (valid == 0 || isAmbiguous) {
			return fmt.Sprintf("%s is valid for %d schemas of %s", encode(value), valid, name)
		}
	}
	return ""
}

// isEqual reports whether two values have the same JSON.
func isEqual(a, b any) bool { return bytes.Equal(encode(a), encode(b)) }

// checkType compares the type of a value with those that a schema allows.
func checkType(s object, value any) string {
	allowed := stopsOf(s.get("type")) // one name, or a list
	if len(allowed) == 0 {
		return ""
	}
	is := typeOf(value)
	for _, name := range allowed {
		isWhole := is == "number" && name == "integer" && isWholeNumber(value)
		if name == is || isWhole {
			return ""
		}
	}
	return fmt.Sprintf("%s is no %s", encode(value), strings.Join(allowed, " or "))
}

// isWholeNumber reports whether a number is an integer, which 1.0 and 1e3 are, too
// (JSON Schema Validation, section 6.1.1).
func isWholeNumber(value any) bool {
	n, _ := value.(json.Number)
	f, err := n.Float64()
	return err == nil && f == math.Trunc(f)
}

// typeOf returns the type of a value in the words of JSON Schema.
func typeOf(value any) string {
	switch value.(type) {
	case object:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	}
	return "null"
}

// checkParts compares what is in a value with its schemas, and its size with the
// limits.
func (c *checker) checkParts(s object, value any) string {
	switch v := value.(type) {
	case object:
		return c.checkMembers(s, v)
	case []any:
		return c.checkElements(s, v)
	case string:
		return checkLimits(s, "length", len([]rune(v)), "minLength", "maxLength")
	case json.Number:
		return checkNumber(s, v)
	}
	return ""
}

func (c *checker) checkMembers(s, value object) string {
	for _, name := range stopsOf(s.get("required")) {
		if !value.has(name) {
			return name + " is missing"
		}
	}
	properties := s.sub("properties")
	for _, m := range value {
		schema := properties.get(m.name)
		if !properties.has(m.name) {
			schema = s.get("additionalProperties")
		}
		if schema == false {
			return m.name + " is not in the schema"
		}
		if why := c.check(schema, m.value); why != "" {
			return m.name + ": " + why
		}
	}
	return ""
}

func (c *checker) checkElements(s object, list []any) string {
	if why := checkLimits(s, "number of elements", len(list), "minItems", "maxItems"); why != "" {
		return why
	}
	prefix := s.list("prefixItems")
	for i, element := range list {
		schema := s.get("items")
		if i < len(prefix) {
			schema = prefix[i]
		}
		if why := c.check(schema, element); why != "" {
			return fmt.Sprintf("%d: %s", i, why)
		}
	}
	return ""
}

// checkLimits compares a size with the limits of these names.
func checkLimits(s object, what string, n int, least, most string) string {
	isTooSmall := n < s.number(least)
	isTooLarge := s.get(most) != nil && n > s.number(most)
	if isTooSmall || isTooLarge {
		return fmt.Sprintf("the %s is %d", what, n)
	}
	return ""
}

// numberLimits are the limits of numbers.
var numberLimits = []struct {
	name    string
	isValid func(n, limit float64) bool
}{
	{"minimum", func(n, limit float64) bool { return n >= limit }},
	{"maximum", func(n, limit float64) bool { return n <= limit }},
	{"exclusiveMinimum", func(n, limit float64) bool { return n > limit }},
	{"exclusiveMaximum", func(n, limit float64) bool { return n < limit }},
	{"multipleOf", isMultiple},
}

// isMultiple reports whether n is a multiple of limit, as far as two floats can
// tell.
func isMultiple(n, limit float64) bool {
	const near = 1e-9
	quotient := n / limit
	return math.Abs(quotient-math.Round(quotient)) < near
}

func checkNumber(s object, number json.Number) string {
	n, err := number.Float64()
	if err != nil {
		return err.Error()
	}
	for _, l := range numberLimits {
		bound, ok := s.get(l.name).(json.Number)
		if !ok {
			continue
		}
		limit, _ := bound.Float64()
		if !l.isValid(n, limit) {
			return fmt.Sprintf("%s does not fit %s %s", number, l.name, bound)
		}
	}
	return ""
}

// Implausible returns why a reply is none that the model could give to the
// request, or "" if it is one. These are not:
//
//   - a call of a tool that is not offered, or whose arguments its schema forbids
//   - tool calls that the request forbids, or none where it demands one
//   - a text that is not JSON for the schema that the request asks for
func (r *Request) Implausible(reply *Reply) string {
	if why := r.prompt.forbids(reply); why != "" {
		return why
	}
	for _, call := range reply.Calls {
		if why := r.prompt.implausibleCall(call); why != "" {
			return why
		}
	}
	return r.prompt.implausibleText(reply)
}

// forbids returns why the settings of a request forbid the tool calls of a reply.
func (p prompt) forbids(reply *Reply) string {
	n := len(reply.Calls)
	answers := reply.Refusal == "" && !reply.isCut()
	switch p.choice.mode {
	case "none":
		if n > 0 {
			return "the request forbids tool calls"
		}
	case "required":
		if n == 0 && answers {
			return "the request demands a tool call"
		}
	case "named":
		if n == 0 && answers {
			return fmt.Sprintf("the request demands a call of %s", p.choice.name)
		}
	}
	if p.serial && n > 1 {
		return "the request forbids parallel tool calls"
	}
	return ""
}

// isCut reports whether a reply ends before it is complete.
func (r *Reply) isCut() bool {
	switch r.Finish {
	case "", FinishStop, FinishCalls:
		return r.Broken != nil
	}
	return true
}

// implausibleText returns why the text of a reply is not the JSON that the
// request asks for.
func (p prompt) implausibleText(reply *Reply) string {
	hasText := reply.Text != "" || reply.Pieces != nil
	isJSON := p.format != nil && hasText && len(reply.Calls) == 0
	if !isJSON || reply.isCut() {
		return ""
	}
	value, err := decode([]byte(reply.Text + strings.Join(reply.Pieces, "")))
	if err != nil {
		return "the request asks for JSON, and the text is not JSON: " + err.Error()
	}
	if why := invalid(p.format.schema, value); why != "" {
		return "the text is not valid for the schema of the request: " + why
	}
	return ""
}

// implausibleCall returns why the model could not make a call.
func (p prompt) implausibleCall(call Call) string {
	at := slices.IndexFunc(p.tools, func(t tool) bool { return t.name == call.Name })
	if at < 0 {
		return fmt.Sprintf("the request does not offer the tool %q", call.Name)
	}
	args, err := decode([]byte(call.Args))
	if err != nil {
		return fmt.Sprintf("the arguments of %s are not JSON: %v", call.Name, err)
	}
	if why := invalid(p.tools[at].schema, args); why != "" {
		return fmt.Sprintf("the arguments of %s are not valid for its schema: %s", call.Name, why)
	}
	return ""
}

// WantsVectors reports whether the request asks for embeddings.
func (r *Request) WantsVectors() bool { return r.family != nil && r.family.vectors }
