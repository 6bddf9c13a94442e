package bot

const (
	answerPrompt = "You answer in one sentence."
	titlePrompt  = "You find titles."
	tellPrompt   = "You tell stories."
)
