// Package title finds titles for texts.
package title

import (
	"context"
	"time"

	"example.com/app/chat"
)

// Of returns a title for a text, as of today.
func Of(ctx context.Context, client *chat.Client, text string) (string, error) {
	return client.Ask(ctx, "Today is "+time.Now().Format(time.DateOnly)+". Find a title for "+text)
}
