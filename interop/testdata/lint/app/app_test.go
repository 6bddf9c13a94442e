package app_test

import (
	"testing"

	"github.com/promptecho/promptecho/interop/testdata/lint/app"
	"github.com/promptecho/promptecho/interop/testdata/lint/bot"
)

func TestApp(t *testing.T) {
	a := app.New() // want `app.New makes its own client \(openai.NewClient, bot.go:21\), so this test calls the provider: let New take`
	if err := a.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestSubtests(t *testing.T) {
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) {
			bot.Answer(t.Context(), name) // want `bot.Answer makes its own client`
		})
	}
}

func TestMade(t *testing.T) {
	if app.New() == nil {
		t.Error("nil")
	}
}

func ExampleNew() {
	app.New().Run(nil)
}
