// Package echoexec freezes child processes: programs that a test starts and
// speaks to over their standard input and output, such as MCP servers, coding
// agents and command-line tools with a JSON mode. The first run starts the
// program and records the lines that go both ways. Later runs replay them: the
// program is not started, and need not be installed.
//
//	rec := echotest.New(t)
//	cmd := echoexec.Command(rec, "weather", exec.Command("weather-server", "--units", "metric"))
//	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
//
// What a client takes decides which function to use:
//
//	the client takes           use
//	an *exec.Cmd               Command
//	a reader and a writer      Start
//	the path of a program      Path
//	nothing: it looks in PATH  OnPath
//
// Command, Path and OnPath put a stand-in in the place of the program: the test
// binary itself, which only passes on what is read and written. So the client
// has a real process, with pipes, signals and an exit status. In replay that is
// the recorded one. Importing this package makes a test binary able to be one.
//
// A session is one interaction of the cassette, see docs/SESSIONS.md. The name
// of the program, its arguments, the working directory and the variables of
// [Env] open it, and must be as recorded. Each line that the client writes must
// match, as the body of a request does. A line of the program comes when the
// client has written what it had written before.
//
// Paths of this machine are not in the cassette: $PROMPTECHO_DIR stands for the
// working directory of the program, $PROMPTECHO_MODULE for the folder of go.mod,
// $PROMPTECHO_HOME for the home directory and $PROMPTECHO_TEMP for the folder of
// temporary files. Requests named "ping" of JSON-RPC are answered, and not
// recorded.
//
// If a line is not recorded, a request of JSON-RPC gets an error with the code
// -32418. After any other line, the program exits with status 1. In both cases
// the test fails with a report of the nearest recording.
package echoexec
