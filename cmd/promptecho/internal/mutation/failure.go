package mutation

import "github.com/promptecho/promptecho/internal/interaction"

// failure returns the response with which the provider of a request fails.
func failure(req *interaction.Request, status int) *interaction.Response {
	return &interaction.Response{Status: status}
}
