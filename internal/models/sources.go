package models

// A source is where rows of a table were read.
type source struct {
	url  string // the page of the provider
	copy string // the copy of this page that was read; "" if it was the page
	read string // the day on which the copy shows the page
}

// Pages of providers that list retirements.
const (
	anthropicRetirements = "https://platform.claude.com/docs/en/about-claude/model-deprecations"
	openAIRetirements    = "https://developers.openai.com/api/docs/deprecations"
	geminiRetirements    = "https://ai.google.dev/gemini-api/docs/deprecations"
	vertexRetirements    = "https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/model-versions"
	vertexPartners       = "https://docs.cloud.google.com/vertex-ai/generative-ai/docs/deprecations/partner-models"
	bedrockRetirements   = "https://docs.aws.amazon.com/bedrock/latest/userguide/model-lifecycle.html"
	azureRetirements     = "https://learn.microsoft.com/en-us/azure/ai-foundry/concepts/model-lifecycle-retirement"
	cohereRetirements    = "https://docs.cohere.com/docs/deprecations"
	mistralRetirements   = "https://docs.mistral.ai/getting-started/models/models_overview/"
)

// Pages of providers that list prices.
const (
	anthropicPricing = "https://platform.claude.com/docs/en/about-claude/pricing"
	openAIPricing    = "https://developers.openai.com/api/docs/pricing"
	geminiPricing    = "https://ai.google.dev/gemini-api/docs/pricing"
	bedrockPricing   = "https://aws.amazon.com/bedrock/pricing/"
	coherePricing    = "https://cohere.com/pricing"
	mistralPricing   = "https://mistral.ai/pricing"
)

// Copies of those pages that were read.
const (
	claudeDocs  = "https://github.com/thevibeworks/claude-code-docs"
	catalog     = "https://github.com/mnfst/modeldeprecations.dev"
	feed        = "https://github.com/deprecations/deprecations-rss"
	modelpin    = "https://github.com/samarthputhraya/Modelpin/releases"
	azureDocs   = "https://github.com/MicrosoftDocs/azure-ai-docs"
	sonnetPage  = "https://platform.claude.com/docs/en/models/sonnet-4-5/overview"
	openAIPage  = "https://developers.openai.com/api/docs/deprecations?translationFallback=zh-Hans"
	openAIDates = "https://dev.to/max_bob/" +
		"openai-api-deprecations-2026-2027-every-shutdown-date-and-recommended-replacement-gpt-4o-2ffm"
	driftline   = "https://dev.to/aidriftline"
	geminiDates = "https://dev.to/aideprecations/" +
		"what-to-do-before-gemini-25-pro-and-25-flash-are-retired-on-december-1-2026-5gg9"
	modelsDev   = "https://github.com/anomalyco/models.dev"
	priceRepo   = "https://github.com/Wei-Shaw/model-price-repo"
	codexometer = "https://github.com/merefield/codexometer/releases/tag/v0.18.4"
	promptFuel  = "https://github.com/TheKrush/PromptFuel/releases/tag/v1.0.21"
)
