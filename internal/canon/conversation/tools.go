package conversation

import (
	"cmp"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// toolsOf reads a list of tools.
func toolsOf(list *exactjson.Value) (tools []Tool) {
	for _, v := range elems(list) {
		if inner := v.Member("functionDeclarations"); inner != nil {
			tools = append(tools, toolsOf(inner)...)
			continue
		}
		for _, wrapper := range []string{"toolSpec", "function", "custom"} {
			if inner := v.Member(wrapper); inner != nil && inner.Kind == exactjson.Object {
				v = *inner
			}
		}
		t := Tool{
			Name:        cmp.Or(textOf(&v, "name", "type"), compact(&v)),
			Description: textOf(&v, "description"),
		}
		schema := member(&v, "parameters", "input_schema", "inputSchema", "parametersJsonSchema")
		if inner := schema.Member("json"); inner != nil {
			schema = inner
		}
		if properties := schema.Member("properties"); properties != nil {
			for _, p := range properties.Elems {
				t.Parameters = append(t.Parameters, p.Name)
			}
		}
		tools = append(tools, t)
	}
	return tools
}
