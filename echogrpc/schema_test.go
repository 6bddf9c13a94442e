package echogrpc_test

import (
	"net"
	"os"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echogrpc"
	"github.com/promptecho/promptecho/echotest"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/anypb"
)

// shop returns the descriptors of a service that no Go package has, as protoc writes them. The file
// that it imports is not in the set.
func shop() *descriptorpb.FileDescriptorSet {
	text := descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum()
	message := descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum()
	one := descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()
	name := &descriptorpb.FieldDescriptorProto{
		Name: proto.String("name"), Number: proto.Int32(1), Type: text, Label: one,
	}
	detail := &descriptorpb.FieldDescriptorProto{
		Name: proto.String("detail"), Number: proto.Int32(2), Type: message, Label: one,
		TypeName: proto.String(".google.protobuf.Any"),
	}
	return &descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{{
		Name:       proto.String("shop.proto"),
		Package:    proto.String("shop"),
		Syntax:     proto.String("proto3"),
		Dependency: []string{"google/protobuf/any.proto"},
		MessageType: []*descriptorpb.DescriptorProto{
			{Name: proto.String("Item"), Field: []*descriptorpb.FieldDescriptorProto{name, detail}},
			{Name: proto.String("Part"), Field: []*descriptorpb.FieldDescriptorProto{name}},
		},
		Service: []*descriptorpb.ServiceDescriptorProto{{
			Name: proto.String("Shop"),
			Method: []*descriptorpb.MethodDescriptorProto{{
				Name: proto.String("Find"), InputType: proto.String(".shop.Item"), OutputType: proto.String(".shop.Item"),
			}},
		}},
	}}}
}

// shopTypes returns functions that make messages of the shop.
func shopTypes(t *testing.T) (
	item func(name string, detail *anypb.Any) proto.Message, part func(name string) proto.Message,
) {
	t.Helper()
	set := shop()
	set.File = append(set.File, protodesc.ToFileDescriptorProto(anypb.File_google_protobuf_any_proto))
	files, err := protodesc.NewFiles(set)
	if err != nil {
		t.Fatal(err)
	}
	newMessage := func(name protoreflect.FullName) *dynamicpb.Message {
		found, err := files.FindDescriptorByName(name)
		if err != nil {
			t.Fatal(err)
		}
		return dynamicpb.NewMessage(found.(protoreflect.MessageDescriptor))
	}
	setField := func(m *dynamicpb.Message, field protoreflect.Name, v protoreflect.Value) {
		m.Set(m.Descriptor().Fields().ByName(field), v)
	}
	part = func(name string) proto.Message {
		m := newMessage("shop.Part")
		setField(m, "name", protoreflect.ValueOfString(name))
		return m
	}
	item = func(name string, detail *anypb.Any) proto.Message {
		m := newMessage("shop.Item")
		setField(m, "name", protoreflect.ValueOfString(name))
		if detail != nil {
			// The descriptor of the field is another one than that of anypb.
			inner := m.NewField(m.Descriptor().Fields().ByName("detail")).Message()
			bytes, err := proto.Marshal(detail)
			if err == nil {
				err = proto.Unmarshal(bytes, inner.Interface())
			}
			if err != nil {
				t.Fatal(err)
			}
			setField(m, "detail", protoreflect.ValueOfMessage(inner))
		}
		return m
	}
	return item, part
}

// serveShop starts a shop that returns each item with a new name.
func serveShop(t *testing.T) (address string, stop func()) {
	t.Helper()
	item, _ := shopTypes(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
		m := item("", nil)
		err := stream.RecvMsg(m)
		if err != nil {
			return err
		}
		name := m.ProtoReflect().Descriptor().Fields().ByName("name")
		m.ProtoReflect().Set(name, protoreflect.ValueOfString("found"))
		return stream.SendMsg(m)
	}))
	go s.Serve(l) // it returns when Stop closes the listener
	t.Cleanup(s.Stop)
	return l.Addr().String(), s.Stop
}

// A service without a Go package is recorded as readable JSON by the descriptors that protoc writes, and replayed.
func TestServiceWithoutAGoPackageIsServed(t *testing.T) {
	t.Parallel()
	address, stop := serveShop(t)
	item, part := shopTypes(t)
	file := cassette(t)
	detail, err := anypb.New(part("wheel"))
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		rec := open(t, file, mode)
		t.Run("served", func(t *testing.T) {
			srv := echotest.Serve(t, rec, echotest.Through(echogrpc.Transport(rec, shop())))
			reply := item("", nil)
			err := dialServed(t, srv, "http://"+address).Invoke(t.Context(), "/shop.Shop/Find", item("bike", detail), reply)
			if err != nil || !proto.Equal(reply, item("found", detail)) {
				t.Errorf("mode %v: %v, %v", mode, reply, err)
			}
		})
		err := rec.Close()
		if err != nil {
			t.Errorf("mode %v: %v", mode, err)
		}
		stop()
	}
	stored, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"name: bike", "name: found", "type.googleapis.com/shop.Part", "name: wheel"} {
		if !strings.Contains(string(stored), want) {
			t.Errorf("the cassette has no %q:\n%s", want, stored)
		}
	}
}

// Descriptors whose imports are missing fail each call, and the error has the command that writes all.
func TestDescriptorsWithoutTheirImportsAreRefused(t *testing.T) {
	t.Parallel()
	set := shop()
	set.File[0].Dependency = append(set.File[0].Dependency, "company/money.proto")
	rec := open(t, cassette(t), promptecho.ModeNone)
	t.Run("served", func(t *testing.T) {
		srv := echotest.Serve(t, rec, echotest.Through(echogrpc.Transport(rec, set)))
		item, _ := shopTypes(t)
		err := dialServed(t, srv, "http://127.0.0.1:1").Invoke(t.Context(), "/shop.Shop/Find", item("x", nil), item("", nil))
		wants := status.Code(err) == codes.FailedPrecondition &&
			strings.Contains(err.Error(), "company/money.proto") &&
			strings.Contains(err.Error(), "protoc --include_imports")
		if !wants {
			t.Errorf("got %v", err)
		}
	})
	if rec.Close() == nil {
		t.Error("the run did not fail")
	}
}
