package recorder

import (
	"os"
	"strconv"
	"strings"
)

// ForkVariable is the environment variable in which promptecho record -from names the cassette whose
// conversation is forked: its absolute path and the number of the first interaction that is recorded
// again, "/a/c.yaml#3". With "#here" behind them, the cassette itself gets the new recordings.
const ForkVariable = "PROMPTECHO_FORK"

// A fork is a run that plays the first recordings of a cassette, and records the rest.
type fork struct {
	first  int  // the number of the first interaction that is recorded again, from 1
	isHere bool // the cassette gets the new recordings, and not NAME.derived.yaml
}

// ForkValue returns the value of [ForkVariable].
func ForkValue(path string, first int, isHere bool) string {
	value := path + "#" + strconv.Itoa(first)
	if isHere {
		value += "#here"
	}
	return value
}

// forkOf returns the fork of the cassette at a path; nil if it is not forked.
func forkOf(m Mode, path string) (*fork, error) {
	if m != ModeFork {
		return nil, nil
	}
	value := os.Getenv(ForkVariable)
	rest, isHere := strings.CutSuffix(value, "#here")
	at := strings.LastIndexByte(rest, '#')
	first := 0
	if at >= 0 {
		first, _ = strconv.Atoi(rest[at+1:]) // 0 for what is no number
	}
	if first < 1 {
		return nil, prefixed("mode %s needs %s: use promptecho record -from CALL", m, ForkVariable)
	}
	if rest[:at] != path {
		return nil, nil
	}
	return &fork{first, isHere}, nil
}

// plan returns the plan of the run.
func (f *fork) plan() plan {
	p := plan{record: true, forks: true}
	if f.isHere {
		p.dropUnused = true
	} else {
		p.derive = true
		p.saveDerived = true
	}
	return p
}
