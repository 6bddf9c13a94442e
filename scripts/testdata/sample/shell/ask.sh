#!/bin/sh
# Asks a model. Needs curl.
curl --silent --show-error --fail-with-body "$OPENAI_BASE_URL/chat/completions" \
	--header "Authorization: Bearer $OPENAI_API_KEY" --header 'Content-Type: application/json' \
	--data "{\"model\": \"gpt-5\", \"messages\": [{\"role\": \"user\", \"content\": \"$1\"}]}"
