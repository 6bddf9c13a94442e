// Package translate translates texts.
package translate

import (
	"context"

	"example.com/app/chat"
)

// ToFrench translates a text to French.
func ToFrench(ctx context.Context, client *chat.Client, text string) (string, error) {
	return client.Ask(ctx, "Translate to French: "+text)
}
