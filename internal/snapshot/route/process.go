package route

import (
	"cmp"
	"strings"

	"github.com/promptecho/promptecho/internal/canon/conversation"
	"github.com/promptecho/promptecho/internal/interaction"
)

// readProcess returns the steps of a session with a process: one for each prompt to an agent, and
// one for each call of a server. A process that says nothing of this kind, or that does not end
// as usual, is a step, too.
func readProcess(it *interaction.Interaction, e *conversation.Exchange) (steps []*step) {
	session := e.Session
	if session == nil || it.Request.Within != "" {
		return nil // a replay plays the result of the function that has started it
	}
	rounds := roundsOf(session.Turns)
	for i, turn := range session.Turns {
		s := stepOfTurn(it, session, turn)
		if s == nil {
			continue
		}
		s.round = rounds[i]
		s.isOfSession = true
		steps = append(steps, s)
	}

	ending := endingOfProcess(&it.Response)
	isUnknown := e.Kind == conversation.Process
	if ending == "" && !isUnknown {
		return steps
	}
	name := it.Request.ProcessName()
	last := &step{action: "session " + name, ending: ending, isOfSession: true}
	for _, s := range steps {
		last.round = max(last.round, s.round+1)
	}
	return append(steps, last)
}

// roundsOf returns a number for each turn of a session: one more than the highest of those that
// had ended before it began. Turns of one round overlap.
func roundsOf(turns []*conversation.Turn) []int {
	rounds := make([]int, len(turns))
	for i, turn := range turns {
		for k, earlier := range turns[:i] {
			hasEnded := earlier.Last > 0 && earlier.Last < turn.First
			if hasEnded {
				rounds[i] = max(rounds[i], rounds[k]+1)
			}
		}
	}
	return rounds
}

// stepOfTurn returns the step for a turn; nil for a call that belongs to the protocol.
func stepOfTurn(it *interaction.Interaction, s *conversation.Session, turn *conversation.Turn) *step {
	call := turn.Call
	switch {
	case call == nil:
		return stepOfPrompt(it, s, turn)
	case isHousekeeping(call.Method):
		return nil
	case call.Method == "tools/call":
		return executionOf(call.Target, call.Args, endingOfTurn(turn))
	}
	action := strings.TrimSpace("jsonrpc " + call.Method + " " + call.Target)
	return &step{action: action, ending: endingOfTurn(turn)}
}

// stepOfPrompt returns the step for a prompt to an agent: its name and model, and the tools that
// it used.
func stepOfPrompt(it *interaction.Interaction, s *conversation.Session, turn *conversation.Turn) *step {
	st := &step{action: "ask " + it.Request.ProcessName(), ending: endingOfTurn(turn)}
	if s.Model != "" {
		st.action += " (" + s.Model + ")"
	}
	for _, use := range turn.Tools {
		st.toolCalls = append(st.toolCalls, toolCall{
			tool:      use.Name,
			args:      conversation.OneSpelling(use.Args),
			execution: executionsOfAgents[use.Outcome],
		})
	}
	return st
}

// executionsOfAgents are the words of a route for what became of a tool that an agent used.
var executionsOfAgents = map[conversation.Outcome]string{
	conversation.Ran:        "ran",
	conversation.ToolFailed: "ran: failed",
	conversation.Denied:     "denied",
}

// endingOfTurn describes how a turn ended. It is "" for a call that succeeded.
func endingOfTurn(turn *conversation.Turn) string {
	ending := endingNamed(turn.Finish)
	isFailure := turn.Failed && (ending == "" || ending == endingStop)
	switch {
	case turn.Canceled:
		return "canceled"
	case turn.Last == 0:
		return "broken off"
	case isFailure:
		return "failed"
	case turn.Call != nil:
		return ""
	}
	return cmp.Or(ending, turn.Finish)
}

// endingOfProcess describes how a process ended: "exit status 1". It returns "" for one that ended
// as usual: with status 0, or after the client has sent it a signal.
func endingOfProcess(resp *interaction.Response) string {
	hasSignal := false
	for _, event := range resp.Events {
		m, ok := event.Message()
		switch {
		case !ok:
		case m.Kind == interaction.Signal:
			hasSignal = true
		case m.Kind == interaction.Close && !m.Sent:
			isUsual := m.Data == "" || m.Data == "exit status 0" || hasSignal
			if isUsual {
				return ""
			}
			return m.Data
		}
	}
	if resp.End == interaction.EndError {
		return "broken off"
	}
	return ""
}
