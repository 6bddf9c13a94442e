package models

// Lengths of requests in tokens above which providers ask more.
const (
	k200 = 200_000
	k272 = 272_000
)

// prices lists what a million tokens cost: input, output, cached input, and the longest request
// at this price. If a model is in two lists, the first one counts: it was read later.
var prices = []struct {
	source source
	rows   []Price
}{
	{source{anthropicPricing, promptFuel, "2026-09-22"}, []Price{
		{"claude-opus-5-5", 4, 20, 0.20, 0},
	}},
	{source{anthropicPricing, claudeDocs, "2026-08-22"}, []Price{
		{"claude-fable-5", 10, 50, 1, 0},
		{"claude-mythos-5", 10, 50, 1, 0},
		{"claude-opus-5", 5, 25, 0.50, 0},
		{"claude-opus-4-8", 5, 25, 0.50, 0},
		{"claude-opus-4-7", 5, 25, 0.50, 0},
		{"claude-opus-4-6", 5, 25, 0.50, 0},
		{"claude-opus-4-5", 5, 25, 0.50, 0},
		{"claude-opus-4-1", 15, 75, 1.50, 0},
		{"claude-opus-4", 15, 75, 1.50, 0},
		{"claude-opus-4-0", 15, 75, 1.50, 0},
		{"claude-sonnet-5", 2, 10, 0.20, 0},
		{"claude-sonnet-4-6", 3, 15, 0.30, 0},
		{"claude-sonnet-4-5", 3, 15, 0.30, k200},
		{"claude-sonnet-4", 3, 15, 0.30, k200},
		{"claude-sonnet-4-0", 3, 15, 0.30, k200},
		{"claude-haiku-4-5", 1, 5, 0.10, 0},
		{"claude-3-5-haiku", 0.80, 4, 0.08, 0},
	}},
	{source{anthropicPricing, modelsDev, "2026-07-02"}, []Price{
		{"claude-3-7-sonnet", 3, 15, 0.30, 0},
		{"claude-3-5-sonnet", 3, 15, 0.30, 0},
		{"claude-3-5-sonnet-v2", 3, 15, 0.30, 0},
		{"claude-3-opus", 15, 75, 1.50, 0},
		{"claude-3-haiku", 0.25, 1.25, 0.03, 0},
	}},
	{source{openAIPricing, codexometer, "2026-09-22"}, []Price{
		{"gpt-6-sol", 2, 10, 0.20, k272},
		{"gpt-6-luna", 0.10, 0.50, 0.01, k272},
	}},
	{source{openAIPricing, priceRepo, "2026-07-24"}, []Price{
		{"gpt-5.5", 5, 30, 0.50, k272},
		{"gpt-5.4", 2.50, 15, 0.25, k272},
		{"gpt-5.4-mini", 0.75, 4.50, 0.075, 0},
		{"gpt-5.4-nano", 0.20, 1.25, 0.02, 0},
		{"gpt-5.3-codex", 1.75, 14, 0.175, 0},
		{"gpt-5.2", 1.75, 14, 0.175, 0},
		{"gpt-5.1", 1.25, 10, 0.125, 0},
		{"gpt-5", 1.25, 10, 0.125, 0},
		{"gpt-5-mini", 0.25, 2, 0.025, 0},
		{"gpt-5-nano", 0.05, 0.40, 0.005, 0},
		{"gpt-5-pro", 15, 120, 15, 0},
		{"gpt-4.1", 2, 8, 0.50, 0},
		{"gpt-4.1-mini", 0.40, 1.60, 0.10, 0},
		{"gpt-4.1-nano", 0.10, 0.40, 0.025, 0},
		{"gpt-4o", 2.50, 10, 1.25, 0},
		{"gpt-4o-2024-05-13", 5, 15, 5, 0},
		{"gpt-4o-mini", 0.15, 0.60, 0.075, 0},
		{"gpt-4-turbo", 10, 30, 10, 0},
		{"gpt-4", 30, 60, 30, 0},
		{"gpt-4-0613", 30, 60, 30, 0},
		{"gpt-3.5-turbo", 0.50, 1.50, 0.50, 0},
		{"gpt-3.5-turbo-0125", 0.50, 1.50, 0.50, 0},
		{"o4-mini", 1.10, 4.40, 0.275, 0},
		{"o3", 2, 8, 0.50, 0},
		{"o3-mini", 1.10, 4.40, 0.55, 0},
		{"o3-pro", 20, 80, 20, 0},
		{"o1", 15, 60, 7.50, 0},
		{"text-embedding-3-small", 0.02, 0, 0.02, 0},
		{"text-embedding-3-large", 0.13, 0, 0.13, 0},
		{"text-embedding-ada-002", 0.10, 0, 0.10, 0},
	}},
	{source{geminiPricing, priceRepo, "2026-07-24"}, []Price{
		{"gemini-3.6-flash", 1.50, 7.50, 0.15, 0},
		{"gemini-3.5-flash", 1.50, 9, 0.15, 0},
		{"gemini-3.5-flash-lite", 0.30, 2.50, 0.03, 0},
		{"gemini-3.1-pro-preview", 2, 12, 0.20, k200},
		{"gemini-3.1-flash-lite", 0.25, 1.50, 0.025, 0},
		{"gemini-3-pro-preview", 2, 12, 0.20, k200},
		{"gemini-3-flash-preview", 0.50, 3, 0.05, 0},
		{"gemini-2.5-pro", 1.25, 10, 0.125, k200},
		{"gemini-2.5-flash", 0.30, 2.50, 0.03, 0},
		{"gemini-2.5-flash-lite", 0.10, 0.40, 0.01, 0},
		{"gemini-2.0-flash", 0.10, 0.40, 0.025, 0},
		{"gemini-2.0-flash-lite", 0.075, 0.30, 0.075, 0},
		{"gemini-embedding-001", 0.15, 0, 0.15, 0},
	}},
	{source{coherePricing, modelsDev, "2026-07-02"}, []Price{
		{"command-a-plus-05-2026", 2.50, 10, 2.50, 0},
		{"command-a-03-2025", 2.50, 10, 2.50, 0},
		{"command-r-plus-08-2024", 2.50, 10, 2.50, 0},
		{"command-r-08-2024", 0.15, 0.60, 0.15, 0},
		{"command-r7b-12-2024", 0.0375, 0.15, 0.0375, 0},
	}},
	{source{mistralPricing, modelsDev, "2026-07-02"}, []Price{
		{"mistral-large-2512", 0.50, 1.50, 0.50, 0},
		{"mistral-large-latest", 0.50, 1.50, 0.50, 0},
		{"mistral-medium-2604", 1.50, 7.50, 1.50, 0},
		{"mistral-medium-2508", 0.40, 2, 0.40, 0},
		{"mistral-medium-2505", 0.40, 2, 0.40, 0},
		{"mistral-small-2603", 0.15, 0.60, 0.15, 0},
		{"mistral-small-latest", 0.15, 0.60, 0.15, 0},
		{"mistral-small-2506", 0.10, 0.30, 0.10, 0},
		{"codestral-latest", 0.30, 0.90, 0.30, 0},
		{"mistral-embed", 0.10, 0, 0.10, 0},
	}},
	{source{bedrockPricing, modelsDev, "2026-07-02"}, []Price{
		{"nova-micro", 0.035, 0.14, 0.00875, 0},
		{"nova-lite", 0.06, 0.24, 0.015, 0},
		{"nova-pro", 0.80, 3.20, 0.20, 0},
	}},
}
