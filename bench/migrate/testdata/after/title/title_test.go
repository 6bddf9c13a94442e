package title

import (
	"strings"
	"testing"

	"example.com/app/chat"
	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echotest"
)

func TestTitle(t *testing.T) {
	rec := echotest.New(t, promptecho.Mask(`\d{4}-\d\d-\d\d`, "TODAY"))
	got, err := Of(t.Context(), &chat.Client{HTTP: rec.Client(), Key: rec.Secret("OPENAI_API_KEY")}, "a letter about rain")
	if err != nil || !strings.Contains(got, "a letter about rain") {
		t.Errorf("%q, %v", got, err)
	}
}
