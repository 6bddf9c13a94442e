package echogrpc

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/reflect/protopath"
	"google.golang.org/protobuf/reflect/protorange"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// A message is its JSON if an equal message can be made of it. Otherwise:
//
//	fields that its type does not know   {..., "@unknown": {".path": "BASE64"}}, next to the other fields
//	anything else that JSON cannot hold  {"@proto": "BASE64"}, the bytes of the whole message
//
// An Any of a type that is not linked, and text that is not UTF-8, are examples of the second row. No
// field has a name in JSON that begins with "@", except in the JSON of an Any ("@type").
const (
	unknownKey = "@unknown"
	bytesKey   = "@proto"
)

// protoOf returns a message of the API that generated code has today, or of the one before.
func protoOf(message any) (proto.Message, error) {
	switch m := message.(type) {
	case proto.Message:
		return m, nil
	case protoadapt.MessageV1:
		return protoadapt.MessageV2Of(m), nil
	}
	return nil, status.Errorf(codes.Internal,
		"promptecho: %T is not a protobuf message: a codec of the program's own cannot be recorded", message)
}

// encode returns a message as JSON in one line, of which decode makes an equal message. Equal messages
// give the same text. It does not keep the message, which the caller may use again. No message is an
// empty one: grpc sends no bytes for both.
func encode(message any) ([]byte, error) {
	if message == nil {
		return []byte("{}"), nil
	}
	m, err := protoOf(message)
	if err != nil {
		return nil, err
	}
	return encodeMessage(m, typesFor(message))
}

// encodeMessage is encode with the types of what can be in the message.
func encodeMessage(m proto.Message, types typeResolver) ([]byte, error) {
	body, err := encodeFields(m, types)
	if err == nil && isEqual(m, body, types) {
		return body, nil
	}
	whole, err := proto.MarshalOptions{Deterministic: true, AllowPartial: true}.Marshal(m)
	if err != nil {
		return nil, status.Errorf(codes.Internal, "promptecho: the message cannot be recorded: %v", err)
	}
	return json.Marshal(map[string]string{bytesKey: base64.StdEncoding.EncodeToString(whole)})
}

// isEqual reports whether decode makes an equal message of a body.
func isEqual(m proto.Message, body []byte, types typeResolver) bool {
	decoded := m.ProtoReflect().New().Interface()
	err := decodeInto(body, decoded, types)
	return err == nil && proto.Equal(m, decoded)
}

// encodeFields returns a message as JSON, with its unknown fields.
func encodeFields(m proto.Message, types typeResolver) ([]byte, error) {
	text, err := protojson.MarshalOptions{AllowPartial: true, Resolver: types}.Marshal(m)
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	err = json.Compact(&body, text) // protojson adds spaces at random
	if err != nil {
		return nil, err
	}
	unknown := unknownFields(m)
	if len(unknown) == 0 {
		return body.Bytes(), nil
	}
	fields, isObject := bytes.CutSuffix(body.Bytes(), []byte("}"))
	if !isObject {
		return nil, errNoPlace
	}
	added, err := json.Marshal(unknown)
	if err != nil {
		return nil, err
	}
	if len(fields) > len("{") {
		fields = append(fields, ',')
	}
	return fmt.Appendf(fields, "%q:%s}", unknownKey, added), nil
}

// errNoPlace is the error of a message with unknown fields whose JSON is no object, as that of a
// google.protobuf.Timestamp.
var errNoPlace = fmt.Errorf("no place for %s", unknownKey)

// unknownFields returns the unknown fields of a message and of those in it, by path and in base64.
func unknownFields(m proto.Message) map[string]string {
	unknown := map[string]string{}
	_ = protorange.Range(m.ProtoReflect(), func(v protopath.Values) error { // the function returns no error
		inner, isMessage := v.Index(-1).Value.Interface().(protoreflect.Message)
		if isMessage && len(inner.GetUnknown()) > 0 {
			unknown[pathIn(v)] = base64.StdEncoding.EncodeToString(inner.GetUnknown())
		}
		return nil
	})
	return unknown
}

// pathIn returns the path of a value in its message: ".points[2].payload". That of the message is "".
func pathIn(v protopath.Values) string { return v.Path[1:].String() }

// decode sets a message to what encode wrote, or a person.
func decode(body []byte, into any) error {
	m, err := protoOf(into)
	if err != nil {
		return err
	}
	proto.Reset(m)
	err = decodeInto(body, m, typesFor(into))
	if err != nil {
		return notAMessage(m, err)
	}
	return nil
}

// notAMessage returns the error of a recorded message that cannot be read.
func notAMessage(m proto.Message, err error) error {
	return status.Errorf(codes.Internal, "promptecho: the recording is not a message of type %s: %v. "+
		"If the type has changed, record the call again: PROMPTECHO_MODE=all",
		m.ProtoReflect().Descriptor().FullName(), err)
}

func decodeInto(body []byte, m proto.Message, types typeResolver) error {
	hasKeys := bytes.Contains(body, []byte(`"`+bytesKey+`"`)) || bytes.Contains(body, []byte(`"`+unknownKey+`"`))
	if !hasKeys {
		return decodeFields(body, m, types)
	}
	var fields map[string]json.RawMessage
	err := json.Unmarshal(body, &fields)
	if err != nil {
		return decodeFields(body, m, types) // no object: the key is in a text
	}
	if fields[bytesKey] != nil {
		var whole []byte
		err := json.Unmarshal(fields[bytesKey], &whole)
		if err != nil {
			return fmt.Errorf("%s: %w", bytesKey, err)
		}
		return proto.UnmarshalOptions{AllowPartial: true, Resolver: types}.Unmarshal(whole, m)
	}
	if fields[unknownKey] == nil {
		return decodeFields(body, m, types)
	}
	var unknown map[string][]byte
	err = json.Unmarshal(fields[unknownKey], &unknown)
	if err != nil {
		return fmt.Errorf("%s: %w", unknownKey, err)
	}
	delete(fields, unknownKey)
	rest, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	err = decodeFields(rest, m, types)
	if err != nil {
		return err
	}
	return setUnknownFields(m, unknown)
}

func decodeFields(body []byte, m proto.Message, types typeResolver) error {
	return protojson.UnmarshalOptions{AllowPartial: true, Resolver: types}.Unmarshal(body, m)
}

// setUnknownFields is the reverse of unknownFields.
func setUnknownFields(m proto.Message, unknown map[string][]byte) error {
	unset := maps.Clone(unknown)
	err := protorange.Range(m.ProtoReflect(), func(v protopath.Values) error {
		inner, isMessage := v.Index(-1).Value.Interface().(protoreflect.Message)
		path := pathIn(v)
		if isMessage && unset[path] != nil {
			inner.SetUnknown(unset[path])
			delete(unset, path)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(unset) > 0 {
		return fmt.Errorf("%s: there is no message at %q", unknownKey, slices.Sorted(maps.Keys(unset))[0])
	}
	return nil
}
