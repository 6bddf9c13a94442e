package stack

import (
	"runtime"
	"strconv"
	"strings"
)

// A Goroutine is one that lives.
type Goroutine struct {
	ID      uint64
	Frames  []Frame // what runs in it, the innermost first
	Creator Frame   // what started it; zero for the first one
	Parent  uint64  // the goroutine that did
}

// A Frame is a function and the line that runs.
type Frame struct {
	Function, File string
	Line           int
}

// ID returns the number of the goroutine of its caller. No other goroutine of the process
// has it or will have it.
func ID() uint64 {
	var head [64]byte // as long as "goroutine 18446744073709551615 "
	id, _ := header(string(head[:runtime.Stack(head[:], false)]))
	return id
}

// Ancestors returns the goroutine of its caller, the one that started it, and so on, as far
// as they live. It stops the program meanwhile: it is for what is about to fail.
func Ancestors() (chain []Goroutine) {
	all := map[uint64]Goroutine{}
	for _, g := range Parse(dump(true)) {
		all[g.ID] = g
	}
	for id := ID(); ; {
		g, ok := all[id]
		if !ok {
			return chain
		}
		chain = append(chain, g)
		delete(all, id)
		id = g.Parent
	}
}

// dump returns the stack of the goroutine of its caller, or those of all, as text.
func dump(all bool) string {
	const most = 64 << 20
	for size := 1 << 16; ; size *= 4 {
		text := make([]byte, size)
		if n := runtime.Stack(text, all); n < size || size >= most {
			return string(text[:n])
		}
	}
}

// header returns the number of a goroutine from the line above its stack: "goroutine 7
// [running]:", or "[originating from goroutine 7]:" for the one that started that above it.
func header(line string) (id uint64, ok bool) {
	rest, ok := strings.CutPrefix(line, "goroutine ")
	number, _, _ := strings.Cut(rest, " ")
	if !ok {
		if number, ok = strings.CutPrefix(line, "[originating from goroutine "); ok {
			number, ok = strings.CutSuffix(number, "]:")
		}
	}
	id, err := strconv.ParseUint(number, 10, 64)
	return id, ok && err == nil
}

// Parse reads stacks as runtime.Stack writes them, also with GODEBUG=tracebackancestors. It
// leaves out what it does not know.
func Parse(text string) (list []Goroutine) {
	lines := strings.Split(text, "\n")
	known := false // whose lines these are
	for i := 0; i < len(lines); i++ {
		if id, ok := header(lines[i]); ok {
			list, known = append(list, Goroutine{ID: id}), true
			continue
		}
		if known = known && lines[i] != "" && i+1 < len(lines); !known {
			continue
		}
		place, ok := strings.CutPrefix(lines[i+1], "\t")
		if !ok {
			continue // frames that are left out
		}
		g := &list[len(list)-1]
		file, rest := cutLast(place, ":")
		number, _, _ := strings.Cut(rest, " ")
		line, _ := strconv.Atoi(number)
		f := Frame{File: file, Line: line}
		if by, ok := strings.CutPrefix(lines[i], "created by "); ok {
			var parent string
			f.Function, parent, _ = strings.Cut(by, " in goroutine ")
			g.Creator = f
			g.Parent, _ = strconv.ParseUint(parent, 10, 64)
		} else {
			f.Function, _ = cutLast(lines[i], "(")
			g.Frames = append(g.Frames, f)
		}
		i++
	}
	return list
}

// cutLast cuts a text at the last place where sep stands, if there is one.
func cutLast(s, sep string) (before, after string) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):]
	}
	return s, ""
}

// CallerIn returns the innermost place in the user's code of goroutines of which each was
// started by the next one, as [Caller] does for the first one of them; "" if there is none.
func CallerIn(chain []Goroutine) string {
	p := newPlace()
	for i, g := range chain {
		if i == 0 { // what the others wait for is not what they started
			for _, f := range g.Frames {
				p.add(f.Function, f.File, f.Line)
			}
		}
		p.add(g.Creator.Function, g.Creator.File, g.Creator.Line)
	}
	return p.String()
}

// TestIn returns the name of the test function that goroutines come from, of which each was
// started by the next one; "" if there is none. A subtest has the name of its test.
func TestIn(chain []Goroutine) string {
	for _, g := range chain {
		for i := len(g.Frames) - 1; i >= 0; i-- {
			if name := testFunction(g.Frames[i].Function); name != "" {
				return name
			}
		}
		if name := testFunction(g.Creator.Function); name != "" {
			return name
		}
	}
	return ""
}

// testFunction returns the test that a function is, or is a part of: TestX of
// "example.com/app.TestX.func1". It returns "" if it is none.
func testFunction(function string) string {
	function = function[strings.LastIndex(function, "/")+1:]
	parts := strings.Split(function, ".")
	for _, part := range parts[1:] {
		for _, kind := range [...]string{"Test", "Benchmark", "Fuzz", "Example"} {
			if strings.HasPrefix(part, kind) && part != "TestMain" {
				return part
			}
		}
	}
	return ""
}
