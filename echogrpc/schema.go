package echogrpc

import (
	"errors"
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// A schema has the methods whose messages can be read, and the types of these messages.
type schema struct {
	files *protoregistry.Files
	types typeResolver
}

// A typeResolver finds the types of messages in an Any, and of extensions.
type typeResolver interface {
	protoregistry.MessageTypeResolver
	protoregistry.ExtensionTypeResolver
}

// newSchema returns the schema of the files that the test has passed, and of those that its program
// links.
func newSchema(sets []*descriptorpb.FileDescriptorSet) (*schema, error) {
	if len(sets) == 0 {
		return &schema{protoregistry.GlobalFiles, protoregistry.GlobalTypes}, nil
	}
	files, err := protodesc.NewFiles(join(sets))
	if err != nil {
		return nil, fmt.Errorf("Transport: %w: write the file with protoc --include_imports "+
			"--descriptor_set_out=service.pb service.proto", err)
	}
	protoregistry.GlobalFiles.RangeFiles(func(linked protoreflect.FileDescriptor) bool {
		_, err := files.FindFileByPath(linked.Path())
		if err == protoregistry.NotFound {
			// It fails if the sets have a name of the file at another path. They take precedence.
			_ = files.RegisterFile(linked)
		}
		return true
	})
	return &schema{files, dynamicpb.NewTypes(files)}, nil
}

// join returns the files of several sets, each once, and those that they import and the program
// links.
func join(sets []*descriptorpb.FileDescriptorSet) *descriptorpb.FileDescriptorSet {
	joined := new(descriptorpb.FileDescriptorSet)
	isKnown := map[string]bool{}
	add := func(file *descriptorpb.FileDescriptorProto) {
		if !isKnown[file.GetName()] {
			isKnown[file.GetName()] = true
			joined.File = append(joined.File, file)
		}
	}
	for _, set := range sets {
		for _, file := range set.GetFile() {
			add(file)
		}
	}
	for i := 0; i < len(joined.File); i++ { // the list grows
		for _, path := range joined.File[i].GetDependency() {
			linked, err := protoregistry.GlobalFiles.FindFileByPath(path)
			if err == nil {
				add(protodesc.ToFileDescriptorProto(linked))
			}
		}
	}
	return joined
}

// find returns the method of a path: "/package.Service/Method".
func (s *schema) find(path string) (*method, error) {
	name := strings.TrimPrefix(path, "/")
	service, short, _ := strings.Cut(name, "/")
	found, err := s.files.FindDescriptorByName(protoreflect.FullName(service))
	described, isService := found.(protoreflect.ServiceDescriptor)
	if err != nil || !isService {
		return nil, unknown(name)
	}
	m := described.Methods().ByName(protoreflect.Name(short))
	if m == nil {
		return nil, unknown(name)
	}
	return &method{MethodDescriptor: m, types: s.types}, nil
}

// unknown returns the error of a method that is not in the schema.
func unknown(name string) error {
	return errors.New("the messages of " + name + " cannot be read, because the test does not know the " +
		"service: import its generated Go package (import _ \"PACKAGE\"), or run protoc --include_imports " +
		"--descriptor_set_out=service.pb service.proto and pass the file to echogrpc.Transport")
}

// A method is one of a schema.
type method struct {
	protoreflect.MethodDescriptor
	types typeResolver
}

func (m *method) newInput() proto.Message {
	return &dynamicMessage{dynamicpb.NewMessage(m.Input()), m.types}
}

func (m *method) newOutput() proto.Message {
	return &dynamicMessage{dynamicpb.NewMessage(m.Output()), m.types}
}

// A dynamicMessage is a message of a schema. There need not be a Go type for it.
type dynamicMessage struct {
	*dynamicpb.Message
	types typeResolver
}

// typesFor returns the types of what can be in a message.
func typesFor(message any) typeResolver {
	m, isDynamic := message.(*dynamicMessage)
	if !isDynamic {
		return protoregistry.GlobalTypes
	}
	return m.types
}
