package fakeprovider

// geminiCount is Gemini's countTokens, on Vertex AI too.
var geminiCount = family{
	name:   "gemini.count_tokens",
	vendor: google,
	owns:   suffix(":countTokens"),
	read:   readGeminiCount,
	write:  writeGeminiCount,
}

// readGeminiCount reads contents, or a whole request in generateContentRequest.
func readGeminiCount(c *call) (prompt, *Problem) {
	if _, p := googleModel(c); p != nil {
		return prompt{}, p
	}
	body := c.body
	if whole := body.sub("generateContentRequest"); whole != nil {
		body = whole
	}
	if len(body.list("contents")) == 0 {
		return prompt{}, googleInvalid("* CountTokensRequest.contents: contents is not specified\n")
	}
	p := geminiPrompt(body)
	p.free = true
	return p, nil
}

func writeGeminiCount(_ *call, p prompt, _ []Reply) *answer {
	n := p.size()
	return googleBody(object{{"totalTokens", n}, {"promptTokensDetails", textTokens(n)}})
}
