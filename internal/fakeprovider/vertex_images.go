package fakeprovider

import "encoding/base64"

// vertexImages is Vertex AI's predict of models of pictures. Their instances have
// a prompt, those of embedding models a content.
var vertexImages = family{
	name:   "vertex.images",
	vendor: google,
	owns:   suffix(":predict"),
	takes:  hasImagePrompt,
	read:   readVertexImages,
	write:  writeVertexImages,
}

// hasImagePrompt reports whether the first instance of a body has a prompt.
func hasImagePrompt(body []byte) bool {
	v, _ := decode(body)
	o, _ := v.(object)
	instances := objects(o.list("instances"))
	return len(instances) > 0 && instances[0].get("prompt") != nil
}

func readVertexImages(c *call) (prompt, *Problem) {
	if _, p := googleModel(c); p != nil {
		return prompt{}, p
	}
	text := objects(c.body.list("instances"))[0].text("prompt")
	return prompt{
		turns:   []turn{{role: "user", text: text}},
		choices: min(c.body.sub("parameters").number("sampleCount"), 8),
	}, nil
}

// writeVertexImages writes a picture for each reply. A reply without one is a
// picture that Google withheld, and its text is why.
func writeVertexImages(_ *call, _ prompt, replies []Reply) *answer {
	var predictions []object
	for _, r := range replies {
		if r.Media == nil {
			reason := refusalAsText(r).Text
			predictions = append(predictions, object{{"raiFilteredReason", reason}})
			continue
		}
		predictions = append(predictions, object{
			{"mimeType", r.Media.Type},
			{"bytesBase64Encoded", base64.StdEncoding.EncodeToString(r.Media.Data)},
		})
	}
	return googleBody(object{{"predictions", predictions}})
}
