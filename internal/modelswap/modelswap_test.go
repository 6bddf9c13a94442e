package modelswap

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// What the command writes into the environment is what a recorder reads.
func TestEnvironment(t *testing.T) {
	t.Setenv("GROQ_KEY_OF_TEST", "x")
	for _, tt := range []struct {
		models    []string
		base, key string
		repeat    int
		names     string
	}{
		{models: []string{"new"}, repeat: 1, names: "new"},
		{models: []string{"us.a.b-v1:0", "old=org/new"}, repeat: 3, names: "us.a.b-v1:0, org/new for old"},
		{base: "https://h/v1", key: "GROQ_KEY_OF_TEST", repeat: 1, names: "h"},
		{models: []string{"new"}, base: "http://127.0.0.1:1", repeat: 1, names: "new at 127.0.0.1:1"},
	} {
		want, err := New(tt.models, tt.base, tt.key, tt.repeat)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range want.Environment() {
			name, value, _ := strings.Cut(v, "=")
			t.Setenv(name, value)
		}
		got, err := FromEnvironment()
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
		if got.Names() != tt.names {
			t.Errorf("names %q, want %q", got.Names(), tt.names)
		}
	}
	for _, name := range Variables {
		os.Unsetenv(name)
	}
	if s, err := FromEnvironment(); s != nil || err != nil {
		t.Errorf("without variables: %+v, %v", s, err)
	}
}

// A wrong value is an error, which shows no text that may be a secret.
func TestWrongValuesAreRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		models    []string
		base, key string
		repeat    int
		want      string
	}{
		{repeat: 1, want: "no other model and no other provider"},
		{models: []string{""}, repeat: 1, want: `"" is not a model`},
		{models: []string{"=new"}, repeat: 1, want: `"=new" is not a model`},
		{models: []string{"a=b=c"}, repeat: 1, want: "is not a model"},
		{models: []string{"new model"}, repeat: 1, want: "is not a model"},
		{models: []string{"a", "b"}, repeat: 1, want: "for the same calls already"},
		{models: []string{"a"}, want: "from 1 to 100 times"},
		{models: []string{"a"}, repeat: 101, want: "from 1 to 100 times"},
		{models: []string{"a"}, key: "KEY", repeat: 1, want: "the key is for another provider"},
		{base: "api.groq.com/v1", repeat: 1, want: "needs an address"},
		{base: "https://u:echo-secret-a@h/v1", repeat: 1, want: "no key into the address"},
		{base: "https://h/v1?key=echo-secret-a", repeat: 1, want: "no key into the address"},
		{base: "https://h/v1", key: "echo-secret-a", repeat: 1, want: "name of an environment variable"},
		{base: "https://h/v1", key: "NO_SUCH_KEY_OF_TEST", repeat: 1, want: "NO_SUCH_KEY_OF_TEST is empty"},
	} {
		_, err := New(tt.models, tt.base, tt.key, tt.repeat)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v", tt, err)
			continue
		}
		if strings.Contains(err.Error(), "echo-secret") {
			t.Errorf("the error has the key: %v", err)
		}
	}
}

// The table in the comment of For is right.
func TestModelsForCalls(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		models  []string
		a, b, c string // for a chat of a, a chat of b, an embedding of c; "" for not asked
	}{
		{models: []string{"NEW"}, a: "NEW", b: "NEW"},
		{models: []string{"a=NEW"}, a: "NEW"},
		{models: []string{"a=X", "NEW"}, a: "X", b: "NEW"},
		{models: []string{"c=NEW"}, c: "NEW"},
		{a: "a", b: "b"},
	} {
		s, err := New(tt.models, "http://h", "", 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range []struct {
			model  string
			isChat bool
			want   string
		}{{"a", true, tt.a}, {"b", true, tt.b}, {"c", false, tt.c}} {
			got, isAsked := s.For(call.model, call.isChat)
			if got != call.want || isAsked != (call.want != "") {
				t.Errorf("%v: %s becomes %q, %v, want %q", tt.models, call.model, got, isAsked, call.want)
			}
		}
	}
	if _, isAsked := (*Swap)(nil).For("a", true); isAsked {
		t.Error("without a swap, another model is asked")
	}
}
