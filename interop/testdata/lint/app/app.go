// Package app makes a bot of another package.
package app

import (
	"context"

	"github.com/promptecho/promptecho/interop/testdata/lint/bot"
)

// An App has a bot.
type App struct{ bot *bot.Bot }

// New makes the bot.
func New() *App { return &App{bot.New("key")} }

// Run asks it.
func (a *App) Run(ctx context.Context) error {
	_, err := a.bot.Ask(ctx, "?")
	return err
}
