package echogrpc_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echogrpc"
	"github.com/promptecho/promptecho/internal/testing/full"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// Messages of each syntax, with every kind of field, unknown fields and NaN, come back equal from a cassette.
func TestRandomMessagesReplay(t *testing.T) {
	t.Parallel()
	for _, syntax := range syntaxes {
		t.Run(syntax, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(1, uint64(len(syntax))))
			types, err := messageTypes()
			if err != nil {
				t.Fatal(err)
			}
			everything := types[syntax]
			var messages []proto.Message
			for range full.Cases(50, 1000) {
				m := everything.New()
				fill(random, m, 3)
				messages = append(messages, m.Interface())
			}
			replay(t, messages)
		})
	}
}

// replay sends each message as a request and gets it as the answer, records that, and replays it.
func replay(t *testing.T, messages []proto.Message) {
	t.Helper()
	conn, err := grpc.NewClient("passthrough:///unused", grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	file := cassette(t)
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		rec := open(t, file, mode)
		call := echogrpc.UnaryClientInterceptor(rec)
		for i, m := range messages {
			answer := func(_ context.Context, _ string, _, reply any, _ *grpc.ClientConn, _ ...grpc.CallOption) error {
				if mode == promptecho.ModeNone {
					t.Error("a replay makes the call")
				}
				proto.Merge(reply.(proto.Message), m)
				return nil
			}
			got := m.ProtoReflect().New().Interface()
			err := call(t.Context(), fmt.Sprintf("/test.Service/Echo%d", i), m, got, conn, answer)
			if err != nil {
				t.Fatalf("%s: message %d: %v", mode, i, err)
			}
			if !proto.Equal(m, got) {
				t.Fatalf("%s: message %d is\n%v\nwant\n%v", mode, i, got, m)
			}
		}
		if err := rec.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

var syntaxes = []string{"proto2", "proto3", "editions"}

// messageTypes returns a type of messages for each syntax. They are made once, since an extension can be
// registered only once.
var messageTypes = sync.OnceValues(func() (map[string]protoreflect.MessageType, error) {
	types := map[string]protoreflect.MessageType{}
	for _, syntax := range syntaxes {
		made, err := messageWithEverything(syntax)
		if err != nil {
			return nil, err
		}
		types[syntax] = made
	}
	return types, nil
})

// messageWithEverything returns the type of a message with a field of each kind: alone, in a list, as the value
// of a map, in a oneof, and as an extension if the syntax has extensions.
func messageWithEverything(syntax string) (protoreflect.MessageType, error) {
	pkg := "echogrpc.test." + syntax
	file := &descriptorpb.FileDescriptorProto{
		Name:    proto.String(syntax + ".proto"),
		Package: proto.String(pkg),
		Syntax:  proto.String(syntax),
		Dependency: []string{
			"google/protobuf/any.proto", "google/protobuf/duration.proto", "google/protobuf/field_mask.proto",
			"google/protobuf/struct.proto", "google/protobuf/timestamp.proto", "google/protobuf/wrappers.proto",
		},
		EnumType: []*descriptorpb.EnumDescriptorProto{{
			Name: proto.String("Color"),
			Value: []*descriptorpb.EnumValueDescriptorProto{
				{Name: proto.String("RED"), Number: proto.Int32(0)},
				{Name: proto.String("BLUE"), Number: proto.Int32(7)},
			},
		}},
	}
	if syntax == "editions" {
		file.Edition = descriptorpb.Edition_EDITION_2023.Enum()
	}
	everything := &descriptorpb.DescriptorProto{
		Name:      proto.String("Everything"),
		OneofDecl: []*descriptorpb.OneofDescriptorProto{{Name: proto.String("choice")}},
	}
	var choices []*descriptorpb.FieldDescriptorProto
	for i, kind := range kinds(pkg) {
		base := int32(10 * (i + 1))
		single := kind.field(fmt.Sprintf("single_%d", i), base)
		list := kind.field(fmt.Sprintf("list_%d", i), base+1)
		list.Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
		oneOf := kind.field(fmt.Sprintf("one_of_%d", i), base+2)
		oneOf.OneofIndex = proto.Int32(0)
		everything.Field = append(everything.Field, single, list)
		choices = append(choices, oneOf) // the fields of a oneof must stand together

		entry := fmt.Sprintf("Map%dEntry", i)
		key := &descriptorpb.FieldDescriptorProto{
			Name: proto.String("key"), Number: proto.Int32(1), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
			Type: keyTypes[i%len(keyTypes)].Enum(),
		}
		everything.NestedType = append(everything.NestedType, &descriptorpb.DescriptorProto{
			Name:    proto.String(entry),
			Field:   []*descriptorpb.FieldDescriptorProto{key, kind.field("value", 2)},
			Options: &descriptorpb.MessageOptions{MapEntry: proto.Bool(true)},
		})
		everything.Field = append(everything.Field, &descriptorpb.FieldDescriptorProto{
			Name: proto.String(fmt.Sprintf("map_%d", i)), Number: proto.Int32(base + 3),
			Label:    descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum(),
			Type:     descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum(),
			TypeName: proto.String("." + pkg + ".Everything." + entry),
		})
		if syntax != "proto3" {
			extension := kind.field(fmt.Sprintf("extension_%d", i), base+1000)
			extension.Extendee = proto.String("." + pkg + ".Everything")
			file.Extension = append(file.Extension, extension)
		}
	}
	if syntax != "proto3" {
		everything.ExtensionRange = []*descriptorpb.DescriptorProto_ExtensionRange{
			{Start: proto.Int32(1000), End: proto.Int32(2000)},
		}
	}
	everything.Field = append(everything.Field, choices...)
	file.MessageType = append(file.MessageType, everything)
	if syntax == "proto2" {
		file.Syntax = nil
	}

	linked, err := protodesc.NewFile(file, protoregistry.GlobalFiles)
	if err != nil {
		return nil, err
	}
	for i := range linked.Extensions().Len() {
		err := protoregistry.GlobalTypes.RegisterExtension(dynamicpb.NewExtensionType(linked.Extensions().Get(i)))
		if err != nil {
			return nil, err
		}
	}
	return dynamicpb.NewMessageType(linked.Messages().ByName("Everything")), nil
}

// keyTypes are the types of keys of maps that are tested.
var keyTypes = []descriptorpb.FieldDescriptorProto_Type{
	descriptorpb.FieldDescriptorProto_TYPE_STRING, descriptorpb.FieldDescriptorProto_TYPE_INT64,
	descriptorpb.FieldDescriptorProto_TYPE_UINT32, descriptorpb.FieldDescriptorProto_TYPE_BOOL,
}

// A kind is a type of fields.
type kind struct {
	scalar  descriptorpb.FieldDescriptorProto_Type // or TYPE_MESSAGE, or TYPE_ENUM
	message string                                 // the name of the message or the enum
}

func (k kind) field(name string, number int32) *descriptorpb.FieldDescriptorProto {
	f := &descriptorpb.FieldDescriptorProto{
		Name: proto.String(name), Number: proto.Int32(number),
		Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
		Type:  k.scalar.Enum(),
	}
	if k.message != "" {
		f.TypeName = proto.String("." + k.message)
	}
	return f
}

// kinds returns all scalar types but groups, an enum, a message of its own type, and well-known types.
func kinds(pkg string) []kind {
	list := []kind{{descriptorpb.FieldDescriptorProto_TYPE_ENUM, pkg + ".Color"}}
	for number := range descriptorpb.FieldDescriptorProto_Type_name {
		scalar := descriptorpb.FieldDescriptorProto_Type(number)
		switch scalar {
		case descriptorpb.FieldDescriptorProto_TYPE_GROUP, descriptorpb.FieldDescriptorProto_TYPE_MESSAGE,
			descriptorpb.FieldDescriptorProto_TYPE_ENUM:
		default:
			list = append(list, kind{scalar, ""})
		}
	}
	messages := []string{
		pkg + ".Everything", "google.protobuf.Any", "google.protobuf.Duration", "google.protobuf.FieldMask",
		"google.protobuf.Struct", "google.protobuf.Value", "google.protobuf.ListValue",
		"google.protobuf.Timestamp", "google.protobuf.Int64Value", "google.protobuf.DoubleValue",
		"google.protobuf.BytesValue", "google.protobuf.StringValue",
	}
	for _, name := range messages {
		list = append(list, kind{descriptorpb.FieldDescriptorProto_TYPE_MESSAGE, name})
	}
	return list
}

// fill sets about a third of the fields of a message to random values.
func fill(random *rand.Rand, m protoreflect.Message, depth int) {
	if setWellKnown(random, m) {
		return
	}
	set := func(field protoreflect.FieldDescriptor) {
		if random.IntN(6) != 0 {
			return
		}
		isTooDeep := depth == 0 && field.Message() != nil
		if isTooDeep {
			return
		}
		switch {
		case field.IsMap():
			for range random.IntN(3) {
				key := value(random, field.MapKey()).MapKey()
				v := m.Mutable(field).Map().NewValue()
				if field.MapValue().Message() == nil {
					v = value(random, field.MapValue())
				} else {
					fill(random, v.Message(), depth-1)
				}
				m.Mutable(field).Map().Set(key, v)
			}
		case field.IsList():
			for range random.IntN(3) {
				if field.Message() == nil {
					m.Mutable(field).List().Append(value(random, field))
				} else {
					fill(random, m.Mutable(field).List().AppendMutable().Message(), depth-1)
				}
			}
		case field.Message() != nil:
			fill(random, m.Mutable(field).Message(), depth-1)
		default:
			m.Set(field, value(random, field))
		}
	}
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		set(fields.Get(i))
	}
	protoregistry.GlobalTypes.RangeExtensionsByMessage(m.Descriptor().FullName(), func(x protoreflect.ExtensionType) bool {
		set(x.TypeDescriptor())
		return true
	})
	if random.IntN(8) == 0 {
		m.SetUnknown(protowire.AppendString(protowire.AppendTag(nil, 3000, protowire.BytesType), "a newer server"))
	}
}

// setWellKnown sets a message of a well-known type, and reports whether it is one.
func setWellKnown(random *rand.Rand, m protoreflect.Message) bool {
	var known proto.Message
	switch m.Descriptor().FullName() {
	case "google.protobuf.Any":
		inner, err := anypb.New(wrapperspb.String("in an Any"))
		if err != nil {
			panic(err)
		}
		if random.IntN(3) == 0 {
			inner.TypeUrl = "type.googleapis.com/not.linked.Type"
		}
		known = inner
	case "google.protobuf.Duration":
		known = &durationpb.Duration{Seconds: int64(random.IntN(1e6)), Nanos: int32(random.IntN(1e9))}
	case "google.protobuf.Timestamp":
		known = &timestamppb.Timestamp{Seconds: int64(random.IntN(1e9)), Nanos: int32(random.IntN(1e9))}
	case "google.protobuf.FieldMask":
		known = &fieldmaskpb.FieldMask{Paths: []string{"a.b_c", "d"}}
		if random.IntN(3) == 0 {
			known = &fieldmaskpb.FieldMask{Paths: []string{"notSnakeCase"}} // JSON cannot hold it
		}
	case "google.protobuf.Struct":
		known = &structpb.Struct{Fields: map[string]*structpb.Value{"@proto": structpb.NewNumberValue(1.5)}}
	case "google.protobuf.Value":
		known = structpb.NewStringValue(`"@unknown"`)
	case "google.protobuf.ListValue":
		known = &structpb.ListValue{Values: []*structpb.Value{structpb.NewNullValue(), structpb.NewBoolValue(true)}}
	default:
		return false
	}
	encoded, err := proto.Marshal(known)
	if err != nil {
		panic(err)
	}
	err = proto.Unmarshal(encoded, m.Interface())
	if err != nil {
		panic(err)
	}
	return true
}

// value returns a random value of a scalar field. The smallest and the largest are among them.
func value(random *rand.Rand, field protoreflect.FieldDescriptor) protoreflect.Value {
	pick := random.IntN(4)
	switch field.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(pick%2 == 0)
	case protoreflect.EnumKind:
		numbers := []protoreflect.EnumNumber{0, 7, 7, 99} // 99 has no name
		if field.Enum().IsClosed() {
			numbers[3] = 0
		}
		return protoreflect.ValueOfEnum(numbers[pick])
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32([]int32{0, -1, math.MinInt32, random.Int32()}[pick])
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64([]int64{0, 1<<53 + 1, math.MinInt64, random.Int64()}[pick])
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32([]uint32{0, 1, math.MaxUint32, random.Uint32()}[pick])
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64([]uint64{0, 1<<53 + 1, math.MaxUint64, random.Uint64()}[pick])
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32([]float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Copysign(0, -1)), random.Float32()}[pick])
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64([]float64{math.NaN(), math.Inf(-1), math.MaxFloat64, random.Float64()}[pick])
	case protoreflect.StringKind:
		return protoreflect.ValueOfString([]string{"", "a\u2028\x00\"b", "@proto", "ünï" + fmt.Sprint(random.Int())}[pick])
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte{byte(random.Int()), 0, 255}[:pick%3])
	}
	panic(field.Kind())
}
