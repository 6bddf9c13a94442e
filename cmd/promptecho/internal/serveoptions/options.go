// Package serveoptions reads and writes the options of a recorder as they are written outside of Go:
// at the top of a cassette, and for promptecho serve.
package serveoptions

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/recorder"
)

const (
	aliasUsage     = `write {"http://127.0.0.1:8080": search}: an origin and its name`
	maskUsage      = `write {"req-[0-9]+": REQ}: an expression and its replacement`
	matchOnlyUsage = `write {llm: [model, messages]}: a selector and fields`
)

// options has the options by their names, without those whose arguments must be Go values.
var options = map[string]option{
	"alias":           pair((*recorder.Config).Alias, aliasUsage),
	"allow_raced":     onOff((*recorder.Config).AllowRaced),
	"allow_repeats":   listOrAll((*recorder.Config).AllowRepeats),
	"allow_unused":    listOrAll((*recorder.Config).AllowUnused),
	"frozen":          list((*recorder.Config).Frozen),
	"ignore":          list((*recorder.Config).Ignore),
	"keep_headers":    list((*recorder.Config).KeepHeaders),
	"keep_uploads":    onOff((*recorder.Config).KeepUploads),
	"mask":            pair((*recorder.Config).Mask, maskUsage),
	"mask_temp_dirs":  onOff((*recorder.Config).MaskTempDirs),
	"mask_times":      onOff((*recorder.Config).MaskTimes),
	"mask_uuids":      onOff((*recorder.Config).MaskUUIDs),
	"match":           list((*recorder.Config).Match),
	"match_only":      keyAndList((*recorder.Config).MatchOnly, matchOnlyUsage),
	"match_sampling":  onOff((*recorder.Config).MatchSampling),
	"on_record_error": oneOf(policies, setPolicy),
	"pace":            one(setPace),
	"pass_through":    list((*recorder.Config).PassThrough),
	"redact":          list((*recorder.Config).Redact),
	"redact_fields":   list((*recorder.Config).RedactFields),
	"unordered":       list((*recorder.Config).Unordered),
}

// An option takes the values that a line has for it, and returns a function that sets the
// option. The error says what to write in place of the values.
type option func(values []string) (func(*recorder.Config), error)

// errNotOn says that an option that has no values is not true.
var errNotOn = errors.New("it can only be true")

// onOff returns an option without values. It is written as true.
func onOff(set func(*recorder.Config)) option {
	return func(values []string) (func(*recorder.Config), error) {
		if !isTrue(values) {
			return nil, errNotOn
		}
		return set, nil
	}
}

// one returns an option with one value.
func one(set func(*recorder.Config, string)) option {
	return func(values []string) (func(*recorder.Config), error) {
		if len(values) != 1 {
			return nil, errors.New("it takes one value")
		}
		return func(c *recorder.Config) { set(c, values[0]) }, nil
	}
}

// oneOf returns an option with one of these values.
func oneOf(known []string, set func(*recorder.Config, string)) option {
	return func(values []string) (func(*recorder.Config), error) {
		if len(values) != 1 || !slices.Contains(known, values[0]) {
			return nil, fmt.Errorf("write %s or %s", strings.Join(known[:len(known)-1], ", "), known[len(known)-1])
		}
		return func(c *recorder.Config) { set(c, values[0]) }, nil
	}
}

// pair returns an option with a key and a value.
func pair(set func(c *recorder.Config, key, value string), usage string) option {
	return func(values []string) (func(*recorder.Config), error) {
		if len(values) != 2 {
			return nil, errors.New(usage)
		}
		return func(c *recorder.Config) { set(c, values[0], values[1]) }, nil
	}
}

// keyAndList returns an option with a key and any number of values.
func keyAndList(set func(c *recorder.Config, key string, values ...string), usage string) option {
	return func(values []string) (func(*recorder.Config), error) {
		if len(values) == 0 {
			return nil, errors.New(usage)
		}
		return func(c *recorder.Config) { set(c, values[0], values[1:]...) }, nil
	}
}

// list returns an option with any number of values.
func list(set func(c *recorder.Config, values ...string)) option {
	return func(values []string) (func(*recorder.Config), error) {
		return func(c *recorder.Config) { set(c, values...) }, nil
	}
}

// listOrAll returns an option with any number of values. Without a value it is
// for everything, and is written as true.
func listOrAll(set func(c *recorder.Config, values ...string)) option {
	return func(values []string) (func(*recorder.Config), error) {
		if isTrue(values) {
			values = nil
		}
		return list(set)(values)
	}
}

func isTrue(values []string) bool { return slices.Equal(values, []string{"true"}) }

func setPace(c *recorder.Config, factor string) {
	x, err := strconv.ParseFloat(factor, 64)
	if err != nil {
		x = -1 // Pace refuses it
	}
	c.Pace(x)
}

// policies are the names of the policies of OnRecordError, in their order.
var policies = []string{"warn", "fail", "keep"}

func setPolicy(c *recorder.Config, name string) {
	c.OnRecordError(recorder.RecordErrorPolicy(slices.Index(policies, name)))
}

// Options reads a line of options, such as {mask_times: true, ignore: [metadata/user]}, and
// returns a function that sets them.
func Options(line string) (func(*recorder.Config), error) {
	written, err := parse(line)
	if err != nil {
		return nil, err
	}
	var all []func(*recorder.Config)
	for _, w := range written {
		read, ok := options[w.name]
		if !ok {
			known := strings.Join(slices.Sorted(maps.Keys(options)), ", ")
			return nil, fmt.Errorf("%s: there is no such option; known are %s", w.name, known)
		}
		set, err := read(w.values)
		if errors.Is(err, errNotOn) {
			return nil, fmt.Errorf("%s: write %s: true, or leave it out", w.name, w.name)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.name, err)
		}
		all = append(all, set)
	}
	return func(c *recorder.Config) { group.Apply(all, c) }, nil
}

// A setting is an option with the values that a line has for it.
type setting struct {
	name   string
	values []string
}

// parse reads a line of options. An option with several keys, such as {mask: {a: A, b: B}}, is
// one setting for each key.
func parse(line string) (list []setting, err error) {
	root, yerr := yaml.Format{Name: "a line of options", Tags: []string{"!!str", "!!binary"}}.Parse(line)
	if yerr != nil {
		return nil, errors.New(yerr.Msg)
	}
	if root.Kind != yaml.Mapping || !strings.HasPrefix(strings.TrimSpace(line), "{") {
		return nil, errors.New("write them in braces, such as {mask_times: true, ignore: [metadata/user]}")
	}
	for _, value := range root.Elems {
		name := value.Key.Text
		if value.Kind != yaml.Mapping {
			list = append(list, setting{name, texts(value)})
			continue
		}
		for _, v := range value.Elems {
			list = append(list, setting{name, append([]string{v.Key.Text}, texts(v)...)})
		}
	}
	return list, nil
}

// texts returns the text of a scalar, or those of the elements of a list.
func texts(n *yaml.Node) (list []string) {
	if n.Kind == yaml.Scalar {
		return []string{n.Text}
	}
	for _, e := range n.Elems {
		list = append(list, e.Text)
	}
	return list
}
