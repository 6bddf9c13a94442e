package echogrpc_test

import (
	"net"
	"testing"

	"github.com/promptecho/promptecho"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
	"google.golang.org/protobuf/types/known/emptypb"
)

// weaviateFile is a part of Weaviate's batch.proto and base.proto, with the lists in one message, "Lists".
// In it, TextArrayProperties is as in a version that names its elements by another field.
const weaviateFile = `
	name: "batch.proto" package: "weaviate.v1" syntax: "proto3"
	message_type {
		name: "IntArrayProperties"
		field { name: "values" number: 1 type: TYPE_INT64 label: LABEL_REPEATED }
		field { name: "prop_name" number: 2 type: TYPE_STRING label: LABEL_OPTIONAL }
	}
	message_type {
		name: "TextArrayProperties"
		field { name: "name" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
	}
	message_type {
		name: "BatchObject"
		nested_type {
			name: "MultiTargetRefProps"
			field { name: "uuids" number: 1 type: TYPE_STRING label: LABEL_REPEATED }
			field { name: "prop_name" number: 2 type: TYPE_STRING label: LABEL_OPTIONAL }
			field { name: "target_collection" number: 3 type: TYPE_STRING label: LABEL_OPTIONAL }
		}
	}
	message_type {
		name: "Lists"
		field {
			name: "ints" number: 1 label: LABEL_REPEATED
			type: TYPE_MESSAGE type_name: ".weaviate.v1.IntArrayProperties"
		}
		field {
			name: "texts" number: 2 label: LABEL_REPEATED
			type: TYPE_MESSAGE type_name: ".weaviate.v1.TextArrayProperties"
		}
		field {
			name: "refs" number: 3 label: LABEL_REPEATED
			type: TYPE_MESSAGE type_name: ".weaviate.v1.BatchObject.MultiTargetRefProps"
		}
	}`

// listsType returns the descriptor of Lists.
func listsType(t *testing.T) protoreflect.MessageDescriptor {
	t.Helper()
	described := new(descriptorpb.FileDescriptorProto)
	err := prototext.Unmarshal([]byte(weaviateFile), described)
	if err != nil {
		t.Fatal(err)
	}
	file, err := protodesc.NewFile(described, nil)
	if err != nil {
		t.Fatal(err)
	}
	return file.Messages().ByName("Lists")
}

// serveEcho starts a server that returns the message of each call.
func serveEcho(t *testing.T) (address string, stop func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
		m := new(emptypb.Empty) // it keeps all fields, as unknown ones
		err := stream.RecvMsg(m)
		if err != nil {
			return err
		}
		return stream.SendMsg(m)
	}))
	go s.Serve(l) // it returns when Stop closes the listener
	t.Cleanup(s.Stop)
	return l.Addr().String(), s.Stop
}

// A list that a client makes of a Go map replays in any order; an order that means something, and a value, do not.
func TestListsOfGoMapsReplayInAnyOrder(t *testing.T) {
	t.Parallel()
	lists := listsType(t)
	message := func(text string) proto.Message {
		m := dynamicpb.NewMessage(lists)
		err := protojson.Unmarshal([]byte(text), m)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for name, test := range map[string]struct {
		recorded, asked string
		want            codes.Code
	}{
		"another order": {
			`{"ints": [{"propName": "b", "values": [2, 1]}, {"propName": "a"}]}`,
			`{"ints": [{"propName": "a"}, {"propName": "b", "values": [2, 1]}]}`,
			codes.OK,
		},
		"another order of two names": {
			`{"refs": [{"propName": "near", "targetCollection": "Town"}, {"propName": "near", "targetCollection": "Forest"}]}`,
			`{"refs": [{"propName": "near", "targetCollection": "Forest"}, {"propName": "near", "targetCollection": "Town"}]}`,
			codes.OK,
		},
		"another order of the values": {
			`{"ints": [{"propName": "b", "values": [2, 1]}, {"propName": "a"}]}`,
			`{"ints": [{"propName": "a"}, {"propName": "b", "values": [1, 2]}]}`,
			codes.FailedPrecondition,
		},
		"another value": {
			`{"ints": [{"propName": "b", "values": [2, 1]}, {"propName": "a"}]}`,
			`{"ints": [{"propName": "a"}, {"propName": "b", "values": [2, 3]}]}`,
			codes.FailedPrecondition,
		},
		"another order in an unknown version": {
			`{"texts": [{"name": "b"}, {"name": "a"}]}`,
			`{"texts": [{"name": "a"}, {"name": "b"}]}`,
			codes.FailedPrecondition,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, stop := serveEcho(t)
			file := cassette(t)
			recorded := message(test.recorded)
			ask := func(mode promptecho.Mode, sent proto.Message) (got proto.Message, err error) {
				rec := open(t, file, mode)
				defer rec.Close() // it returns the miss, as the call does
				conn := dial(t, rec, address)
				defer conn.Close()
				got = dynamicpb.NewMessage(lists)
				return got, conn.Invoke(t.Context(), "/weaviate.v1.Weaviate/BatchObjects", sent, got)
			}
			got, err := ask(promptecho.ModeAll, recorded)
			stop()
			if err != nil || !proto.Equal(got, recorded) {
				t.Fatalf("the server got %v, want %v as it was sent; error %v", got, recorded, err)
			}
			got, err = ask(promptecho.ModeNone, message(test.asked))
			if status.Code(err) != test.want {
				t.Fatalf("replay: %v, want %v", err, test.want)
			}
			if err == nil && !proto.Equal(got, recorded) {
				t.Errorf("replay: %v, want %v", got, recorded)
			}
		})
	}
}
