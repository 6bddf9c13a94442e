package canon

import (
	"slices"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// The Agent2Agent protocol (https://a2a-protocol.org), by JSON-RPC, with the names that its
// methods had and have, and by its REST binding. Tasks and contexts are named as the agent
// named them, and match; a message has an id that its client draws. What is asked about tasks
// ("tasks/get", "GetTask") has nothing of its own, and MCP has such methods, too: it is
// JSON-RPC's, or matches by its path.
func a2aFamilies() []*Family {
	return []*Family{
		rpc(Family{
			Name:     "a2a",
			Needs:    []string{"jsonrpc method=message/*", "jsonrpc method=SendMessage*", "jsonrpc method=SendStreamingMessage*"},
			Drawn:    messageIDs,
			Headers:  []string{"a2a-extensions", "a2a-version", "x-a2a-extensions"},
			Rewrites: []Rewrite{a2aReferences},
		}),
		{
			Name:        "a2a.message",
			Paths:       []string{"/message:send"},
			StreamPaths: []string{"/message:stream"},
			Needs:       []string{"message"},
			Server:      true,
			Drawn:       messageIDs,
			Headers:     []string{"a2a-extensions", "a2a-version", "x-a2a-extensions"},
			Rewrites:    []Rewrite{a2aReferences},
			Acts:        []string{"*"},
		},
	}
}

var messageIDs = []string{"params/message/messageId", "batch/*/params/message/messageId", "message/messageId"}

// a2aReferences writes what refers to a message of the request as "#1", "#2", in the order in
// which the messages stand there. The ids themselves stay: they are told of when they change.
func a2aReferences(r *request, body *exactjson.Value) {
	var ids []*exactjson.Value
	for _, path := range messageIDs {
		body.Each(path, func(id *exactjson.Value) { ids = append(ids, id) })
	}
	numbers := ordinals{}
	for _, id := range ids {
		seen := *id
		numbers.call(&seen)
	}
	walk(body, "", func(v *exactjson.Value, _ string) {
		if !slices.Contains(ids, v) && numbers[v.Text] != "" {
			numbers.result(v)
		}
	})
}
