package echogrpc

import (
	"cmp"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protopath"
	"google.golang.org/protobuf/reflect/protorange"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// mapLists has the messages of which clients send lists in the order of a Go map, which is another one in
// each run, and the field that names each element. The order means nothing to their servers
// (https://github.com/milvus-io/milvus-proto: common.proto, schema.proto).
var mapLists = map[protoreflect.FullName]protoreflect.Name{
	"milvus.proto.common.KeyValuePair": "key",        // parameters of a search or of an index, properties
	"milvus.proto.schema.FieldData":    "field_name", // the columns of the rows of an insert
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
	rangeMapLists(m, func(protoreflect.List, protoreflect.Name) { found = true })
	return found
}

func sortMapLists(m proto.Message) {
	rangeMapLists(m, func(list protoreflect.List, name protoreflect.Name) {
		elements := make([]protoreflect.Message, list.Len())
		for i := range elements {
			elements[i] = list.Get(i).Message()
		}
		nameOf := func(m protoreflect.Message) string {
			return m.Get(m.Descriptor().Fields().ByName(name)).String()
		}
		slices.SortStableFunc(elements, func(a, b protoreflect.Message) int {
			return cmp.Compare(nameOf(a), nameOf(b))
		})
		for i, element := range elements {
			list.Set(i, protoreflect.ValueOfMessage(element))
		}
	})
}

// rangeMapLists calls a function with each list of mapLists in a message, and the field that names its
// elements.
func rangeMapLists(m proto.Message, f func(protoreflect.List, protoreflect.Name)) {
	_ = protorange.Range(m.ProtoReflect(), func(v protopath.Values) error { // the function returns no error
		list, isList := v.Index(-1).Value.Interface().(protoreflect.List)
		if !isList || list.Len() < 2 {
			return nil
		}
		field := v.Index(-1).Step.FieldDescriptor()
		if field.Message() == nil {
			return nil
		}
		name, isMapList := mapLists[field.Message().FullName()]
		if isMapList {
			f(list, name)
		}
		return nil
	})
}
