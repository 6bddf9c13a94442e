package echogrpc

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"

	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// httpStatuses has the HTTP status of each code (google/rpc/code.proto). By it the recorder knows
// which failures are temporary.
var httpStatuses = map[codes.Code]int{
	codes.OK:                 http.StatusOK,
	codes.Canceled:           499,
	codes.Unknown:            http.StatusInternalServerError,
	codes.InvalidArgument:    http.StatusBadRequest,
	codes.DeadlineExceeded:   http.StatusGatewayTimeout,
	codes.NotFound:           http.StatusNotFound,
	codes.AlreadyExists:      http.StatusConflict,
	codes.PermissionDenied:   http.StatusForbidden,
	codes.ResourceExhausted:  http.StatusTooManyRequests,
	codes.FailedPrecondition: http.StatusBadRequest,
	codes.Aborted:            http.StatusConflict,
	codes.OutOfRange:         http.StatusBadRequest,
	codes.Unimplemented:      http.StatusNotImplemented,
	codes.Internal:           http.StatusInternalServerError,
	codes.Unavailable:        http.StatusServiceUnavailable,
	codes.DataLoss:           http.StatusInternalServerError,
	codes.Unauthenticated:    http.StatusUnauthorized,
}

func httpStatus(code codes.Code) int {
	known, ok := httpStatuses[code]
	if !ok {
		return http.StatusInternalServerError
	}
	return known
}

// A statusWithBytes is a status whose details have types that this program does not know.
type statusWithBytes struct {
	Code    int32  `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
	Bytes   string `json:"@proto"`
}

// encodeStatus returns a status as the JSON of google.rpc.Status. If its details cannot be written as
// JSON, it has the whole status as bytes, too.
func encodeStatus(s *status.Status) ([]byte, error) {
	body, err := encode(s.Proto())
	if err != nil {
		return nil, err
	}
	var whole map[string]string
	isBytes := json.Unmarshal(body, &whole) == nil && whole[bytesKey] != ""
	if !isBytes {
		return body, nil
	}
	return json.Marshal(statusWithBytes{int32(s.Code()), s.Message(), whole[bytesKey]})
}

// readStatus reads what encodeStatus has written, or a person.
func readStatus(body []byte) (*status.Status, error) {
	var s spb.Status
	var stored statusWithBytes
	isBytes := json.Unmarshal(body, &stored) == nil && stored.Bytes != ""
	if isBytes {
		whole, err := base64.StdEncoding.DecodeString(stored.Bytes)
		if err == nil {
			err = proto.Unmarshal(whole, &s)
		}
		if err != nil {
			return nil, notAMessage(&s, err)
		}
		return status.FromProto(&s), nil
	}
	err := decode(body, &s)
	if err != nil {
		return nil, err
	}
	return status.FromProto(&s), nil
}

// recordedError returns the error of a recorded answer.
func recordedError(body []byte) error {
	s, err := readStatus(body)
	switch {
	case err != nil:
		return err
	case s.Code() == codes.OK:
		return status.Errorf(codes.Internal, "promptecho: the recording of an error has no code: %s. "+
			"Restore it, or record the call again: PROMPTECHO_MODE=all", body)
	}
	return s.Err()
}

// statusKey is the only member of the last message of a stream, which has its status.
const statusKey = "@status"

// encodeEnd returns the last message of a stream.
func encodeEnd(s *status.Status) ([]byte, error) {
	body, err := encodeStatus(s)
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]json.RawMessage{statusKey: body})
}

// endOf returns what RecvMsg returns at the end of a stream with a status.
func endOf(s *status.Status) error {
	if s.Code() == codes.OK {
		return io.EOF
	}
	return s.Err()
}

// readEnd returns the status of the last message of a stream. It returns false for another message.
func readEnd(message []byte) (*status.Status, bool, error) {
	if !bytes.Contains(message, []byte(`"`+statusKey+`"`)) {
		return nil, false, nil
	}
	var end map[string]json.RawMessage
	err := json.Unmarshal(message, &end)
	if err != nil || end[statusKey] == nil || len(end) != 1 {
		return nil, false, nil
	}
	s, err := readStatus(end[statusKey])
	return s, true, err
}
