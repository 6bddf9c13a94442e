package app

import "testing"
import "github.com/openai/openai-go/v3"

func TestSingle(t *testing.T) {
	c := openai.NewClient()
	c.Models.List(t.Context())
	list(t)
}
