// Package worded says the options of a recorder in the words that they have outside of Go: at the
// top of a cassette, and for promptecho serve.
package worded

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/cassette/yaml"
)

// options are those that need nothing of Go. One without parameters is given with true, one with
// two with a key and a value, and any number of values is a list.
var options = map[string]any{
	"alias":           promptecho.Alias,
	"allow_raced":     promptecho.AllowRaced,
	"allow_repeats":   promptecho.AllowRepeats,
	"allow_unused":    promptecho.AllowUnused,
	"frozen":          promptecho.Frozen,
	"ignore":          promptecho.Ignore,
	"keep_headers":    promptecho.KeepHeaders,
	"keep_uploads":    promptecho.KeepUploads,
	"mask":            promptecho.Mask,
	"mask_temp_dirs":  promptecho.MaskTempDirs,
	"mask_times":      promptecho.MaskTimes,
	"mask_uuids":      promptecho.MaskUUIDs,
	"match":           promptecho.Match,
	"match_only":      promptecho.MatchOnly,
	"match_sampling":  promptecho.MatchSampling,
	"on_record_error": onRecordError,
	"pace":            pace,
	"pass_through":    promptecho.PassThrough,
	"redact":          promptecho.Redact,
	"redact_fields":   promptecho.RedactFields,
	"unordered":       promptecho.Unordered,
}

func pace(factor string) promptecho.Option {
	x, err := strconv.ParseFloat(factor, 64)
	if err != nil {
		x = -1 // which Pace refuses
	}
	return promptecho.Pace(x)
}

var policies = []string{"warn", "fail", "keep"}

func onRecordError(policy string) promptecho.Option {
	return promptecho.OnRecordError(promptecho.RecordErrorPolicy(slices.Index(policies, policy)))
}

// Options reads options that stand on a line: {mask_times: true, ignore: [metadata/user]}.
func Options(line string) (promptecho.Option, error) {
	given, err := parse(line)
	if err != nil {
		return nil, err
	}
	var all []promptecho.Option
	for _, g := range given {
		o, err := g.option()
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	apply := reflect.MakeFunc(reflect.TypeFor[promptecho.Option](), func(config []reflect.Value) []reflect.Value {
		for _, o := range all {
			reflect.ValueOf(o).Call(config)
		}
		return nil
	})
	return apply.Interface().(promptecho.Option), nil
}

// A given is an option as it was said.
type given struct {
	name   string
	values []string
}

// option returns what an option is in Go.
func (g *given) option() (promptecho.Option, error) {
	f := reflect.ValueOf(options[g.name])
	if !f.IsValid() {
		return nil, fmt.Errorf("%s: there is no such option; known are %s", g.name, strings.Join(slices.Sorted(maps.Keys(options)), ", "))
	}
	t, isTrue := f.Type(), slices.Equal(g.values, []string{"true"})
	values, least := g.values, t.NumIn()
	switch {
	case t.NumIn() == 0 && !isTrue:
		return nil, fmt.Errorf("%s: write %[1]s: true, or leave it out", g.name)
	case g.name == "on_record_error" && (len(values) != 1 || !slices.Contains(policies, values[0])):
		return nil, fmt.Errorf("%s: write warn, fail or keep", g.name)
	case isTrue && (t.NumIn() == 0 || g.name == "allow_unused" || g.name == "allow_repeats"):
		values = nil
	}
	if t.IsVariadic() {
		least--
	}
	if len(values) < least || len(values) > least && !t.IsVariadic() {
		return nil, fmt.Errorf("%s: %s", g.name, map[string]string{
			"alias":      `write {"http://127.0.0.1:8080": search}: an origin and its name`,
			"mask":       `write {"req-[0-9]+": REQ}: an expression and its replacement`,
			"match_only": `write {llm: [model, messages]}: a selector and fields`,
		}[g.name]+map[bool]string{true: "it takes one value"}[least == 1 && !t.IsVariadic()])
	}
	in := make([]reflect.Value, len(values))
	for i, v := range values {
		in[i] = reflect.ValueOf(v)
	}
	return f.Call(in)[0].Interface().(promptecho.Option), nil
}

// parse reads a line of options. One with keys is there for each of them.
func parse(line string) (list []given, err error) {
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
			list = append(list, given{name, texts(value)})
			continue
		}
		for _, v := range value.Elems {
			list = append(list, given{name, append([]string{v.Key.Text}, texts(v)...)})
		}
	}
	return list, nil
}

func texts(n *yaml.Node) (list []string) {
	if n.Kind == yaml.Scalar {
		return []string{n.Text}
	}
	for _, e := range n.Elems {
		list = append(list, e.Text)
	}
	return list
}
