package interop

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
)

// What only OpenAI's Responses API has.

// An agent that leaves its conversation with the provider, by previous_response_id, replays.
func TestOpenAIResponsesPreviousID(t *testing.T) { t.Parallel(); testPreviousID(t, false) }

// Streamed responses with previous_response_id replay.
func TestOpenAIResponsesPreviousIDStream(t *testing.T) { t.Parallel(); testPreviousID(t, true) }

// testPreviousID is an agent that leaves the conversation with the provider: each
// turn sends only what the tools said and the id of the response that asked for
// it. In replay that id is the recorded one, so the turns follow each other.
func testPreviousID(t *testing.T, stream bool) {
	cassette := recordReplay(t, toolTurns, func(t *testing.T, e env, see *notes) {
		c := openaiClient(e, "/v1")
		p := responsesParams(toolPlan)
		for _, name := range toolNames {
			p.Tools = append(p.Tools, responses.ToolParamOfFunction(name, schema, false))
		}
		turns, parallel := 0, 0
		for turns < 10 {
			turns++
			var r *responses.Response
			if stream {
				r = streamResponse(t, c, p, see)
			} else {
				var err error
				if r, err = c.Responses.New(t.Context(), p); err != nil {
					t.Fatal(err)
				}
				see.add("%s", r.RawJSON())
			}
			var results responses.ResponseInputParam
			for _, item := range r.Output {
				if call, ok := item.AsAny().(responses.ResponseFunctionToolCall); ok {
					results = append(results, responses.ResponseInputItemUnionParam{OfFunctionCallOutput: &responses.ResponseInputItemFunctionCallOutputParam{
						CallID: openai.String(call.CallID),
						Output: responses.ResponseInputItemFunctionCallOutputOutputUnionParam{OfString: openai.String("result of " + call.Name)},
					}})
				}
			}
			if len(results) == 0 {
				break
			}
			parallel = max(parallel, len(results))
			p.PreviousResponseID = openai.String(r.ID)
			p.Input = responses.ResponseNewParamsInputUnion{OfInputItemList: results}
		}
		if turns != toolTurns || parallel < 2 {
			t.Errorf("%d turns with at most %d calls each, want %d turns, one with 2 calls", turns, parallel, toolTurns)
		}
	})
	// The ids are in the requests, and in the answers that repeat them.
	if !strings.Contains(cassette, "previous_response_id: resp_standin000004") {
		t.Error("the cassette does not link the last turn to the one before")
	}
}

// Structured output of the Responses API replays.
func TestOpenAIResponsesStructuredOutput(t *testing.T) {
	t.Parallel()
	recordReplay(t, 2, func(t *testing.T, e env, see *notes) {
		c := openaiClient(e, "/v1")
		p := responsesParams("The weather in Paris for 3 days")
		p.Text = responses.ResponseTextConfigParam{Format: responses.ResponseFormatTextConfigUnionParam{
			OfJSONSchema: &responses.ResponseFormatTextJSONSchemaConfigParam{Name: "weather", Schema: schema, Strict: openai.Bool(false)},
		}}
		plain, err := c.Responses.New(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		see.add("%s", plain.RawJSON())
		for _, r := range []*responses.Response{plain, streamResponse(t, c, p, see)} {
			var v struct{ City string }
			if err := json.Unmarshal([]byte(r.OutputText()), &v); err != nil || v.City != "Paris" {
				t.Errorf("structured answer %q: %v", r.OutputText(), err)
			}
		}
	})
}
