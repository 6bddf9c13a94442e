package echogrpc

import (
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protopath"
	"google.golang.org/protobuf/reflect/protorange"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// mapLists has the messages of which clients send lists in the order of a Go map, which is another one in
// each run, and the fields that name each element. The order means nothing to their servers, which look for
// elements by their names (https://github.com/milvus-io/milvus-proto: common.proto, schema.proto;
// https://github.com/weaviate/weaviate: grpc/proto/v1/base.proto, batch.proto).
var mapLists = map[protoreflect.FullName][]protoreflect.Name{
	"milvus.proto.common.KeyValuePair": {"key"},        // parameters of a search or of an index, properties
	"milvus.proto.schema.FieldData":    {"field_name"}, // the columns of the rows of an insert

	// The properties and the vectors of an object.
	"weaviate.v1.BooleanArrayProperties":           {"prop_name"},
	"weaviate.v1.IntArrayProperties":               {"prop_name"},
	"weaviate.v1.NumberArrayProperties":            {"prop_name"},
	"weaviate.v1.TextArrayProperties":              {"prop_name"},
	"weaviate.v1.ObjectProperties":                 {"prop_name"},
	"weaviate.v1.ObjectArrayProperties":            {"prop_name"},
	"weaviate.v1.BatchObject.SingleTargetRefProps": {"prop_name"},
	"weaviate.v1.BatchObject.MultiTargetRefProps":  {"prop_name", "target_collection"},
	"weaviate.v1.Vectors":                          {"name"},
}

// encodeRequest is encode for a message that the program sends. It writes the lists of mapLists in the order
// of their names, so that a call has the same text in each run. The message itself stays as it is.
func encodeRequest(message any) ([]byte, error) {
	m, isMessage := message.(proto.Message)
	if !isMessage || !hasMapLists(m) {
		return encode(message)
	}
	sorted := proto.Clone(m)
	sortMapLists(sorted)
	return encodeMessage(sorted, typesFor(message))
}

// hasMapLists reports whether a message has a list of mapLists with several elements.
func hasMapLists(m proto.Message) bool {
	found := false
	rangeMapLists(m, func(protoreflect.List, []protoreflect.Name) { found = true })
	return found
}

func sortMapLists(m proto.Message) {
	rangeMapLists(m, func(list protoreflect.List, fields []protoreflect.Name) {
		elements := make([]protoreflect.Message, list.Len())
		for i := range elements {
			elements[i] = list.Get(i).Message()
		}
		slices.SortStableFunc(elements, func(a, b protoreflect.Message) int {
			return slices.Compare(valuesOf(a, fields), valuesOf(b, fields))
		})
		for i, element := range elements {
			list.Set(i, protoreflect.ValueOfMessage(element))
		}
	})
}

// valuesOf returns the values of fields as text, and "" for a field that the program's version of the
// service does not have.
func valuesOf(m protoreflect.Message, fields []protoreflect.Name) []string {
	values := make([]string, len(fields))
	for i, name := range fields {
		field := m.Descriptor().Fields().ByName(name)
		if field != nil {
			values[i] = m.Get(field).String()
		}
	}
	return values
}

// rangeMapLists calls a function with each list of mapLists in a message, and the fields that name its
// elements.
func rangeMapLists(m proto.Message, f func(protoreflect.List, []protoreflect.Name)) {
	_ = protorange.Range(m.ProtoReflect(), func(v protopath.Values) error { // the function returns no error
		list, isList := v.Index(-1).Value.Interface().(protoreflect.List)
		if !isList || list.Len() < 2 {
			return nil
		}
		field := v.Index(-1).Step.FieldDescriptor()
		if field.Message() == nil {
			return nil
		}
		fields, isMapList := mapLists[field.Message().FullName()]
		if isMapList {
			f(list, fields)
		}
		return nil
	})
}
