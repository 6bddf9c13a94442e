package canon

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// Texts like those of prompts: with line breaks, quotes, escapes, and characters
// beyond ASCII. A body with them has about 50 bytes for each field, and an
// escape in each 100 bytes. Recorded traffic has 44 to 73 bytes at the median,
// and 1.0 to 1.3 escapes in 100 bytes.
const (
	benchSystem = "You are the support agent of a furniture store — always polite, never pushy.\n\n" +
		"Answer in the customer's language (\"Grüezi\" is a greeting, too). Never promise a delivery date that get_order did " +
		"not return; say that you do not know, and when you will. Prices are in EUR (€) and include VAT.\n"
	benchAsk = "Hi! My order C-1042 (\"Söderhamn\" sofa, 3 seats) should have come on Monday, and I took the day off for it.\n" +
		"The tracking page has been saying that it is in transit for five days now. Can you find out where it is, please, and " +
		"tell me what you need from me to have it delivered on a Saturday? The papers are in C:\\orders.\tThanks, Zoë"
	benchReply = "I am sorry to hear that. The carrier scanned your parcel in Lyon on the 12th at 08:14; since then " +
		"there is no news of it. I have asked them to look for it, and will write to you as soon as they answer. If it is " +
		"not found by Friday we send another one, and a Saturday is possible: please tell me between which hours someone " +
		"can be at the door, and whether the stairs are wide enough for a box of 2.10 m by 0.95 m."
	benchResult = "Order C-1042: \"in transit\" with DPD, 1 parcel of 41.5 kg, last scanned 2026-01-12T08:14:00Z in Lyon.\n" +
		"Customer since 2019, Kunde zufrieden; no claims. Insured up to 1500 EUR. Delivery window asked for: Mon 08:00-12:00."
	benchSchema = `{"type":"object","properties":{"order_id":{"type":"string","description":"The number on the invoice, such as C-1042.","pattern":"^C-\\d{4}$"},` +
		`"fields":{"type":"array","items":{"type":"string","enum":["status","parcels","address"]},"minItems":1},` +
		`"limit":{"type":"integer","minimum":1,"maximum":50,"default":10}},"required":["order_id"],"additionalProperties":false}`
)

// benchBody returns a conversation with tools of about size bytes, as OpenAI's
// and Anthropic's clients write it.
func benchBody(openai bool, size int) []byte {
	q := func(s string) string {
		b, err := json.Marshal(s)
		if err != nil {
			panic(err)
		}
		return string(b)
	}
	messages, tools := []string{}, []string{}
	if openai {
		messages = append(messages, `{"role":"system","content":`+q(benchSystem)+`}`)
	}
	body := func() string {
		head := `{"model":"gpt-5.2","messages":[`
		if !openai {
			head = `{"model":"claude-opus-4-8","max_tokens":1024,"system":` + q(benchSystem) + `,"messages":[`
		}
		tail := `],"temperature":0.2,"stream":true}`
		if openai {
			tail = `],"temperature":0.2,"max_completion_tokens":1024,"stream":true,"stream_options":{"include_usage":true},"user":"u-77"}`
		}
		return head + strings.Join(messages, ",") + `],"tools":[` + strings.Join(tools, ",") + tail
	}
	for i := 0; len(body()) < size-200; i++ {
		messages = append(messages, `{"role":"user","content":`+q(benchAsk)+`}`)
		if size > 2048 {
			args := fmt.Sprintf(`{"order_id":"C-%d","fields":["status","parcels"],"limit":5}`, 1042+i)
			if openai {
				messages = append(messages,
					fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[{"id":"call_%d","type":"function","function":{"name":"get_order","arguments":%s}}]}`, i, q(args)),
					fmt.Sprintf(`{"role":"tool","tool_call_id":"call_%d","content":%s}`, i, q(benchResult)))
			} else {
				messages = append(messages,
					fmt.Sprintf(`{"role":"assistant","content":[{"type":"text","text":"Let me look."},{"type":"tool_use","id":"toolu_%d","name":"get_order","input":%s}]}`, i, args),
					fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%d","content":%s}]}`, i, q(benchResult)))
			}
			messages = append(messages, `{"role":"assistant","content":`+q(benchReply)+`}`)
		}
		if i > 1 {
			continue
		}
		if tool := fmt.Sprintf(`"name":"get_order_%d","description":"Returns what is known of an order: its \"status\" and parcels."`, i); openai {
			tools = append(tools, `{"type":"function","function":{`+tool+`,"parameters":`+benchSchema+`}}`)
		} else {
			tools = append(tools, `{`+tool+`,"input_schema":`+benchSchema+`}`)
		}
	}
	return []byte(body())
}

// BenchmarkForm measures the key of a request, and a simple key to compare it
// with: decode, marshal with sorted members, hash.
//
//	go test -run '^$' -bench Form ./internal/canon
func BenchmarkForm(b *testing.B) {
	for _, tt := range []struct {
		name, url string
		openai    bool
	}{{"openai", chatURL, true}, {"anthropic", messagesURL, false}} {
		for _, size := range []int{1024, 8192} {
			body := benchBody(tt.openai, size)
			req := &interaction.Request{Method: "POST", URL: tt.url, Body: body, Headers: interaction.Headers{
				{Name: "Content-Type", Values: []string{"application/json"}},
				{Name: "User-Agent", Values: []string{"bench/1"}},
			}}
			run := func(name string, f func() string) {
				b.Run(fmt.Sprintf("%s/%dKB/%s", tt.name, size/1024, name), func(b *testing.B) {
					b.SetBytes(int64(len(body)))
					b.ReportAllocs()
					for b.Loop() {
						if len(f()) != 16 {
							b.Fatal("no key")
						}
					}
				})
			}
			run("encoding-json", func() string { return jsonKey(b, body) })
			var rules Options
			run("canon", func() string { return rules.Form(req).Key() })
		}
	}
}

func jsonKey(b *testing.B, body []byte) string {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		b.Fatal(err)
	}
	sorted, err := json.Marshal(v)
	if err != nil {
		b.Fatal(err)
	}
	sum := sha256.Sum256(sorted)
	return hex.EncodeToString(sum[:8])
}
