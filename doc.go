// Package promptecho freezes LLM API calls in Go tests. A [Recorder] is an
// [http.RoundTripper] in front of a cassette, a YAML file with real
// requests and their answers: the first run records, every later run replays,
// without a network, a key or a token. Streams come back event by event.
//
// In a test use [github.com/promptecho/promptecho/echotest.New], which names
// the cassette after the test and fails the test if a request was never
// recorded or a recording was never used. This package is the engine: use
// [Open] where there is no testing.TB, or where the file must have a name of
// its own.
//
// The content of a request decides which recording answers it: the logical
// endpoint, and every field of the body that can change the answer. Spellings
// that mean the same are equal. Hosts, gateway prefixes, key order and JSON
// white space do not matter. Sampling parameters (temperature, max_tokens and
// the like) and bookkeeping (user, metadata) are ignored, too, but a change
// of them is noted; see [MatchSampling]. Equal requests play their recordings
// in recorded order, each once.
//
// The record mode says what is replayed and what may go upstream; see [Mode].
// It comes from the flag -echo.mode (or -echo.record, which means all), else
// from the environment variable PROMPTECHO_MODE, else it is once, and none if
// the environment variable CI is set. [InMode] sets it in code.
//
// What an agent does besides HTTP (its tools, its searches, its memory) is recorded
// and replayed by [Wrap], in the same cassette. [Live] runs a part of it for real, and [Frozen]
// keeps a part from ever being called.
//
// The time, random values and the environment come from the recorder, too, if a test
// takes them from there: see [Recorder.Now], [Recorder.Rand] and [Recorder.Env].
//
// A call has one name, which options, reports, promptecho show and [MissError]
// use: its kind and what is called, "llm/openai.chat", "http/api.example.com",
// "tool/search"; see [Live]. An option that selects nothing is reported; see [Option].
//
// What is written is redacted first: headers are written by allow-list, and
// whatever looks like a credential or is known as one is replaced, on both
// sides of a match. See [Recorder.Secret], [RedactFields] and [Redact] for values of your own.
// What the program sends and receives does not change. While a run records,
// it keeps a journal next to the cassette, so a process that is killed
// loses nothing.
//
// Names you may look for, and what they are called here:
//
//	New, NewRecorder, Use      echotest.New in a test, else Open
//	HTTPClient, Transport      Recorder.Client; a Recorder is a transport itself
//	Stop, Save, Flush          Recorder.Close
//	Mode, WithMode, Replay     InMode(ModeNone)
//	Recording, IsRecording     Recorder.Online
//	Time, Clock                Recorder.Now
//	Strict, WithMatcher        MatchSampling, Match
//	MatchOn                    MatchOnly
//	Filter, Scrub, WithHook    RedactFields, Redact
//	Passthrough, IgnoreHosts   PassThrough
//	Default, Install           echotest.SetDefault
package promptecho
