// Package promptecho freezes LLM API calls in Go tests. A [Recorder] is an
// [http.RoundTripper] in front of a cassette, a YAML file with real
// requests and their answers: the first run records, every later run replays,
// without a network, a key or a token. Streams come back event by event.
//
// In a test use [github.com/promptecho/promptecho/echotest.New], which names the cassette after
// the test and fails it if a request was never recorded or a recording never used. [Open] is for
// other programs, and for shared recorders.
//
// A request is answered by a recording that has the same endpoint and, in every field of the body
// that can change the answer, the same value, however it is spelled. Each recording answers once.
// A change of sampling parameters (temperature) and of bookkeeping (user, metadata) is only
// noted; see [MatchSampling]. Hosts and gateway prefixes do not matter.
//
// The record mode says what is replayed and what may go upstream; see [Mode]. It comes from the
// flag -echo.mode (or -echo.record: all), else from PROMPTECHO_MODE, else it is "none" if
// CI is set, else "once". [InMode] sets it.
//
// Calls of an agent that are not HTTP (tools, searches, memory) are recorded by [Wrap], in the
// same cassette. So are the time, random values and the environment: [Recorder.Now],
// [Recorder.Rand], [Recorder.Env]. [Live] runs a part for real; [Frozen] keeps it from being
// called.
//
// A call has one name, by which options select it and reports show it: "llm/openai.chat",
// "http/api.example.com", "tool/search"; see [Live]. An option without effect is reported.
//
// Everything is redacted before it is written: whatever looks like a credential or is known as one.
// [Recorder.Secret], [RedactFields] and [Redact] are for values of your own. What goes over HTTP is
// not redacted.
//
// Names you may look for, and what they are called here:
//
//	New, NewRecorder, Use        echotest.New in a test, else Open
//	Cassette, File, Load         echotest.Open, Open
//	HTTPClient, Transport, Get   Recorder.Client; a Recorder is a transport itself
//	Stop, Save, Flush            Recorder.Close, which echotest.New calls
//	WithMode, SetMode, Replay    InMode; ModeNone replays, ModeAll records
//	ModeReplay, ModeRecord       ModeNone, ModeAll, ModeOnce
//	Recording, IsRecording       Recorder.Online
//	Time, Clock                  Recorder.Now
//	Strict, WithMatcher          MatchSampling, Match
//	MatchOn, MatchBody           MatchOnly
//	Filter, Scrub, WithHook      RedactFields, Redact
//	Passthrough, IgnoreHosts     PassThrough
//	WithTransport, Next          Upstream
//	Default, Install             echotest.SetDefault
package promptecho
