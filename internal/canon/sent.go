package canon

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/promptecho/promptecho/internal/interaction"
)

// SentKey returns a text that is equal for sessions in which the client sent equal messages in
// one order. It is "" for an interaction that is not a session. Sessions of one handshake are
// told apart by it.
func (o *Options) SentKey(it *interaction.Interaction) string {
	if !it.Response.IsSession() {
		return ""
	}
	sum := sha256.New()
	for _, m := range it.Response.SentMessages() {
		if m.Kind == interaction.Close {
			continue // a client may close a session at any time
		}
		req := it.Request.MessageRequest(&m)
		fmt.Fprintf(sum, "%s %s\n", m.Kind, o.Form(&req).Key())
	}
	return hex.EncodeToString(sum.Sum(nil))
}
