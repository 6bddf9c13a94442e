package sessions_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/testing/socket"
)

// echoItems acknowledges each item that a client creates or deletes, as OpenAI's Realtime does.
func echoItems(_ *http.Request, c *socket.Conn) {
	for {
		m, err := c.Receive()
		if err != nil {
			return
		}
		var event struct {
			Type   string `json:"type"`
			ItemID string `json:"item_id"`
			Item   struct {
				ID string `json:"id"`
			} `json:"item"`
		}
		if json.Unmarshal(m.Data, &event) != nil {
			return
		}
		switch event.Type {
		case "conversation.item.create":
			err = c.Send(fmt.Sprintf(`{"type":"conversation.item.created","item":{"id":%q}}`, event.Item.ID))
		case "conversation.item.delete":
			err = c.Send(fmt.Sprintf(`{"type":"conversation.item.deleted","item_id":%q}`, event.ItemID))
		}
		if err != nil {
			return
		}
	}
}

// A client that makes up the IDs of its items is told of them by these IDs in a replay, and may refer
// to them.
func TestItemsHaveTheIDsOfTheClient(t *testing.T) {
	t.Parallel()
	file := newCassette(t)
	transport := socket.Transport(echoItems)
	for n := range 5 {
		var rec *promptecho.Recorder
		if n == 0 {
			rec = record(t, file, promptecho.Upstream(transport))
		} else {
			rec = replay(t, file)
		}
		var log strings.Builder
		inTime(t, "the session", func() {
			c := dial(t, t.Context(), rec, "https://api.openai.com/v1/realtime?model=m")
			defer c.Drop()
			for k := range 3 {
				id := fmt.Sprintf("item_%d_of_run_%d", k, n)
				c.Send(fmt.Sprintf(`{"type":"conversation.item.create","item":{"id":%q,"type":"message"}}`, id))
				fmt.Fprintln(&log, received(c.Receive()))
				c.Send(fmt.Sprintf(`{"type":"conversation.item.delete","item_id":%q}`, id))
				fmt.Fprintln(&log, received(c.Receive()))
			}
		})
		if err := rec.Close(); err != nil {
			t.Fatalf("run %d: %v", n, err)
		}
		for k := range 3 {
			id := fmt.Sprintf("item_%d_of_run_%d", k, n)
			if strings.Count(log.String(), `"`+id+`"`) != 2 {
				t.Errorf("run %d has not heard twice of %s:\n%s", n, id, &log)
			}
		}
	}
}
