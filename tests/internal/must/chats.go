package must

import (
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
)

// Chats returns a cassette of chat completions, asked of http://h and answered with status 200.
// It is given a prompt, its answer, the next prompt, and so on.
func Chats(promptsAndAnswers ...string) *cassette.File {
	f := &cassette.File{}
	for i := 0; i < len(promptsAndAnswers); i += 2 {
		prompt, answer := promptsAndAnswers[i], promptsAndAnswers[i+1]
		f.Interactions = append(f.Interactions, &interaction.Interaction{
			Boundary: "openai.chat",
			Request: interaction.Request{
				Method: "POST",
				URL:    "http://h/v1/chat/completions",
				Body:   []byte(ChatBody(prompt)),
			},
			Response: interaction.Response{Status: 200, Body: []byte(answer)},
		})
	}
	return Seal(f)
}
