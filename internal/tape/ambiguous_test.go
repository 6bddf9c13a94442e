package tape

import (
	"slices"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A sentRequest is a request of a run that records, and its response.
type sentRequest struct {
	url  string
	resp interaction.Response
}

// redirectTo returns a redirect to an address.
func redirectTo(url string) interaction.Response {
	return interaction.Response{
		Status:  302,
		Headers: interaction.Headers{{Name: "location", Values: []string{url}}},
	}
}

// brokenOff returns a response whose connection broke.
func brokenOff() interaction.Response {
	resp := body(interaction.EndError, "{")
	resp.Error = "EOF"
	return resp
}

// The addresses of two local servers.
const (
	serverA = "http://127.0.0.1:8001"
	serverB = "http://127.0.0.1:8002"
)

// Two local servers that answer one request differently are reported, since
// they have other ports in the next run.
func TestAmbiguousServers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		requests []sentRequest
		want     []string
	}{{
		"two servers answer differently",
		[]sentRequest{{serverA + "/x", says("one")}, {serverB + "/x", says("two")}},
		[]string{serverA, serverB},
	}, {
		"a server with TLS answers differently",
		[]sentRequest{{serverA + "/x", says("one")}, {"https://127.0.0.1:8002/x", says("two")}},
		[]string{serverA, "https://127.0.0.1:8002"},
	}, {
		"two servers answer the same",
		[]sentRequest{{serverA + "/x", says("one")}, {serverB + "/x", says("one")}},
		nil,
	}, {
		"one server answers differently over time",
		[]sentRequest{{serverA + "/x", says("one")}, {serverA + "/x", says("two")}},
		nil,
	}, {
		"one server has two names",
		[]sentRequest{{"http://localhost:8001/x", says("one")}, {serverA + "/x", says("two")}},
		nil,
	}, {
		"one server has the address of IPv6, too",
		[]sentRequest{{"http://[::1]:8001/x", says("one")}, {serverA + "/x", says("two")}},
		nil,
	}, {
		"one server at the usual port has two names",
		[]sentRequest{{"http://localhost/x", says("one")}, {"http://[::1]/x", says("two")}},
		nil,
	}, {
		"two servers at the usual port",
		[]sentRequest{{"http://127.0.0.1/x", says("one")}, {"http://127.0.0.2/x", says("two")}},
		[]string{"http://127.0.0.1", "http://127.0.0.2"},
	}, {
		"the second server is not local",
		[]sentRequest{{serverA + "/x", says("one")}, {"https://api.example.com/x", says("two")}},
		nil,
	}, {
		"one server is not ready yet",
		[]sentRequest{{serverA + "/x", says("ok")}, {serverB + "/x", fails(503)}, {serverB + "/x", says("ok")}},
		nil,
	}, {
		"the connection to one server broke",
		[]sentRequest{
			{serverA + "/x", says("ok")},
			{serverB + "/x", brokenOff()},
		},
		nil,
	}, {
		"one server is polled more often",
		[]sentRequest{
			{serverA + "/x", says("running")}, {serverA + "/x", says("running")}, {serverA + "/x", says("done")},
			{serverB + "/x", says("running")}, {serverB + "/x", says("done")},
		},
		nil,
	}, {
		"a third server answers differently",
		[]sentRequest{
			{serverA + "/x", says("one")}, {serverB + "/x", says("one")},
			{"http://127.0.0.1:8003/x", says("two")},
		},
		[]string{serverA, "http://127.0.0.1:8003"},
	}, {
		"two servers redirect to themselves",
		[]sentRequest{{serverA + "/x", redirectTo(serverA + "/y")}, {serverB + "/x", redirectTo(serverB + "/y")}},
		nil,
	}, {
		"two servers redirect to different places",
		[]sentRequest{
			{serverA + "/x", redirectTo("https://a.example.com/")},
			{serverB + "/x", redirectTo("https://b.example.com/")},
		},
		[]string{serverA, serverB},
	}, {
		"one server redirects twice, each time to another place",
		[]sentRequest{
			{serverA + "/x", redirectTo("https://a.example.com/")},
			{serverA + "/x", redirectTo("https://b.example.com/")},
			{serverB + "/x", redirectTo("https://a.example.com/")},
			{serverB + "/x", redirectTo("https://c.example.com/")},
		},
		[]string{serverA, serverB},
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			run := update(t)
			for _, sent := range tt.requests {
				recordCall(t, run, get(sent.url), sent.resp)
			}
			run.Close()
			wantServers(t, run.AmbiguousServers(nil), tt.want)
		})
	}
}

// wantServers compares the addresses of ambiguous servers.
func wantServers(t *testing.T, found *AmbiguousServers, want []string) {
	t.Helper()
	var got []string
	if found != nil {
		got = found.Addresses
	}
	if !slices.Equal(got, want) {
		t.Errorf("the servers are %v, want %v", got, want)
	}
}

// A recorded response counts as one of the server that was asked in this run,
// since the server had another port when it was recorded.
func TestAmbiguousServersAfterAnUpdate(t *testing.T) {
	t.Parallel()
	const oldPort = "http://127.0.0.1:7001"
	all := canon.Selectors{"**"}
	tests := []struct {
		name        string
		recordings  []*interaction.Interaction
		played      []string
		recorded    []sentRequest
		allowUnused canon.Selectors
		want        []string
	}{{
		"the server of the recording answers again, at another port",
		exchanges{exchange(get(oldPort+"/x"), says("one"))},
		[]string{serverA + "/x"}, []sentRequest{{serverA + "/x", says("two")}}, nil,
		nil,
	}, {
		"another server answers differently",
		exchanges{exchange(get(oldPort+"/x"), says("one"))},
		[]string{serverA + "/x"}, []sentRequest{{serverB + "/x", says("two")}}, nil,
		[]string{serverA, serverB},
	}, {
		"a single recording, which is not used",
		exchanges{exchange(get(oldPort+"/x"), says("one"))},
		nil, nil, nil,
		nil,
	}, {
		"an unused recording: the run is incomplete",
		exchanges{
			exchange(get(oldPort+"/x"), says("one")), exchange(get("http://127.0.0.1:7002/x"), says("two")),
		},
		[]string{oldPort + "/x"}, nil, nil,
		nil,
	}, {
		"an unused recording that may stay unused",
		exchanges{
			exchange(get(oldPort+"/x"), says("one")), exchange(get("http://127.0.0.1:7002/x"), says("two")),
		},
		[]string{oldPort + "/x"}, nil, all,
		[]string{oldPort, "http://127.0.0.1:7002"},
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			run := update(t, tt.recordings...)
			for _, url := range tt.played {
				if m := send(t, run, get(url)); m.Recording == nil {
					t.Fatalf("%s is not played", url)
				}
			}
			for _, sent := range tt.recorded {
				recordCall(t, run, get(sent.url), sent.resp)
			}
			run.Close()
			wantServers(t, run.AmbiguousServers(tt.allowUnused), tt.want)
		})
	}
}

// What a killed run left, and this run did not ask for, proves nothing about
// the servers: it is not saved.
func TestAmbiguousServersAfterAKilledRun(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		asked []string
		want  []string
	}{
		{"one server is asked", []string{serverA}, nil},
		{"both servers are asked", []string{serverA, serverB}, []string{serverA, serverB}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			killed := update(t)
			recordCall(t, killed, get(serverA+"/x"), says("one"))
			recordCall(t, killed, get(serverB+"/x"), says("two"))
			run := resume(t, killed)
			for _, server := range tt.asked {
				send(t, run, get(server+"/x"))
			}
			run.Close()
			wantServers(t, run.AmbiguousServers(canon.Selectors{"**"}), tt.want)
		})
	}
}

// A fieldRequest is a request of a run that records, with fields that are not
// written, and its response.
type fieldRequest struct {
	unrecorded Unrecorded
	resp       interaction.Response
}

// A field that is not written, but decides the response, is reported: a replay
// could not tell the requests apart.
func TestAmbiguousFields(t *testing.T) {
	t.Parallel()
	account := func(hash uint64) Unrecorded { return Unrecorded{"header/x-account": hash} }
	cookie := func(hash uint64) Unrecorded { return Unrecorded{CookiePath + "sid": hash} }
	setsCookie := says("one")
	setsCookie.Headers = interaction.Headers{{Name: "set-cookie", Values: []string{"sid=1; Path=/"}}}
	tests := []struct {
		name     string
		requests []fieldRequest
		want     []string
	}{{
		"two accounts, two responses",
		[]fieldRequest{{account(1), says("one")}, {account(2), says("two")}},
		[]string{"header/x-account"},
	}, {
		"two accounts, one response",
		[]fieldRequest{{account(1), says("one")}, {account(2), says("one")}},
		nil,
	}, {
		"one account, two responses",
		[]fieldRequest{{account(1), says("one")}, {account(1), says("two")}},
		nil,
	}, {
		"a request without the header is another one",
		[]fieldRequest{{Unrecorded{"header/x-other": 1}, says("one")}, {account(2), says("two")}},
		[]string{"header/x-account", "header/x-other"},
	}, {
		"a token that was refused is replaced",
		[]fieldRequest{{account(1), fails(401)}, {account(2), says("two")}},
		nil,
	}, {
		"a busy server is asked again with another token",
		[]fieldRequest{{account(1), fails(503)}, {account(2), says("two")}},
		nil,
	}, {
		"two users with two cookies",
		[]fieldRequest{{cookie(1), says("one")}, {cookie(2), says("two")}},
		[]string{CookiePath + "sid"},
	}, {
		"a request without a cookie may be the one that sets it",
		[]fieldRequest{{Unrecorded{}, says("one")}, {cookie(1), says("two")}},
		nil,
	}, {
		"a cookie that the server sets differs with each response",
		[]fieldRequest{{cookie(1), setsCookie}, {cookie(2), says("two")}},
		nil,
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			run := update(t)
			recordCall(t, run, prompt("first"), says("x"))
			for _, sent := range tt.requests {
				rec := recordCall(t, run, prompt("hi"), sent.resp)
				run.KeepUnrecorded(rec, sent.unrecorded)
			}
			run.Close()
			var got []string
			for _, field := range run.AmbiguousFields() {
				got = append(got, field.Path)
				if field.First != 2 || field.Second != 3 || field.Form.Endpoint != "openai.chat" {
					t.Errorf("got %+v", field)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("the fields are %v, want %v", got, tt.want)
			}
		})
	}
}

// A field is reported once, also if several requests show that it decides.
func TestAmbiguousFieldIsReportedOnce(t *testing.T) {
	t.Parallel()
	run := update(t)
	for _, text := range []string{"hi", "other"} {
		for hash := range uint64(2) {
			answer := "one"
			if hash == 1 {
				answer = "two"
			}
			rec := recordCall(t, run, prompt(text), says(answer))
			run.KeepUnrecorded(rec, Unrecorded{"header/x-account": hash + 1})
		}
	}
	run.Close()
	if fields := run.AmbiguousFields(); len(fields) != 1 || fields[0].Second != 2 {
		t.Errorf("got %+v", fields)
	}
}
