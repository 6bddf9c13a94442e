// Package promptecho records the LLM API calls of a Go test into a YAML file,
// the cassette. Every later run replays them: no network, no key, no tokens. A
// [Recorder] is an [http.RoundTripper], so every client that takes an
// [http.Client] can use it:
//
//	rec := echotest.New(t) // testdata/cassettes/TESTNAME.yaml
//	client := openai.NewClient(
//		option.WithHTTPClient(rec.Client()),
//		option.WithAPIKey(rec.Secret("OPENAI_API_KEY")),
//	)
//
// The test fails if a request has no recording, or if a recording is not used.
// The report says which field changed, and has the command that records again.
// What to use:
//
//	a recorder, in a test        echotest.New; in another program: Open
//	tools, searches, memory      Wrap
//	time, random values          Recorder.Now, Recorder.Rand
//	keys, settings               Recorder.Secret, Recorder.Env
//	values of one run            MaskTimes, MaskUUIDs, MaskTempDirs, Mask, Ignore
//	more or less is compared     MatchSampling, Match, MatchOnly, Unordered
//	sent more or less often      AllowRepeats, AllowUnused, AllowRaced
//	equal concurrent requests    WithName
//	never called, really called  Frozen, Live, PassThrough
//	customers' data              RedactFields, Redact
//	recording again              -echo.mode, PROMPTECHO_MODE, InMode: see Mode
//	outputs, faults              packages echosnap and echofault
//
// [Recorder.RoundTrip] says what matches. Read on in docs/MATCHING.md,
// docs/MISSES.md (each report) and docs/RECIPES.md.
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
