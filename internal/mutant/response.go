package mutant

import (
	"encoding/json"

	"github.com/promptecho/promptecho/internal/interaction"
)

// A stored is a response as JSON. The fields of events can have any bytes.
type stored struct {
	Response interaction.Response // without its events
	Events   [][]storedField
}

type storedField struct {
	Name  string
	Value []byte
}

// EncodeResponse returns the content of the file that [Change.Response] names.
func EncodeResponse(resp *interaction.Response) ([]byte, error) {
	s := stored{Response: *resp}
	s.Response.Events = nil
	for _, event := range resp.Events {
		fields := []storedField{}
		for _, f := range event {
			fields = append(fields, storedField{Name: f.Name, Value: []byte(f.Value)})
		}
		s.Events = append(s.Events, fields)
	}
	return json.Marshal(s)
}

// decodeResponse returns the response that EncodeResponse has encoded.
func decodeResponse(data []byte) (*interaction.Response, error) {
	var s stored
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, err
	}
	for _, fields := range s.Events {
		event := interaction.Event{}
		for _, f := range fields {
			event = append(event, interaction.Field{Name: f.Name, Value: string(f.Value)})
		}
		s.Response.Events = append(s.Response.Events, event)
	}
	return &s.Response, nil
}
