package promptecho

// A Mode says what a recorder replays and what it may send upstream. The mode
// is the first of these that is set:
//
//   - the flag -echo.mode of the test; -echo.record is -echo.mode=all
//   - the environment variable PROMPTECHO_MODE
//   - none where CI is set
//   - the mode of [InMode], which also limits what flag and variable can allow
//   - once
type Mode string

// The record modes.
const (
	// ModeNone replays and never uses the network, except for what
	// [PassThrough] names: a request that is not recorded is a miss. It is the
	// default where CI is set.
	ModeNone Mode = "none"

	// ModeCompare replays like ModeNone and never writes. When the test is
	// over, it sends the replayed model calls upstream as well, one after the
	// other. Then it compares the answers with the recorded ones.
	//
	// An answer that has drifted fails the test: other tool calls, another
	// finish reason, another shape of its JSON, another status or model. Other
	// wording does not; it is shown. Calls to other servers, calls of tools,
	// and calls that start or poll jobs are not sent. ModeCompare is never a
	// default: choose it by flag, by environment or with [InMode].
	ModeCompare Mode = "compare"

	// ModeOnce records if the cassette is absent, completes it if it is partial,
	// and otherwise replays like ModeNone. It is the default where CI is not set.
	ModeOnce Mode = "once"

	// ModeNewEpisodes replays what is recorded, records what is not, and saves
	// both.
	ModeNewEpisodes Mode = "new_episodes"

	// ModeUpdate replays what is recorded, and records what is not. It drops
	// the recordings that a complete, passing run did not use, except what
	// [AllowUnused] accepts. So after an edit you pay only for what has
	// changed, and nothing stale stays.
	//
	// The cassette is not touched if a request was replayed and a later one
	// fails with a status of 400 to 499, except 429. The later request may
	// refer to something that no longer exists, such as a response id or a
	// cache. After an edit in the middle of a conversation that a server or a
	// function keeps, use ModeAll: what is replayed does not reach them.
	ModeUpdate Mode = "update"

	// ModeAll records everything and replaces the cassette at the end, if the complete run passed.
	// [Recorder.Close] says what happens where that is not known.
	ModeAll Mode = "all"

	// ModeLive passes everything through. It writes no cassette, and reads one only for calls that
	// are [Frozen].
	ModeLive Mode = "live"
)
