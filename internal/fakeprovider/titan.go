package fakeprovider

import (
	"fmt"
	"slices"
)

// titanText is Bedrock's InvokeModel, plain and streamed, of Amazon's Titan Text
// models, which have no tools and no reasoning
// (https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-text.html).
var titanText = family{
	name:   "bedrock.titan",
	vendor: aws,
	owns:   bedrockInvoke("amazon.titan-text", "amazon.titan-tg1"),
	read:   readTitanText,
	write:  writeTitanText,
}

func readTitanText(c *call) (prompt, *Problem) {
	if p := bedrockFields(c, "inputText"); p != nil {
		return prompt{}, p
	}
	config := c.body.sub("textGenerationConfig")
	return prompt{
		turns: []turn{{role: "user", text: c.body.text("inputText")}},
		limit: config.number("maxTokenCount"),
		stops: stopsOf(config.get("stopSequences")),
	}, nil
}

// titanFinish are the completion reasons of Titan.
var titanFinish = map[string]string{
	FinishStop:     "FINISHED",
	FinishLength:   "LENGTH",
	FinishSequence: "STOP_CRITERIA_MET",
	FinishCalls:    "FINISHED",
	FinishFilter:   "CONTENT_FILTERED",
	FinishRefusal:  "CONTENT_FILTERED",
}

func writeTitanText(c *call, _ prompt, replies []Reply) *answer {
	r := replies[0]
	reason := finish(r.Finish, titanFinish)
	if !bedrockStreams(c.path) {
		return invokeBody(object{
			{"inputTextTokenCount", r.Usage.Input},
			{"results", []object{{
				{"tokenCount", r.Usage.Output},
				{"outputText", r.Text + r.Refusal},
				{"completionReason", reason},
			}}},
		}, r.Usage)
	}

	pieces := append([]string{}, r.pieces()...)
	pieces = append(pieces, r.refusalPieces()...)
	if len(pieces) == 0 && r.Broken == nil {
		pieces = []string{""}
	}
	var events []object
	for i, piece := range pieces {
		isLast := i == len(pieces)-1 && r.Broken == nil
		events = append(events, titanEvent(r, piece, isLast))
	}
	return invokeStream(events, r)
}

// titanEvent is a piece of a text. The last piece has the completion reason and the
// number of tokens.
func titanEvent(r Reply, piece string, isLast bool) object {
	var total, reason any
	if isLast {
		total = r.Usage.Output
		reason = finish(r.Finish, titanFinish)
	}
	return object{
		{"outputText", piece},
		{"index", 0},
		{"totalOutputTextTokenCount", total},
		{"completionReason", reason},
		{"inputTextTokenCount", r.Usage.Input},
	}
}

// titanEmbeddings is Bedrock's InvokeModel of Amazon's Titan embeddings of texts, of
// version 1 and 2
// (https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html).
// All vectors that are made from texts are normalized, and those of pictures are not
// there.
var titanEmbeddings = family{
	vectors: true,
	name:    "bedrock.titan_embeddings",
	vendor:  aws,
	owns:    bedrockInvoke("amazon.titan-embed-text", "amazon.titan-embed-g1-text"),
	read:    readTitanEmbeddings,
	write:   writeTitanEmbeddings,
}

func readTitanEmbeddings(c *call) (prompt, *Problem) {
	if p := bedrockEmbeds(c, "inputText"); p != nil {
		return prompt{}, p
	}
	size := titanDimensions(c)
	if isTitanV2(c) && !slices.Contains([]int{256, 512, 1024}, size) {
		return prompt{}, awsInvalid(fmt.Sprintf("Malformed input request: #/dimensions: %d is not "+
			"a valid enum value, please reformat your input and try again.", size))
	}
	return prompt{inputs: []string{c.body.text("inputText")}}, nil
}

// titanDimensions returns the number of dimensions that a request asks for. Only
// version 2 of the model can be asked.
func titanDimensions(c *call) int {
	if !isTitanV2(c) {
		return 1536
	}
	if size := c.body.number("dimensions"); size != 0 {
		return size
	}
	return 1024
}

// isTitanV2 reports whether the model is of version 2.
func isTitanV2(c *call) bool { return bedrockInvoke("amazon.titan-embed-text-v2")(c.path) }

func writeTitanEmbeddings(c *call, p prompt, replies []Reply) *answer {
	r := replies[0]
	r.Usage.Output = 0
	vector := vectors(p.inputs, titanDimensions(c), r)[0]
	body := object{{"embedding", vector}, {"inputTextTokenCount", r.Usage.Input}}
	if isTitanV2(c) {
		body = append(body, field{"embeddingsByType", titanByType(c.body, vector)})
	}
	return invokeBody(body, r.Usage)
}

// titanByType is a vector in each type that a request asks for: as it is, or the sign
// of each number as a bit.
func titanByType(body object, vector []float32) object {
	types := body.list("embeddingTypes")
	if len(types) == 0 {
		types = []any{"float"}
	}
	var byType object
	for _, kind := range types {
		switch kind {
		case "float":
			byType = append(byType, field{"float", vector})
		case "binary":
			byType = append(byType, field{"binary", signs(vector)})
		}
	}
	return byType
}

// signs returns 1 for each positive number, and else 0.
func signs(vector []float32) []int {
	bits := make([]int, len(vector))
	for i, x := range vector {
		if x > 0 {
			bits[i] = 1
		}
	}
	return bits
}
