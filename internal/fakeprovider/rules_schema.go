package fakeprovider

import (
	"fmt"
	"slices"
	"strings"
)

// strictFault returns why OpenAI refuses a schema with strict, "" if it does
// not: each object must have all of its properties in required, and no others.
// Parts of the schema that OpenAI reads in other ways, such as $ref and allOf,
// are not looked into.
func strictFault(schema object, path []string) string {
	where := "In context=(" + strings.Join(path, ", ") + ")"
	if len(path) == 1 {
		where = "In context=(" + path[0] + ",)"
	}
	if schema.text("type") == "object" {
		if schema.get("additionalProperties") != false {
			return where + ", 'additionalProperties' is required to be supplied and to be false."
		}
		if missing := notRequired(schema); missing != "" {
			return fmt.Sprintf("%s, 'required' is required to be supplied and to be an array "+
				"including every key in properties. Missing '%s'.", where, missing)
		}
	}
	return strictFaultBelow(schema, path)
}

// notRequired returns a property that required does not have, "" if there is
// none.
func notRequired(schema object) string {
	required := schema.list("required")
	for _, property := range schema.sub("properties") {
		if !slices.Contains(required, any(property.name)) {
			return property.name
		}
	}
	return ""
}

// strictFaultBelow checks the schemas in a schema.
func strictFaultBelow(schema object, path []string) string {
	for _, property := range schema.sub("properties") {
		sub, _ := property.value.(object)
		at := append(slices.Clone(path), "'properties'", "'"+property.name+"'")
		if fault := strictFault(sub, at); fault != "" {
			return fault
		}
	}
	if items := schema.sub("items"); items != nil {
		return strictFault(items, append(slices.Clone(path), "'items'"))
	}
	return ""
}
