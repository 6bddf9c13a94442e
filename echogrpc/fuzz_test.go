package echogrpc

import (
	"testing"

	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/protobuf/proto"
)

// A message that a person has edited in a cassette is read, or gives an error; what is read is written again equal.
func FuzzMessage(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"payload":{"body":"aGk="}}`, `{"@proto":"CgQSAmhp"}`, `{"@unknown":{"":"wAEB",".payload":"wAEB"}}`,
		`{"@proto":1}`, `{"@unknown":{".x":"AA=="}}`, `[]`, `"@proto"`, `{"payload":{"type":"x"}}`, `{"@proto":"AA=="}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var m, again testpb.SimpleRequest
		err := decode(body, &m)
		if err != nil {
			return
		}
		written, err := encode(&m)
		if err != nil {
			t.Fatal(err)
		}
		err = decode(written, &again)
		if err != nil || !proto.Equal(&m, &again) {
			t.Errorf("%s was read as %v, written as %s, and read again as %v, %v", body, &m, written, &again, err)
		}
	})
}

// The last message of a stream with an edited status is read, or gives an error.
func FuzzStatus(f *testing.F) {
	for _, seed := range []string{
		`{"@status":{}}`, `{"@status":{"code":5,"message":"gone","details":[{"@type":"type.googleapis.com/x.Y"}]}}`,
		`{"@status":{"code":3,"@proto":"CAM="}}`, `{"@status":1}`, `{"@status":null}`, `{"@status":{},"x":1}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		s, isEnd, err := readEnd(message)
		if !isEnd || err != nil {
			return
		}
		written, err := encodeEnd(s)
		if err != nil {
			t.Fatal(err)
		}
		again, isEnd, err := readEnd(written)
		if !isEnd || err != nil || !proto.Equal(s.Proto(), again.Proto()) {
			t.Errorf("%s was read as %v, written as %s, and read again as %v, %v, %v", message, s, written, again, isEnd, err)
		}
	})
}
