package conversation

import (
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// Process is the kind of a session with a process whose protocol is unknown.
const Process = "process"

// readCommand reads a request that starts a process. Its title is the name of the process with
// the arguments: "weather --port 3". Other members of the body, such as the folder and the
// variables, are settings.
func (e *Exchange) readCommand(req *interaction.Request) {
	body, _ := exactjson.Parse(req.Body)
	words := []string{req.ProcessName()}
	for _, arg := range elems(body.Member("args")) {
		words = append(words, quotedArgument(compact(&arg)))
	}
	e.Title = strings.Join(words, " ")
	for _, m := range body.Elems {
		if m.Name != "args" {
			value := string(m.AppendJSON(nil, exactjson.Layout{}))
			e.Settings = append(e.Settings, Setting{m.Name, value})
		}
	}
}

// quotedArgument returns an argument with quotes if it is empty or has white space.
func quotedArgument(arg string) string {
	if arg == "" || strings.ContainsAny(arg, " \t\n\"") {
		return strconv.Quote(arg)
	}
	return arg
}
