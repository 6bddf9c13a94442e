package suite

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/openai/openai-go/v3"

	"github.com/promptecho/promptecho/echofake"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/interop/mutate/setup"
)

// An order is what a model reads from a mail.
type order struct {
	Item  string `json:"item"`
	Count int    `json:"count"`
	Paid  bool   `json:"paid"`
}

// mail is the prompt, and books the order in it.
const mail = "Read the order as JSON: please send three books, they are paid for."

var books = order{Item: "book", Count: 3, Paid: true}

// orderSchema is the schema of an order.
var orderSchema = map[string]any{
	"type": "object",
	"properties": map[string]any{
		"item":  map[string]any{"type": "string"},
		"count": map[string]any{"type": "integer"},
		"paid":  map[string]any{"type": "boolean"},
	},
	"required":             []string{"item", "count", "paid"},
	"additionalProperties": false,
}

// strictOrder asks for an order, which the provider keeps within the schema.
func strictOrder(ctx context.Context, rec echotest.Answerer) (o order, err error) {
	params := chatOf(mail)
	params.ResponseFormat.OfJSONSchema = &openai.ResponseFormatJSONSchemaParam{
		JSONSchema: openai.ResponseFormatJSONSchemaJSONSchemaParam{
			Name: "order", Schema: orderSchema, Strict: openai.Bool(true),
		},
	}
	client := setup.OpenAI(rec)
	answer, err := client.Chat.Completions.New(ctx, params)
	if err != nil {
		return o, err
	}
	err = json.Unmarshal([]byte(answer.Choices[0].Message.Content), &o)
	return o, err
}

// looseOrder asks for an order in words only.
func looseOrder(ctx context.Context, rec echotest.Answerer) (o order, err error) {
	text, err := ask(ctx, rec, mail)
	if err != nil {
		return o, err
	}
	err = json.Unmarshal([]byte(text), &o)
	return o, err
}

func TestOrderStrict(t *testing.T) {
	t.Parallel()
	got, err := strictOrder(t.Context(), setup.Recorder(t, echofake.JSON(books)))
	if err != nil || got != books {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestOrderStrictOneField(t *testing.T) {
	t.Parallel()
	got, err := strictOrder(t.Context(), setup.Recorder(t, echofake.JSON(books)))
	if err != nil || got.Item != "book" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestOrderStrictDecodes(t *testing.T) {
	t.Parallel()
	_, err := strictOrder(t.Context(), setup.Recorder(t, echofake.JSON(books)))
	if err != nil {
		t.Error(err)
	}
}

func TestOrderLoose(t *testing.T) {
	t.Parallel()
	got, err := looseOrder(t.Context(), setup.Recorder(t, echofake.JSON(books)))
	if err != nil || got != books {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestOrderLooseDecodes(t *testing.T) {
	t.Parallel()
	_, err := looseOrder(t.Context(), setup.Recorder(t, echofake.JSON(books)))
	if err != nil {
		t.Error(err)
	}
}
