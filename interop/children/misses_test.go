package children

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/coder/acp-go-sdk"
	"github.com/google/uuid"
	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echoexec"
)

var update = flag.Bool("update", false, "rewrite the reports in testdata/misses")

// A miss is a client that does something else in its replay than in its recording.
type miss struct {
	program  string
	recorded driver
	changed  driver

	// wants are what the report must have: the message, the field, and both values.
	wants []string
}

// misses are what the tests change, by name.
var misses = map[string]miss{
	"command_argument": {
		program:  "weather",
		recorded: askWeather("CommandTransport", []string{"--units", "metric"}, "Oslo"),
		changed:  askWeather("CommandTransport", []string{"--units", "imperial"}, "Oslo"),
		wants:    []string{"args", "metric", "imperial"},
	},
	"start_argument": {
		program:  "weather",
		recorded: askWeather("IOTransport", []string{"--units", "metric"}, "Oslo"),
		changed:  askWeather("IOTransport", []string{"--units", "imperial"}, "Oslo"),
		wants:    []string{"args", "metric", "imperial"},
	},
	"tool_argument": {
		program:  "weather",
		recorded: askWeather("CommandTransport", nil, "Oslo", "Rome"),
		changed:  askWeather("CommandTransport", nil, "Oslo", "Paris"),
		wants:    []string{"tools/call", "params/arguments/city", "Rome", "Paris"},
	},
	"call_too_many": {
		program:  "weather",
		recorded: askWeather("CommandTransport", nil, "Oslo", "Rome"),
		changed:  askWeather("CommandTransport", nil, "Oslo", "Rome", "Rome"),
		wants:    []string{"tools/call"},
	},
	"call_missing": {
		program:  "weather",
		recorded: askWeather("IOTransport", nil, "Oslo", "Rome"),
		changed:  askWeather("IOTransport", nil, "Oslo"),
		wants:    []string{"tools/call"},
	},
	"sampling_answer": {
		program:  "weather",
		recorded: answerSampling("It is sunny."),
		changed:  answerSampling("It rains."),
		wants:    []string{"result/content/text", "sunny", "rains"},
	},
	"prompt": {
		program:  "claude",
		recorded: promptClaude("Count the lines.", "allow"),
		changed:  promptClaude("Count the words.", "allow"),
		wants:    []string{"message/content", "lines", "words"},
	},
	"permission_of_claude": {
		program:  "claude",
		recorded: promptClaude("Count the lines.", "allow"),
		changed:  promptClaude("Count the lines.", "deny"),
		wants:    []string{"response/behavior", "allow", "deny"},
	},
	"permission_of_acp": {
		program:  "agent",
		recorded: promptACP("allow"),
		changed:  promptACP("reject"),
		wants:    []string{"result/outcome/optionId", "allow", "reject"},
	},
	"tool_list": {
		program:  "codex",
		recorded: offerTools("search", "read"),
		changed:  offerTools("search", "write"),
		wants:    []string{"thread/start", "params/dynamicTools", "read", "write"},
	},
	"variable": {
		program:  "codex",
		recorded: runWithVariable("o3"),
		changed:  runWithVariable("o4"),
		wants:    []string{"env/MODEL", "o3", "o4"},
	},
}

// askWeather calls a tool for cities, one after the other.
func askWeather(over string, args []string, cities ...string) driver {
	return func(s *setup) error {
		c, err := connect(s, over, oldProtocol, nil, args...)
		if err != nil {
			return err
		}
		for _, city := range cities {
			c.call(s.ctx, "weather", city, nil)
		}
		return c.Close()
	}
}

// answerSampling answers what a server asks the model of its client.
func answerSampling(answer string) driver {
	return func(s *setup) error {
		c, err := connect(s, "CommandTransport", oldProtocol, nil)
		if err != nil {
			return err
		}
		c.sample = func(string) string { return answer }
		c.call(s.ctx, "summary", "Oslo", nil)
		return c.Close()
	}
}

func promptClaude(prompt, behavior string) driver {
	return func(s *setup) error {
		cmd := echoexec.Command(s.rec, "claude", exec.CommandContext(s.ctx, s.program))
		return useClaudeCommand(s, cmd, behavior, prompt)
	}
}

func promptACP(answer acp.PermissionOptionId) driver {
	return func(s *setup) error {
		c := &acpClient{s: s, answer: answer}
		conn, end, err := acpConnect(c, "Command")
		if err != nil {
			return err
		}
		_, err = conn.Initialize(s.ctx, acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber})
		if err != nil {
			return err
		}
		folder := s.t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "a.txt"), []byte("text"), 0o600); err != nil {
			return err
		}
		session, err := c.open(s.ctx, conn, folder, "session")
		if err != nil {
			return err
		}
		c.prompt(s.ctx, conn, session, "a.txt")
		return end()
	}
}

func offerTools(names ...string) driver {
	return func(s *setup) error {
		p, err := echoexec.Start(s.rec, "codex", exec.Command(s.program, "app-server"))
		if err != nil {
			return err
		}
		c := newCodexClient(s, p, "accept")
		var tools []object
		for _, name := range names {
			tools = append(tools, object{"name": name, "inputSchema": object{"type": "object"}})
		}
		var started object
		err = c.call("thread/start", object{"dynamicTools": tools}, &started)
		return errors.Join(err, p.Close())
	}
}

// runWithVariable runs one turn with a variable that takes part in matching.
func runWithVariable(model string) driver {
	return func(s *setup) error {
		cmd := exec.CommandContext(s.ctx, s.program, "exec", "--experimental-json")
		cmd.Env = append(os.Environ(), "MODEL="+model)
		cmd.Stdin = strings.NewReader("Hello.")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		_, err := echoexec.Command(s.rec, "codex", cmd, echoexec.Env("MODEL")).Output()
		if err != nil {
			return fmt.Errorf("%w\nstderr: %s", err, stderr.String())
		}
		return nil
	}
}

// What a client sends that is not recorded is reported with the program, the message, the field,
// and the line of the cassette. The reports are in testdata/misses; -update writes them.
func TestReportOfEachMiss(t *testing.T) {
	t.Parallel()
	for name, m := range misses {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(fixedDir(t), "c.yaml")
			_, err, closing := run(t, file, promptecho.ModeAll, install(t, m.program), m.recorded, nil)
			if err != nil || closing != nil {
				t.Fatalf("recording: %v\n%v", err, closing)
			}
			saw, err, closing := run(t, file, promptecho.ModeNone, missing(m.program), m.changed, nil)
			if closing == nil {
				t.Fatalf("no miss is reported: %v\n%s", err, strings.Join(saw, "\n"))
			}
			report := closing.Error()
			if !strings.Contains(strings.ReplaceAll(report, m.program+"_test.go", ""), m.program) {
				t.Errorf("the report does not name the program %s", m.program)
			}
			for _, want := range m.wants {
				if !strings.Contains(report, want) {
					t.Errorf("the report does not say %q", want)
				}
			}
			if !regexp.MustCompile(`c\.yaml:\d+`).MatchString(report) {
				t.Error("the report names no line")
			}
			text := fmt.Sprintf("What the client saw:\n%s\n%v\n\nThe report:\n%s\n",
				strings.Join(saw, "\n"), err, report)
			checkGolden(t, name, withoutChance(text, filepath.Dir(file)))
		})
	}
}

// fixedDir returns a folder for the test whose path always has the same length: what a client is told
// about a miss is cut to a length.
func fixedDir(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("children-%010d", rand.Uint32()))
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// withoutChance returns a report without what differs from run to run.
func withoutChance(report, dir string) string {
	report = strings.ReplaceAll(report, dir, "DIR")
	for pattern, text := range map[string]string{
		`_test\.go:\d+`:                      "_test.go:LINE",
		`process \d+`:                        "process PID",
		`[0-9a-f]{8}-[0-9a-f-]{27}`:          "UUID",
		`(call_|sess_|toolu_01)[A-Z0-9]{26}`: "${1}ID",
		`(?m)^/\S+/children\b`:               "CHILDREN",
		`TestReportOf\w+?\d{6,}`:             "TEST",
	} {
		report = regexp.MustCompile(pattern).ReplaceAllString(report, text)
	}
	return report
}

func checkGolden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "misses", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the report is now:\n%s\nwant:\n%s", got, want)
	}
}

// useClaudeCommand has turns with a command that is not started.
func useClaudeCommand(s *setup, cmd *exec.Cmd, behavior string, prompts ...string) error {
	session := uuid.NewString()
	c, err := claudeOf(s, "claude", cmd, behavior)
	if err != nil {
		return err
	}
	var errs []error
	for _, prompt := range prompts {
		errs = append(errs, c.turn(prompt, session))
	}
	return errors.Join(append(errs, c.close())...)
}
