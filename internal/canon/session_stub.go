package canon

import "github.com/promptecho/promptecho/internal/interaction"

// CutAudio is a stub.
func CutAudio(handshake *interaction.Request, m *interaction.Message) (string, []byte) { return "", nil }

// ErrorEvent is a stub.
func (f *Form) ErrorEvent(text string) []byte { return nil }
