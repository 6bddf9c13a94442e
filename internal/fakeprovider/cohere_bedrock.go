package fakeprovider

import (
	"fmt"
	"strings"
)

// cohereBedrock is Bedrock's InvokeModel of Cohere's embeddings, of version 3 and 4
// (https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed.html).
// Only the type float is there.
var cohereBedrock = family{
	vectors: true,
	name:    "bedrock.cohere_embeddings",
	vendor:  aws,
	owns:    bedrockInvoke("cohere.embed"),
	read:    readCohereBedrock,
	write:   writeCohereBedrock,
}

func readCohereBedrock(c *call) (prompt, *Problem) {
	if p := bedrockEmbeds(c, "input_type"); p != nil {
		return prompt{}, p
	}
	inputs := []string{}
	for _, name := range []string{"texts", "images"} {
		for _, input := range c.body.list(name) {
			text, _ := input.(string)
			inputs = append(inputs, text)
		}
	}
	for _, input := range objects(c.body.list("inputs")) {
		inputs = append(inputs, contentText(input.get("content")))
	}
	if len(inputs) == 0 {
		return prompt{}, awsInvalid("Malformed input request: one of texts, images and inputs " +
			"must have a value, please reformat your input and try again.")
	}
	for _, kind := range c.body.list("embedding_types") {
		if kind != "float" {
			return prompt{}, awsInvalid(fmt.Sprintf("The stand-in has no embeddings of type %v.", kind))
		}
	}
	return prompt{inputs: inputs}, nil
}

// cohereBedrockDimensions returns the number of dimensions of the vectors. Only
// version 4 can be asked for one.
func cohereBedrockDimensions(c *call) int {
	if strings.Contains(c.path, "cohere.embed-v4") {
		if size := c.body.number("output_dimension"); size > 0 {
			return size
		}
		return 1536
	}
	return 1024
}

func writeCohereBedrock(c *call, p prompt, replies []Reply) *answer {
	r := replies[0]
	r.Usage.Output = 0
	var all any = vectors(p.inputs, cohereBedrockDimensions(c), r)
	kind := "embeddings_floats"
	if len(c.body.list("embedding_types")) > 0 {
		all = object{{"float", all}}
		kind = "embeddings_by_type"
	}
	return invokeBody(object{
		{"embeddings", all},
		{"id", fmt.Sprintf("standin0-0000-4000-8000-%012d", c.n)},
		{"response_type", kind},
		{"texts", c.body.or("texts", []any{})},
	}, r.Usage)
}
