package canon

import "slices"

// families is the table of everything that is known: one file per provider.
// The first family that knows a request has it, so what is more special stands
// before what is less.
var families = slices.Concat(
	jsonrpcFamilies,
	credentialFamilies,
	anthropicFamilies,
	bedrockFamilies,
	mistralFamilies,
	cohereFamilies,
	ollamaFamilies,
	geminiFamilies,
	huggingfaceFamilies,
	perplexityFamilies,
	openaiFamilies,
	voyageFamilies,
	platformFamilies,
)
