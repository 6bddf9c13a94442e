package canon

import (
	"slices"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// a2aFamilies returns the families of the Agent2Agent protocol
// (https://a2a-protocol.org), by JSON-RPC and by its REST binding. Its methods
// have old and new names. The agent names tasks and contexts, and these names
// match. The client generates the ID of a message.
//
// Methods about tasks ("tasks/get", "GetTask") are not here. MCP has such
// methods, too, so they are known as JSON-RPC, or by their path.
func a2aFamilies() []*Family {
	return []*Family{
		rpc(Family{
			Name: "a2a",
			Needs: []string{
				"jsonrpc method=message/*",
				"jsonrpc method=SendMessage*",
				"jsonrpc method=SendStreamingMessage*",
			},
			Generated: messageIDs,
			Headers:   []string{"a2a-extensions", "a2a-version", "x-a2a-extensions"},
			Rewrites:  []Rewrite{numberReferences},
		}),
		{
			Name:        "a2a.message",
			Paths:       []string{"/message:send"},
			StreamPaths: []string{"/message:stream"},
			Needs:       []string{"message"},
			Server:      true,
			Generated:   messageIDs,
			Headers:     []string{"a2a-extensions", "a2a-version", "x-a2a-extensions"},
			Rewrites:    []Rewrite{numberReferences},
			SideEffects: []string{"*"},
		},
	}
}

var messageIDs = []string{
	"params/message/messageId",
	"batch/*/params/message/messageId",
	"message/messageId",
}

// numberReferences replaces references to the messages of the request by "#1",
// "#2", in the order of the messages. The IDs of the messages stay. They do not
// match, and are reported if they change.
func numberReferences(_ *request, body *exactjson.Value) {
	var ids []*exactjson.Value
	for _, path := range messageIDs {
		body.Each(path, func(id *exactjson.Value) { ids = append(ids, id) })
	}
	numbers := ordinals{}
	for _, id := range ids {
		copied := *id // the ID itself stays
		numbers.numberCall(&copied)
	}
	walk(body, "", func(v *exactjson.Value, _ string) {
		isReference := numbers[v.Text] != "" && !slices.Contains(ids, v)
		if isReference {
			numbers.numberResult(v)
		}
	})
}
