package fakeprovider

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"time"
)

const fingerprint = "fp_standin"

// chatID is the id of the i-th call of the choice-th answer.
func chatID(c *call, choice, i int) string {
	return fmt.Sprintf("call_standin%06d%d%d", c.n, choice, i)
}

func chatFinish(p prompt, r Reply) string {
	if r.Finish == FinishCalls && p.choice.mode == "named" { // a forced call ends by "stop"
		return "stop"
	}
	return finish(r.Finish, chatFinishes)
}

// chatFinishes are the finish reasons of a chat.
var chatFinishes = map[string]string{
	FinishSequence: "stop",
	FinishFilter:   "content_filter",
	FinishRefusal:  "stop",
}

func chatBody(c *call, p prompt, replies []Reply) object {
	var choices []object
	for i, r := range replies {
		choices = append(choices, object{
			{"index", i},
			{"message", chatMessage(c, i, r)},
			{"logprobs", nil},
			{"finish_reason", chatFinish(p, r)},
		})
	}
	return object{
		{"id", fmt.Sprintf("chatcmpl-standin-%06d", c.n)},
		{"object", "chat.completion"},
		{"created", int(c.created().Unix())},
		{"model", c.body.text("model")},
		{"choices", choices},
		{"usage", chatUsage(replies)},
		{"service_tier", "default"},
		{"system_fingerprint", fingerprint},
	}
}

// chatMessage is the message of a choice. Reasoning has no place in OpenAI's own
// API; reasoning_content is that of DeepSeek, vLLM and others.
func chatMessage(c *call, choice int, r Reply) object {
	message := object{{"role", "assistant"}, {"content", chatContent(r)}}
	if r.Reasoning != "" {
		message = append(message, field{"reasoning_content", r.Reasoning})
	}
	if len(r.Calls) > 0 {
		message = append(message, field{"tool_calls", chatToolCalls(c, choice, r)})
	}
	message = append(message, field{"refusal", orNull(r.Refusal)}, field{"annotations", []any{}})
	if sound := r.media("audio"); sound != nil {
		message = append(message, field{"audio", object{
			{"id", chatAudioID(c)},
			{"data", base64.StdEncoding.EncodeToString(sound.Data)},
			{"expires_at", chatAudioExpiry(c)},
			{"transcript", r.Text},
		}})
	}
	return message
}

// chatContent is the content of a message: null if there is none beside calls or a
// refusal, and if the text is the transcript of a sound.
func chatContent(r Reply) any {
	isElsewhere := len(r.Calls) > 0 || r.Refusal != ""
	if r.media("audio") != nil || (r.Text == "" && isElsewhere) {
		return nil
	}
	return r.Text
}

func chatToolCalls(c *call, choice int, r Reply) []object {
	var calls []object
	for i, t := range r.Calls {
		calls = append(calls, object{
			{"id", cmp.Or(t.ID, chatID(c, choice, i))},
			{"type", "function"},
			{"function", object{{"name", t.Name}, {"arguments", t.Args}}},
		})
	}
	return calls
}

func chatAudioID(c *call) string { return fmt.Sprintf("audio_standin%06d", c.n) }

// chatAudioExpiry is when a sound can no longer be referred to by its ID, in
// seconds of Unix time.
func chatAudioExpiry(c *call) int { return int(c.created().Add(time.Hour).Unix()) }

func chatUsage(replies []Reply) object {
	u := replies[0].Usage
	in, out, reasoning := u.Input, 0, 0
	for _, r := range replies {
		out += r.Usage.Output
		reasoning += r.Usage.Reasoning
	}
	return object{
		{"prompt_tokens", in},
		{"completion_tokens", out},
		{"total_tokens", in + out},
		{"prompt_tokens_details", object{{"cached_tokens", u.Cached}, {"audio_tokens", 0}}},
		{"completion_tokens_details", object{
			{"reasoning_tokens", reasoning},
			{"audio_tokens", 0},
			{"accepted_prediction_tokens", 0},
			{"rejected_prediction_tokens", 0},
		}},
	}
}
